"""The index beside the PyPI package's and a scan: to build, to hold and to ask; and a batch against a store.

python -m benchmarks.fingerprint_index index [n …] [--distance 3] [--pypi-up-to 1e6]
python -m benchmarks.fingerprint_index batch [--entries 1e6] [--queries 1e7] [--distance 3]
python -m benchmarks.fingerprint_index text [n …] [--distance 3]

Random fingerprints, one process; seconds are of the processor, but for saving. `index`: half of the queries are within
k bits of an entry, half are random; all answers are compared. Bytes a fingerprint: on disk with the ids for the index,
growth of the process for the package. `batch`: the nightly use, a small index asked about every fingerprint of a large
store; one query in 1,000 is near. `text`: made-up articles, asked for by text.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from simhash import Simhash, SimhashIndex

from simhash_udf import FingerprintIndex
from simhash_udf.kernel.band_index import BandIndex
from simhash_udf.kernel.bits import popcount
from simhash_udf.sample.corpus import generate_documents

Words = NDArray[np.uint64]

ASKED = 2_000
CHUNK = 1_000_000


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["index", "batch", "text"])
    parser.add_argument("n", nargs="*", type=number, default=[10**5, 10**6, 10**7])
    parser.add_argument("--distance", type=int, default=3)
    parser.add_argument("--pypi-up-to", type=number, default=10**6)
    parser.add_argument("--entries", type=number, default=10**6)
    parser.add_argument("--queries", type=number, default=10**7)
    given = parser.parse_args()
    if given.part == "batch":
        measure_batch(given.entries, given.queries, given.distance)
        return
    if given.part == "text":
        measure_texts(given.n[0], given.distance)
        return
    for n in given.n:
        measure_index(n, given.distance, n <= given.pypi_up_to)


def number(text: str) -> int:
    """Read 1e6 as a whole number."""
    return int(float(text))


def measure_index(n: int, k: int, has_pypi: bool) -> None:
    """Build, save, open and ask; then the same of the package, and a scan."""
    rng = np.random.default_rng(n)
    words = rng.integers(0, 2**64, n, dtype=np.uint64)
    queries = rng.integers(0, 2**64, ASKED, dtype=np.uint64)
    queries[::2] = varied(rng, words[rng.integers(0, n, ASKED // 2)], k)
    answers = {} if not has_pypi else {"PyPI": measure_pypi(words, queries, k)}
    answers["scan"] = measure_scan(words, queries[: max(min(ASKED, 2 * 10**8 // n), 10)], k)
    with tempfile.TemporaryDirectory() as place:
        seconds, index = timed(lambda: FingerprintIndex.build(np.arange(n), words, max_distance=k))
        begin = time.perf_counter()
        index.save(f"{place}/index")
        saving = time.perf_counter() - begin
        opening, index = timed(lambda: FingerprintIndex.open(f"{place}/index"))
        size = sum(file.stat().st_size for file in Path(place).rglob("*") if file.is_file())
        asked = [int(query) for query in queries]
        first, ours = timed(lambda: [index.query(query) for query in asked])
        again, _ = timed(lambda: [index.query(query) for query in asked])
        many, together = timed(lambda: index.query_many(queries))
        more = np.tile(queries, 50)
        most, _ = timed(lambda: index.query_table(more))
    print(f"n={n:,} k={k} index: build {seconds:.2f} s, save {saving:.2f} s, open {opening * 1e3:.1f} ms,", end=" ")
    print(f"{size / n:.0f} bytes a fingerprint; queries a second: {rate(first)} first, {rate(again)} again,", end=" ")
    print(
        f"{rate(many)} {ASKED} at once, {rate(most / 50)} {len(more)} at once; peak {peak_memory():.1f} GiB", flush=True
    )
    assert ours == together
    for name, theirs in answers.items():
        assert theirs == [{found.doc_id for found in answer} for answer in ours[: len(theirs)]], name


def measure_pypi(words: Words, queries: Words, k: int) -> list[set[int]]:
    """The index of the PyPI package."""
    gc.collect()
    before = memory()
    values = [(str(doc_id), Simhash(value)) for doc_id, value in enumerate(words.tolist())]
    between = memory()
    seconds, index = timed(lambda: SimhashIndex(values, k=k))
    size = memory() - between
    asked = [Simhash(value) for value in queries.tolist()]
    taken, answers = timed(lambda: [index.get_near_dups(query) for query in asked])
    print(f"n={len(words):,} k={k} PyPI: build {seconds:.2f} s, {size / len(words):.0f} bytes a fingerprint", end=" ")
    print(f"(and {(between - before) / len(words):.0f} for the objects given to it); queries a second: {rate(taken)}")
    return [set(map(int, answer)) for answer in answers]


def measure_scan(words: Words, queries: Words, k: int) -> list[set[int]]:
    """Every fingerprint compared with every query, in NumPy."""
    seconds, answers = timed(lambda: [np.flatnonzero(popcount(words ^ query) <= k) for query in queries])
    print(f"n={len(words):,} k={k} scan: 8 bytes a fingerprint; queries a second: {len(queries) / seconds:,.0f}")
    return [set(answer.tolist()) for answer in answers]


def measure_batch(n: int, m: int, k: int) -> None:
    """Ask an index of n about m fingerprints, a chunk at a time."""
    rng = np.random.default_rng(n)
    entries = rng.integers(0, 2**64, (n, 1), dtype=np.uint64)
    clock = time.process_time
    begin = clock()
    index = BandIndex.build(entries, max_distance=k, expected_queries=m)
    building = clock() - begin
    asking, found, planted = 0.0, 0, 0
    for first in range(0, m, CHUNK):
        queries = rng.integers(0, 2**64, (min(CHUNK, m - first), 1), dtype=np.uint64)
        near = queries[::1000]
        near[:] = varied(rng, entries[rng.integers(0, n, len(near))], k)
        begin = clock()
        matches = index.matches(queries)
        asking += clock() - begin
        planted += len(near)
        found += len(np.unique(matches.query[matches.query % 1000 == 0]))
    assert found == planted
    tables = len(index.views[0].tables)
    print(f"{n:,} entries, {m:,} queries, k={k}, {tables} bands: build {building:.2f} s, ask {asking:.2f} s,", end=" ")
    print(f"{asking / m * 1e9:.0f} ns a query, all {planted:,} planted found, peak {peak_memory():.1f} GiB", flush=True)


def measure_texts(n: int, k: int) -> None:
    """Index texts and ask for some of them."""
    documents = {document.id: document.text for document in generate_documents(n) if document.text}
    seconds, index = timed(lambda: FingerprintIndex.from_texts(documents.keys(), documents.values(), max_distance=k))
    asked = list(documents.values())[:ASKED]
    single, one_by_one = timed(lambda: [index.query(text) for text in asked])
    many, together = timed(lambda: index.query_many(asked))
    assert one_by_one == together
    mean = sum(map(len, asked)) / len(asked)
    print(f"{len(documents):,} texts, k={k}: build {seconds:.1f} s; {len(asked):,} of {mean:.0f} characters:", end=" ")
    print(f"{single / len(asked) * 1e6:.0f} us each one by one, {many / len(asked) * 1e6:.0f} us together", flush=True)


def varied(rng: np.random.Generator, words: Words, k: int) -> Words:
    """Return words at most k bits away."""
    near = words.copy()
    for _ in range(k):
        near ^= np.uint64(1) << rng.integers(0, 64, near.shape, dtype=np.uint64)
    return near


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return seconds of processor time, which other work on the machine disturbs least, and result."""
    begin = time.process_time()
    result = work()
    return time.process_time() - begin, result


def rate(seconds: float) -> str:
    """Return queries a second."""
    return f"{ASKED / seconds:,.0f}"


def memory() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def peak_memory() -> float:
    """GiB that this process had in memory at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


if __name__ == "__main__":
    main()
