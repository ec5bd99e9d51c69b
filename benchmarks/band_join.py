"""The band join on Spark: packed blocks against the SQL self-join, and against NumPy in one process.

    python benchmarks/band_join.py --sizes 1e6,1e7 [--sql-up-to 1e7] [--numpy-up-to 1e8] [--distance 3] [--views 1]

Fingerprints are random, with one planted neighbour for every 50th at distance 1 to k; all planted pairs must be found.
Each size is measured in one session, so ratios hold on a noisy machine. Memory and disk are peaks of the packed join.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyspark.sql import DataFrame, SparkSession

from benchmarks.monitor import Monitor
from simhash_udf.kernel.band_join import explode_blocks, join_block
from simhash_udf.kernel.bits import node_ids
from simhash_udf.kernel.forest import connected_components
from simhash_udf.kernel.plan import BandPlan, choose_plan
from simhash_udf.stages.edges import build_edges, build_edges_sql
from simhash_udf.stages.fingerprints import sample_nodes

Words = NDArray[np.uint64]

PART = 10_000_000
SAMPLE = 200_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1e6,1e7")
    parser.add_argument("--sql-up-to", type=float, default=1e7)
    parser.add_argument("--numpy-up-to", type=float, default=1e8)
    parser.add_argument("--distance", type=int, default=3)
    parser.add_argument("--blocks", type=int, help="the planner's choice unless given")
    parser.add_argument("--views", type=int, default=1)
    parser.add_argument("--directory", type=Path, default=Path(tempfile.gettempdir()) / "band_join_benchmark")
    parser.add_argument("--max-shuffle-bytes", type=float, default=2e10)
    parser.add_argument("--driver-memory", default="4g")
    given = parser.parse_args()
    shutil.rmtree(given.directory, ignore_errors=True)
    spark = start(given.directory, given.driver_memory)
    for size in map(float, given.sizes.split(",")):
        run(spark, int(size), given)
    spark.stop()
    shutil.rmtree(given.directory)


def start(directory: Path, memory: str) -> SparkSession:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").config("spark.local.dir", str(directory / "spark"))
    settings = {
        "spark.driver.memory": memory,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.cleaner.periodicGC.interval": "20s",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def run(spark: SparkSession, n: int, given: argparse.Namespace) -> None:
    planted = write_nodes(given.directory / f"nodes-{n}", n, given.views, given.distance)
    nodes = spark.read.parquet(str(given.directory / f"nodes-{n}"))
    started = time.monotonic()
    plan = make_plan(nodes, n, given)
    print(f"\nn = {n:.0e}, k = {given.distance}, views = {given.views}; planned in {time.monotonic() - started:.1f} s")
    print(plan.describe())
    with Monitor(given.directory / "spark") as monitor:
        packed = timed(lambda: packed_join(nodes, plan, given.directory / f"edges-{n}"))
    found = find_planted(spark, given.directory / f"edges-{n}", planted)
    print(f"packed: {packed:.1f} s, {found} of {len(planted)} planted pairs; {monitor.describe()}")
    if found != len(planted):
        raise SystemExit("a planted pair was missed")
    if n <= given.numpy_up_to and given.views == 1:
        words = pq.read_table(given.directory / f"nodes-{n}", columns=["word_0"])["word_0"].to_numpy().view(np.uint64)
        single = timed(lambda: numpy_join(words[:, None], plan))
        print(f"NumPy, one process: {single:.1f} s; packed / NumPy = {packed / single:.2f}")
    if n <= given.sql_up_to:
        sql = timed(lambda: build_edges_sql(nodes, plan).write.format("noop").mode("overwrite").save())
        print(f"sql: {sql:.1f} s; sql / packed = {sql / packed:.1f}")
    shutil.rmtree(given.directory / f"nodes-{n}")


def write_nodes(place: Path, n: int, views: int, distance: int) -> Words:
    """Write ``node_id, word_…`` with planted neighbours; return the planted pairs as node ids, smaller first."""
    place.mkdir(parents=True)
    draw = np.random.default_rng(n)
    pairs = []
    for part, begin in enumerate(range(0, n, PART)):
        words = draw.integers(0, 2**64, (min(PART, n - begin), views), dtype=np.uint64)
        near = words[::50].copy()
        for _ in range(distance):
            # the same bit may be drawn twice, so distances are 1, 2, 3 … and sometimes 0 or less than drawn
            near ^= np.uint64(1) << draw.integers(0, 64, near.shape, dtype=np.uint64)
        whole = np.concatenate([words, near])
        ids = np.sort(np.column_stack([node_ids(words[::50]), node_ids(near)]), axis=1)
        pairs.append(ids[ids[:, 0] != ids[:, 1]])
        columns = {f"word_{view}": pa.array(whole[:, view].view(np.int64)) for view in range(views)}
        table = pa.table({"node_id": pa.array(node_ids(whole))} | columns)
        pq.write_table(table, place / f"part-{part:04}.parquet", row_group_size=1_000_000)
    return np.concatenate(pairs)


def make_plan(nodes: DataFrame, n: int, given: argparse.Namespace) -> BandPlan:
    sample = sample_nodes(nodes, max(n // SAMPLE, 1)).toArrow()
    words = np.column_stack([column.to_numpy().view(np.uint64) for column in sample.columns])
    options = {"cores": 2, "max_shuffle_bytes": given.max_shuffle_bytes}
    return choose_plan(words, n + n // 50, max_distance=given.distance, num_blocks=given.blocks, **options)


def packed_join(nodes: DataFrame, plan: BandPlan, place: Path) -> None:
    for wave in range(len(plan.waves)):
        build_edges(nodes, plan, wave=wave, all_pairs=False).write.mode("append").parquet(str(place))


def numpy_join(words: Words, plan: BandPlan) -> int:
    """The same bands in one process, one band in memory at a time."""
    found = 0
    for band in plan.bands:
        blocks = defaultdict(list)
        for start in range(0, len(words), 2_000_000):
            for slot, block in explode_blocks(words[start : start + 2_000_000], plan, [band]):
                blocks[slot].append(block)
        while blocks:
            slot, chunks = blocks.popitem()
            found += len(join_block(slot, chunks, plan))
    return found


def find_planted(spark: SparkSession, place: Path, planted: Words) -> int:
    """How many planted pairs are joined by a path of edges: forests leave out an edge that others make up for."""
    edges = spark.read.parquet(str(place)).select("src", "dst").toArrow()
    nodes, labels = connected_components(edges["src"].to_numpy(), edges["dst"].to_numpy())
    places = np.searchsorted(nodes, planted)
    places[places == len(nodes)] = 0
    is_there = nodes[places] == planted
    return int((is_there.all(axis=1) & (labels[places[:, 0]] == labels[places[:, 1]])).sum())


def timed(action: Callable[[], object]) -> float:
    started = time.monotonic()
    action()
    return time.monotonic() - started


if __name__ == "__main__":
    main()
