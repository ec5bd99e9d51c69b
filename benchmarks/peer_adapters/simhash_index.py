"""PyPI ``simhash``: `Simhash` of each text, then `SimhashIndex`, which compares within its k + 1 buckets.

Tokens ``default`` are the package's own: character 4-grams of letters and Chinese characters, weighted by count.
"""

from __future__ import annotations

import argparse
import logging

from simhash import Simhash, SimhashIndex

from benchmarks.peer_adapters.frame import components, read_texts, run, split


def find(options: argparse.Namespace) -> list[int]:
    logging.getLogger("simhash").setLevel(logging.ERROR)  # it warns of every large bucket, each time
    kind, texts = options.setting["tokens"], read_texts(options)
    values = [Simhash(text if kind == "default" else split(text, kind)) for text in texts]
    index = SimhashIndex([], k=options.setting["distance"])
    pairs = []
    for number, value in enumerate(values):
        pairs += [(int(found), number) for found in index.get_near_dups(value)]
        index.add(str(number), value)
    return components(len(texts), pairs)


if __name__ == "__main__":
    run(find)
