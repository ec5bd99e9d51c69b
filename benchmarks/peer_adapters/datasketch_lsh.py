"""``datasketch``: `MinHash.generator`, then `MinHashLSH`; candidates count if their estimate is above the threshold."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from datasketch import LeanMinHash, MinHash, MinHashLSH
from xxhash import xxh32_intdigest

from benchmarks.peer_adapters.frame import components, read_texts, run, split


def find(options: argparse.Namespace) -> list[int]:
    texts = read_texts(options)
    return components(len(texts), find_pairs(texts, **options.setting))


def find_pairs(texts: list[str], tokens: str, threshold: float) -> Iterator[tuple[int, int]]:
    index = MinHashLSH(threshold=threshold, num_perm=128)
    features = ([token.encode() for token in set(split(text, tokens))] for text in texts)
    kept: list[LeanMinHash] = []
    for number, sketch in enumerate(MinHash.generator(features, num_perm=128, hashfunc=xxh32_intdigest)):
        lean = LeanMinHash(sketch)
        for found in index.query(lean):
            if lean.jaccard(kept[found]) >= threshold:
                yield found, number
        index.insert(number, lean, check_duplication=False)
        kept.append(lean)


if __name__ == "__main__":
    run(find)
