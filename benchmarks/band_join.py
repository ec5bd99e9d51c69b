"""The band join on Spark: packed blocks against the SQL self-join, and against NumPy in one process.

    python -m benchmarks.band_join --sizes 1e6,1e7 [--sql-up-to 1e7] [--numpy-up-to 1e8] [--distance 3] [--views 1]
    python -m benchmarks.band_join --sizes 1e6 --set shared     (or ball, copies, skewed, FILE with real fingerprints)

Fingerprints of the uniform set are random, with one planted neighbour for every 50th at distance 1 to k; all planted
pairs must be found. Of a hard set the components must be those that other means find, where there are any.
Each size is measured in one session, so ratios hold on a noisy machine; a small join of either form goes before, so
none pays for a cold session. Up to two million fingerprints each form runs four times, up to twenty million
twice, in turns, and its best time counts. Memory and disk are peaks of the first packed join. With
`--record FILE` a line of JSON for each size is added to the file.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyspark.sql import DataFrame, SparkSession

from benchmarks.fingerprint_sets import expected_components, make
from benchmarks.local_session import start
from benchmarks.monitor import Monitor
from simhash_udf.kernel.band_join import explode_blocks, join_block
from simhash_udf.kernel.bits import node_ids
from simhash_udf.kernel.forest import connected_components
from simhash_udf.kernel.plan import BandPlan, choose_plan
from simhash_udf.stages.edges import build_edges_sql, join_blocks, select_joined, sum_joined
from simhash_udf.stages.fingerprints import sample_nodes

Words = NDArray[np.uint64]
Index = NDArray[np.int64]

PART = 10_000_000
SAMPLE = 200_000
RUNS = {2_000_000: 4, 20_000_000: 2}
"""Runs of either form up to so many fingerprints: one run of a second still compiles code."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1e6,1e7")
    parser.add_argument("--set", default="uniform", help="uniform, shared, ball, copies, skewed, or a Parquet file")
    parser.add_argument("--record", type=Path, help="file of measurements, a line of JSON each")
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
    warm_up(spark, given)
    for size in map(float, given.sizes.split(",")):
        record = run(spark, int(size), given)
        if given.record:
            with given.record.open("a") as lines:
                lines.write(json.dumps(record) + "\n")
    spark.stop()
    shutil.rmtree(given.directory)


def warm_up(spark: SparkSession, given: argparse.Namespace) -> None:
    """Join a few fingerprints in both forms: Python workers are up and Spark's code is compiled after that."""
    place = given.directory / "warm"
    write_nodes(place / "nodes", 10_000, given.views, given.distance)
    nodes = spark.read.parquet(str(place / "nodes"))
    plan = make_plan(nodes, 10_000, given)
    packed_join(nodes, plan, place / "packed")
    sql_join(nodes, plan, place / "sql")


def run(spark: SparkSession, n: int, given: argparse.Namespace) -> dict[str, Any]:
    """Measure one size; return what was measured."""
    place, found = given.directory / f"nodes-{n}", given.directory / f"edges-{n}"
    planted = write_nodes(place, n, given.views, given.distance) if given.set == "uniform" else None
    if planted is None:
        write_words(place, make(given.set, n, given.views))
    nodes = spark.read.parquet(str(place))
    started = time.monotonic()
    plan = make_plan(nodes, n, given)
    planning = time.monotonic() - started
    print(f"\n{given.set}, n = {n:.0e}, k = {given.distance}, views = {given.views}; planned in {planning:.1f} s")
    print(plan.describe())
    with Monitor(given.directory / "spark") as monitor:
        packed = timed(lambda: packed_join(nodes, plan, found))
    record = measured(n, plan, given) | {"packed_s": round(packed, 2), "plan_s": round(planning, 2)}
    record |= {"memory": monitor.peak_memory, "disk": monitor.peak_disk}
    print(f"packed: {packed:.1f} s; {monitor.describe()}")
    record |= compare_with_plan(spark, found, plan, packed)
    record["checked"] = (
        check_planted(spark, found, planted) if planted is not None else check_set(spark, found, place, given.distance)
    )
    if n <= given.numpy_up_to and given.views == 1:
        words = pq.read_table(place, columns=["word_0"])["word_0"].to_numpy().view(np.uint64)
        single = timed(lambda: numpy_join(words[:, None], plan))
        print(f"NumPy, one process: {single:.1f} s; packed / NumPy = {packed / single:.2f}")
        record["numpy_s"] = round(single, 2)
    if n <= given.sql_up_to:
        sql = timed(lambda: sql_join(nodes, plan, given.directory / f"sql-{n}"))
        for _ in range(next((times for limit, times in RUNS.items() if n <= limit), 1) - 1):
            packed = min(packed, timed(lambda: packed_join(nodes, plan, found)))
            sql = min(sql, timed(lambda: sql_join(nodes, plan, given.directory / f"sql-{n}")))
        print(f"sql: {sql:.2f} s; packed: {packed:.2f} s; sql / packed = {sql / packed:.1f}")
        record |= {"sql_s": round(sql, 2), "packed_s": round(packed, 2)}
    shutil.rmtree(place)
    return record


