"""The band join in one process on random fingerprints: seconds to plan, explode and join, band by band.

python -m benchmarks.band_join_kernel [n …] [--distance 3] [--blocks B] [--views 1] [--set uniform]

One band at a time is held in memory, so 10**8 fingerprints need about 4 GB. `--set` takes what is hard instead of what
is easy: shared, ball, copies, skewed, or a Parquet file with real fingerprints (benchmarks/fingerprint_sets.py).
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from benchmarks.fingerprint_sets import make
from simhash_udf.kernel.band_join import explode_blocks, join_block
from simhash_udf.kernel.plan import choose_plan

Words = NDArray[np.uint64]


def main() -> None:
    """Print one line for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", nargs="*", type=lambda text: int(float(text)), default=[10**6, 10**7])
    parser.add_argument("--distance", type=int, default=3)
    parser.add_argument("--blocks", type=int)
    parser.add_argument("--views", type=int, default=1)
    parser.add_argument("--set", default="uniform")
    given = parser.parse_args()
    for n in given.n:
        words = make(given.set, n, given.views)
        measure(words, given.distance, given.blocks, given.set)


def measure(words: Words, max_distance: int, num_blocks: int | None, name: str) -> None:
    """Plan, explode and join one set; seconds of processor time, which other work on the machine disturbs least."""
    clock = time.process_time
    begin = clock()
    sample = words[np.random.default_rng(1).integers(0, len(words), min(200_000, len(words)))]
    sample = np.array(sorted(set(map(tuple, sample.tolist()))), dtype=np.uint64)
    plan = choose_plan(sample, len(words), max_distance=max_distance, num_blocks=num_blocks)
    seconds = {"plan": clock() - begin, "explode": 0.0, "join": 0.0}
    num_edges = 0
    for band in plan.bands:
        begin = clock()
        slots: dict[int, list[bytes]] = defaultdict(list)
        for slot, block in explode_blocks(words, plan, [band]):
            slots[slot].append(block)
        middle = clock()
        while slots:
            num_edges += len(join_block(*slots.popitem(), plan))
        seconds["explode"] += middle - begin
        seconds["join"] += clock() - middle
    parts = ", ".join(f"{part} {value:.2f}" for part, value in seconds.items())
    print(f"{name} n={len(words):,} r={words.shape[1]} k={max_distance} b={plan.num_blocks}: {parts} s;", end=" ")
    print(f"{len(plan.bands)} bands, {plan.num_slots} slots, {num_edges:,} edges of the slots' forests", flush=True)


if __name__ == "__main__":
    main()
