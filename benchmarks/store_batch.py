"""A night's batch against a store of a hundred million: the whole run from fingerprints on, and the join it replaces.

    python -m benchmarks.store_batch --stored 1e8 --batch 1e6 [--distance 3] [--views 1] [--join]

The store's files are written directly: random fingerprints, ids, and a manifest. Of the batch every 50th document is a
stored one with up to k bits turned, every 100th one of the batch itself, and every 1000th has the text of a stored one.
All of them must be found, with the id of the stored document that they were made from. ``--join`` measures the packed
join of store and batch together in the same session.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from benchmarks.local_session import start
from benchmarks.monitor import Monitor
from simhash_udf import schema
from simhash_udf.config import Settings, validated
from simhash_udf.kernel.bits import node_ids
from simhash_udf.kernel.recipe import Recipe, View
from simhash_udf.pipeline.fingerprinting import Fingerprinted
from simhash_udf.pipeline.joining import join_nodes
from simhash_udf.pipeline.planning import plan_join
from simhash_udf.runtime.session import RUNTIME_DEFAULTS
from simhash_udf.runtime.tables import StageRecord, StageTable, WorkTables
from simhash_udf.stages.fingerprints import select_nodes
from simhash_udf.store import layout
from simhash_udf.store.adding import Addition, Batch, add_batch, schemas_of
from simhash_udf.store.claim import acquire
from simhash_udf.store.files import describe_files
from simhash_udf.store.frames import StoreFrames
from simhash_udf.store.manifest import Manifest, RunRecord
from simhash_udf.store.publishing import enter, now, publish
from simhash_udf.store.specification import specify
from simhash_udf.store_schema import stored as stored_schema

Words = NDArray[np.uint64]

PART = 5_000_000
EVERY_NEAR, EVERY_SELF, EVERY_SAME = 50, 100, 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stored", type=float, default=1e7)
    parser.add_argument("--batch", type=float, default=1e6)
    parser.add_argument("--distance", type=int, default=3)
    parser.add_argument("--views", type=int, default=1)
    parser.add_argument("--join", action="store_true", help="also the packed join of both")
    parser.add_argument("--directory", type=Path, default=Path(tempfile.gettempdir()) / "store_batch_benchmark")
    parser.add_argument("--keep", action="store_true", help="leave the store for another call with the same sizes")
    parser.add_argument("--driver-memory", default="4g")
    given = parser.parse_args()
    store = given.directory / f"store-{given.stored:.0e}-{given.views}"
    started = time.monotonic()
    if not store.exists():
        write_store(store, int(given.stored), given.views)
        print(f"made a store of {given.stored:.0e} documents in {time.monotonic() - started:.0f} s", flush=True)
    run(given, store)
    if not given.keep:
        shutil.rmtree(given.directory)


def stored_words(part: int, n: int, views: int) -> Words:
    """The fingerprints of one file of the store, the same in every call."""
    return np.random.default_rng([1, part, views]).integers(0, 2**64, (n, views), dtype=np.uint64)


def parts_of(n: int) -> list[tuple[int, int]]:
    return [(part, min(PART, n - begin)) for part, begin in enumerate(range(0, n, PART))]


def ids_of(part: int, n: int) -> pa.Array:
    return pa.array([f"old-{part * PART + number:010d}" for number in range(n)])


def columns_of(words: Words, doc_ids: pa.Array, digests: NDArray[np.int64]) -> dict[str, pa.Array]:
    """Columns of table fingerprints."""
    signed = words.view(np.int64)
    n, views = words.shape
    columns = {
        "doc_id": doc_ids,
        "fingerprint": pa.array(signed[:, 0]),
        "feature_count": pa.array(np.full(n, 300), pa.int32()),
        "text_length": pa.array(digests & 4095, pa.int32()),
        "text_digest": pa.array(digests),
        "is_cut": pa.array(np.zeros(n, bool)),
    }
    if views > 1:
        offsets = pa.array(np.arange(n + 1) * views, pa.int32())
        columns["fingerprints"] = pa.ListArray.from_arrays(offsets, pa.array(signed.reshape(-1)))
        columns["node_id"] = pa.array(node_ids(words))
    return columns


def digests_of(words: Words) -> NDArray[np.int64]:
    """A digest that is another one for every text: the node id turned around."""
    return ~node_ids(words)


def write_store(store: Path, n: int, views: int) -> None:
    """Write a store of one run, without a group."""
    directory = layout.data_directory(1, "benchmark")
    place = store / directory / layout.FINGERPRINTS
    place.mkdir(parents=True)
    for part, size in parts_of(n):
        words = stored_words(part, size, views)
        columns = columns_of(words, ids_of(part, size), digests_of(words))
        columns["id_hash"] = pa.array(np.random.default_rng([2, part]).integers(-(2**63), 2**63 - 1, size))
        columns["run_id"] = pa.array(["first"] * size)
        pq.write_table(pa.table(columns), place / f"part-{part:04}.parquet", row_group_size=1_000_000)
    recipe = recipe_of(views)
    fields = stored_schema(T.StringType(), views, [])
    manifest = Manifest(
        version=1,
        run_id="first",
        created=now(),
        specification=specify(recipe, id_type="string", keep=("first",), keep_types={}),
        max_distance=8,
        schemas=schemas_of(fields),
        runs=(RunRecord("first", 1, now(), "", "", 8, 256, {}),),
        counts={"documents": n, "groups": 0, "members": 0},
        tables={layout.FINGERPRINTS: describe_files(str(store), f"{directory}/{layout.FINGERPRINTS}")},
    )
    claim = acquire(str(store), "benchmark", wait_s=0)
    publish(str(store), manifest, claim)
    claim.release()


def recipe_of(views: int) -> Recipe:
    return Recipe(views=tuple(View("char", bits) for bits in range(views)))


def make_batch(n: int, stored: int, views: int, distance: int) -> tuple[pa.Table, dict[str, str]]:
    """The batch, and of each planted document the stored one that it repeats."""
    draw = np.random.default_rng(7)
    words = draw.integers(0, 2**64, (n, views), dtype=np.uint64)
    ids = [f"new-{number:010d}" for number in range(n)]
    # 1 near a stored document, all files of the store in turn
    parts = parts_of(stored)
    near = np.arange(0, n, EVERY_NEAR)
    planted = {}
    for part, size in parts:
        mine = near[part :: len(parts)]
        rows = draw.choice(size, len(mine), replace=False)
        words[mine] = turned(draw, stored_words(part, size, views)[rows], distance)
        pairs = zip(mine.tolist(), rows.tolist(), strict=True)
        planted |= {ids[new]: f"old-{part * PART + row:010d}" for new, row in pairs}
    digests = digests_of(words)
    # 2 the very text of a stored document
    same = near[:: EVERY_SAME // EVERY_NEAR]
    originals = {part: stored_words(part, size, views) for part, size in parts if part < 2}
    for new in same.tolist():
        number = int(planted[ids[new]].removeprefix("old-"))
        if number // PART in originals:
            words[new] = originals[number // PART][number % PART]
            digests[new] = digests_of(words[new : new + 1])[0]
    # 3 near a document of the batch
    selves = np.arange(1, n, EVERY_SELF)
    words[selves] = turned(draw, words[selves + 1 if n > 2 else selves], distance)
    digests[selves] = digests_of(words[selves])
    return pa.table(columns_of(words, pa.array(ids), digests)), planted


def turned(draw: np.random.Generator, words: Words, distance: int) -> Words:
    """Words with up to so many bits turned."""
    words = words.copy()
    for _ in range(distance):
        words ^= np.uint64(1) << draw.integers(0, 64, words.shape, dtype=np.uint64)
    return words


def run(given: argparse.Namespace, store: Path) -> None:
    batch, planted = make_batch(int(given.batch), int(given.stored), given.views, given.distance)
    given.directory.mkdir(exist_ok=True)
    pq.write_table(batch, given.directory / "batch.parquet", row_group_size=250_000)
    spark = start(given.directory, given.driver_memory, settings=RUNTIME_DEFAULTS)
    fields = schema.fingerprints(T.StringType(), given.views)
    frame = spark.read.schema(fields).parquet(str(given.directory / "batch.parquet"))
    frame.limit(1).collect()  # Spark is up
    with Monitor(given.directory / "spark") as monitor:
        started = time.monotonic()
        manifest, stages = add(spark, store, frame, given)
        seconds = time.monotonic() - started
    print(f"batch of {given.batch:.0e} into a store of {given.stored:.0e}: {seconds:.1f} s; {monitor.describe()}")
    print("  " + ", ".join(f"{record.stage} {record.seconds:.1f} s" for record in stages), flush=True)
    check(spark, store, manifest, planted)
    undo(store, manifest)
    if given.join:
        measure_join(spark, store, frame, given, seconds)
    spark.stop()


def add(
    spark: SparkSession, store: Path, frame: DataFrame, given: argparse.Namespace
) -> tuple[Manifest, list[StageRecord]]:
    """What a run does from its fingerprints on, in a work directory as a run has it."""
    settings: Settings = validated(
        Settings,
        {"store": str(store), "run_id": "tonight", "views": ("char",) * given.views, "max_distance": given.distance},
    )
    tables = WorkTables(spark, str(given.directory / "work"), resume=False)
    rows = int(given.batch)
    recipe = recipe_of(given.views)
    counts = {"documents": rows, "without_fingerprint": 0}
    made = Fingerprinted(StageTable(frame, "batch", rows), StageTable(frame.limit(0), "none", 0), recipe, counts)
    specification = specify(recipe, id_type="string", keep=settings.keep, keep_types={})
    claim = acquire(str(store), "benchmark", wait_s=0)
    base = enter(str(store), claim)
    addition = Addition(StoreFrames(spark, str(store), base), base.version, claim, settings, tables, 2)
    manifest, _ = add_batch(addition, Batch(made, None, specification, "", ""))
    claim.release()
    shutil.rmtree(given.directory / "work")
    return manifest, tables.records


def check(spark: SparkSession, store: Path, manifest: Manifest, planted: dict[str, str]) -> None:
    """Every planted document must be answered with the stored one that it was made from."""
    frames = StoreFrames(spark, str(store), manifest)
    answers = frames.table(layout.ANSWERS).filter(F.col("answer") == "duplicate")
    found = dict(map(tuple, answers.select("doc_id", "duplicate_of").toArrow().to_pandas().itertuples(index=False)))
    wrong = [doc_id for doc_id, old in planted.items() if found.get(doc_id) != old]
    counts = manifest.runs[-1].counts
    print(
        f"  {len(planted) - len(wrong):,} of {len(planted):,} planted duplicates with the right stored id; "
        f"{counts['new']:,} new, {counts['duplicate']:,} duplicates, {counts['first_duplicate']:,} stored documents "
        f"with their first duplicate",
        flush=True,
    )
    if wrong:
        raise SystemExit(f"planted duplicates were missed, the first is {wrong[0]}: {found.get(wrong[0])}")


def undo(store: Path, manifest: Manifest) -> None:
    """Take the version away again, for another call."""
    for version in range(2, manifest.version + 1):
        (store / layout.MANIFESTS / layout.numbered(version)).unlink()


def measure_join(spark: SparkSession, store: Path, frame: DataFrame, given: argparse.Namespace, batch_s: float) -> None:
    """The packed join of store and batch together: pairs of nodes alone, without ids."""
    files = sorted((store / layout.DATA).rglob("part-*.parquet"))
    fields = stored_schema(T.StringType(), given.views, [])
    old = select_nodes(spark.read.schema(fields).parquet(*map(str, files)), num_views=given.views)
    both = old.unionByName(select_nodes(frame, num_views=given.views))
    settings: Settings = validated(Settings, {"views": ("char",) * given.views, "max_distance": given.distance})
    started = time.monotonic()
    plan = plan_join(both, int(given.stored + given.batch), settings, 2)
    tables = WorkTables(spark, str(given.directory / "join"), resume=False)
    join_nodes(both, plan, settings, tables, {"join": "both"})
    seconds = time.monotonic() - started
    shutil.rmtree(given.directory / "join")
    print(f"  packed join of both, pairs alone: {seconds:.1f} s; join / batch = {seconds / batch_s:.1f}", flush=True)


if __name__ == "__main__":
    main()
