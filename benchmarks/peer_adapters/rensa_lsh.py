"""``rensa``: `RMinHash`, then `RMinHashLSH`; candidates count if their estimate is above the threshold.

Sketches are of whole token sets. The faster rho pipeline answers only whether a document has a duplicate, not which.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from typing import Any

from benchmarks.peer_adapters.frame import chunks, components, read_texts, run, split

NUM_PERM = 128


def find(options: argparse.Namespace) -> list[int]:
    os.environ["RAYON_NUM_THREADS"] = str(options.workers)
    texts = read_texts(options)
    return components(len(texts), find_pairs(texts, options.setting))


def find_pairs(texts: list[str], setting: dict[str, Any]) -> Iterator[tuple[int, int]]:
    import rensa  # noqa: PLC0415 - after the number of threads is set

    kind, threshold = setting["tokens"], setting["threshold"]
    index = rensa.RMinHashLSH(threshold=threshold, num_perm=NUM_PERM, num_bands=setting["bands"])
    kept: list[Any] = []
    for start, some in chunks(texts):
        sketches = rensa.RMinHash.from_token_sets([split(text, kind) for text in some], NUM_PERM, 42)
        index.insert_many(sketches, start)
        kept += sketches
        for number, found in enumerate(index.query_all(sketches), start):
            for other in found:
                if other < number and kept[other].jaccard(kept[number]) >= threshold:
                    yield other, number


if __name__ == "__main__":
    run(find)
