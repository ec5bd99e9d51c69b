"""What the job would cost at 10^9 and 10^10 documents on a named cluster: the plan and measured costs, multiplied.

    python -m benchmarks.scale_on_paper [--sizes 1e9,1e10] [--distance 3] [--views 1] [--fingerprints FILE.parquet]

Nothing is run but the planner. It sees uniform fingerprints, or the column ``fingerprint`` of a file (one view).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from simhash_udf.kernel.plan import BandPlan, choose_plan
from simhash_udf.udf.edge_batches import NODES_PER_CHUNK

NODES, CORES_PER_NODE = 50, 16
NETWORK_BYTES_S = 1.25e9  # of a node: 10 Gbit/s
DISK_BYTES_S = 1e9  # of a node, local NVMe, either way
DISK_BYTES = 1e12  # of a node, for the shuffle of one wave
SAMPLE = 200_000

# Measured on 2 cores, docs/performance.md.
TEXT_BYTES = 4_000  # of a document: 12,547 pages hold 48 MB
FINGERPRINT_BYTES_S = 8e6  # of text a core, for one view: 16.1 MB/s on 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1e9,1e10")
    parser.add_argument("--distance", type=int, default=3)
    parser.add_argument("--views", type=int, default=1)
    parser.add_argument("--fingerprints", type=Path)
    given = parser.parse_args()
    sample = sample_of(given.fingerprints, given.views)
    print(f"| documents | {' | '.join(given.sizes.split(','))} |\n|---|{'---|' * len(given.sizes.split(','))}")
    columns = [list(figures(sample, int(float(size)), given.distance)) for size in given.sizes.split(",")]
    for lines in zip(*columns, strict=True):
        print(f"| {lines[0][0]} | {' | '.join(line[1] for line in lines)} |")


def sample_of(file: Path | None, views: int) -> NDArray[np.uint64]:
    """Distinct fingerprints for the planner."""
    draw = np.random.default_rng(0)
    if file is None:
        return draw.integers(0, 2**64, (SAMPLE, views), dtype=np.uint64)
    words = np.unique(
        pq.read_table(file, columns=["fingerprint"])["fingerprint"].drop_null().to_numpy().view(np.uint64)
    )
    return draw.permutation(words)[:SAMPLE, None]


def figures(sample: NDArray[np.uint64], n: int, distance: int) -> Iterator[tuple[str, str]]:
    """Name and value of each line of the table, with its arithmetic in the name."""
    cores = NODES * CORES_PER_NODE
    plan = choose_plan(sample, n, max_distance=distance, cores=cores, max_shuffle_bytes=NODES * DISK_BYTES)
    text = n * TEXT_BYTES
    yield f"text, n × {TEXT_BYTES:,} bytes", f"{text / 1e12:,.0f} TB"
    views = plan.num_views
    fingerprinting = text * views / FINGERPRINT_BYTES_S / cores
    yield f"fingerprints, text × {views} view(s) / 8 MB/s / {cores} cores", minutes(fingerprinting)
    yield from join_figures(plan)
    tasks = -(-n // NODES_PER_CHUNK)
    yield f"explode chunks, n / {NODES_PER_CHUNK:,}", f"{tasks:,}"
    segment = plan.shuffle_bytes / tasks / plan.num_slots
    yield "bytes of a chunk for a slot, shuffle / chunks / slots", f"{segment:,.0f}"


def join_figures(plan: BandPlan) -> Iterator[tuple[str, str]]:
    """The lines about the join."""
    size = plan.shuffle_bytes
    yield "plan: blocks, bands, waves", f"{plan.num_blocks}, {len(plan.bands)}, {len(plan.waves)}"
    yield "slots", f"{plan.num_slots:,}"
    yield "records", f"{plan.records:.2g}"
    yield "comparisons", f"{plan.comparisons:.2g}"
    yield f"shuffle, records × {8 * plan.num_views} bytes", f"{size / 1e12:,.2f} TB"
    yield "join, processor, as planned", minutes(plan.seconds)
    sent = size * (NODES - 1) / NODES
    yield (
        f"join, network, shuffle × {NODES - 1}/{NODES} / {NODES} nodes / 1.25 GB/s",
        minutes(sent / NODES / NETWORK_BYTES_S),
    )
    yield f"join, disk, shuffle written and read / {NODES} nodes / 1 GB/s", minutes(2 * size / NODES / DISK_BYTES_S)


def minutes(seconds: float) -> str:
    """Return seconds as a person says them."""
    return f"{seconds:,.0f} s" if seconds < 120 else f"{seconds / 60:,.1f} min"


if __name__ == "__main__":
    main()