def compare_with_plan(spark: SparkSession, found: Path, plan: BandPlan, seconds: float) -> dict[str, float]:
    """Say how far the plan was from the join that was measured."""
    row = sum_joined(spark.read.parquet(str(found))).first()
    comparisons = row["comparisons"] if row and row["comparisons"] else 0
    print(
        f"expected / measured: {plan.comparisons / max(comparisons, 1):.2f} of {comparisons:,} comparisons, "
        f"{plan.seconds / seconds:.2f} of {seconds:.1f} s"
    )
    return {"comparisons": comparisons}


def measured(n: int, plan: BandPlan, given: argparse.Namespace) -> dict[str, Any]:
    """The measurement's setting, and what the plan expects."""
    setting = {"benchmark": "band_join", "set": given.set, "n": n, "k": given.distance, "views": given.views}
    expected = {"planned_s": round(plan.seconds, 2), "planned_comparisons": plan.comparisons}
    return setting | {"date": time.strftime("%Y-%m-%d"), "blocks": plan.num_blocks, "bands": len(plan.bands)} | expected


def write_nodes(place: Path, n: int, views: int, distance: int) -> Index:
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
        write_part(place / f"part-{part:04}.parquet", whole)
    return np.concatenate(pairs)


def write_words(place: Path, words: Words) -> None:
    """Write ``node_id, word_…`` of these fingerprints, ten million a file."""
    place.mkdir(parents=True)
    for part, begin in enumerate(range(0, len(words), PART)):
        write_part(place / f"part-{part:04}.parquet", words[begin : begin + PART])


def write_part(path: Path, words: Words) -> None:
    columns = {f"word_{view}": pa.array(words[:, view].copy().view(np.int64)) for view in range(words.shape[1])}
    pq.write_table(pa.table({"node_id": pa.array(node_ids(words))} | columns), path, row_group_size=100_000)


def make_plan(nodes: DataFrame, n: int, given: argparse.Namespace) -> BandPlan:
    sample = sample_nodes(nodes, max(n // SAMPLE, 1)).toArrow()
    words = np.unique(np.column_stack([column.to_numpy().view(np.uint64) for column in sample.columns]), axis=0)
    options = {"cores": 2, "max_shuffle_bytes": given.max_shuffle_bytes}
    return choose_plan(words, n + n // 50, max_distance=given.distance, num_blocks=given.blocks, **options)


def packed_join(nodes: DataFrame, plan: BandPlan, place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    for wave in range(len(plan.waves)):
        join_blocks(nodes, plan, wave=wave, all_pairs=False).write.mode("append").parquet(str(place))


def sql_join(nodes: DataFrame, plan: BandPlan, place: Path) -> None:
    build_edges_sql(nodes, plan).write.mode("overwrite").parquet(str(place))


def numpy_join(words: Words, plan: BandPlan) -> int:
    """The same bands in one process, one band in memory at a time."""
    found = 0
    for band in plan.bands:
        blocks = defaultdict(list)
        for begin in range(0, len(words), 2_000_000):
            for slot, block in explode_blocks(words[begin : begin + 2_000_000], plan, [band]):
                blocks[slot].append(block)
        while blocks:
            slot, chunks = blocks.popitem()
            found += len(join_block(slot, chunks, plan))
    return found


def check_planted(spark: SparkSession, found: Path, planted: Index) -> str:
    """Stop unless every planted pair is joined by a path of edges: forests leave out what others make up for."""
    nodes, labels = components_of(spark, found)
    places = np.searchsorted(nodes, planted)
    places[places == len(nodes)] = 0
    is_there = nodes[places] == planted
    joined = int((is_there.all(axis=1) & (labels[places[:, 0]] == labels[places[:, 1]])).sum())
    if joined != len(planted):
        raise SystemExit(f"{len(planted) - joined} of {len(planted)} planted pairs were missed")
    print(f"all {joined} planted pairs are found")
    return f"{joined} planted pairs"


def check_set(spark: SparkSession, found: Path, place: Path, max_distance: int) -> str:
    """Stop unless the components are those that other means find; say so where there are none."""
    table = pq.read_table(place).drop_columns(["node_id"])
    expected = (
        expected_components(table.column(0).to_numpy().view(np.uint64), max_distance)
        if table.num_columns == 1
        else None
    )
    nodes, labels = components_of(spark, found)
    if expected is None:
        print(f"{len(nodes)} nodes in {len(np.unique(labels))} components, not checked: too many to compare all pairs")
        return "not checked"
    if not (np.array_equal(nodes, expected[0]) and np.array_equal(labels, expected[1])):
        raise SystemExit("the components are not those of all pairs")
    print(f"{len(nodes)} nodes in {len(np.unique(labels))} components, as other means find them")
    return f"{len(nodes)} nodes in {len(np.unique(labels))} components"


def components_of(spark: SparkSession, found: Path) -> tuple[Index, Index]:
    edges = select_joined(spark.read.parquet(str(found))).toArrow()
    return connected_components(edges["src"].to_numpy(), edges["dst"].to_numpy())


def timed(action: Callable[[], object]) -> float:
    started = time.monotonic()
    action()
    return time.monotonic() - started


if __name__ == "__main__":
    main()
