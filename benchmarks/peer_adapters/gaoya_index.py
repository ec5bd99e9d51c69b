"""``gaoya``: `MinHashStringIndex` or `SimHashStringIndex`, filled and asked in bulk, with its own character n-grams."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from typing import Any

from benchmarks.peer_adapters.frame import NOT_WORD, chunks, components, read_texts, run


def find(options: argparse.Namespace) -> list[int]:
    os.environ["RAYON_NUM_THREADS"] = str(options.workers)
    texts = read_texts(options)
    return components(len(texts), find_pairs(texts, options.setting))


def find_pairs(texts: list[str], setting: dict[str, Any]) -> Iterator[tuple[int, int]]:
    index = make_index(setting)
    texts = [NOT_WORD.sub("", text) for text in texts]
    for start, some in chunks(texts):
        numbers = list(range(start, start + len(some)))
        getattr(index, "minhash_index", getattr(index, "index", None)).par_bulk_insert_docs(numbers, some)
    for start, some in chunks(texts):
        for number, found in enumerate(index.par_bulk_query(some), start):
            yield from ((other, number) for other in found if other < number)


def make_index(setting: dict[str, Any]) -> Any:
    import gaoya  # noqa: PLC0415 - after the number of threads is set

    size = setting["ngram"]
    common = {"analyzer": "char", "lowercase": True, "ngram_range": (size, size)}
    if "distance" in setting:
        distance = setting["distance"]
        return gaoya.simhash.SimHashStringIndex(num_blocks=distance + 3, hamming_distance=distance, **common)
    bands, rows = setting["bands"], setting["rows"]
    return gaoya.minhash.MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=setting["threshold"],
        num_bands=bands,
        band_size=rows,
        num_hashes=bands * rows,
        id_container="smallvec",
        **common,
    )


if __name__ == "__main__":
    run(find)
