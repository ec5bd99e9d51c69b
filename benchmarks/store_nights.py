"""A corpus dealt into nights: what each costs, how the store grows, and that its groups are those of one run.

    python -m benchmarks.store_nights --documents FILE.parquet [--nights 30] [--limit 2000] [--options '--views char']

The documents (columns ``id`` and ``text``) are dealt out by chance, so that versions of one page come in many nights.
One run over all of them gives the groups to be met and the thresholds; then the nights go into a store one after
another. The partition into groups has to be that of the one run after the last night, after ``compact`` and after
``rebuild``.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from benchmarks.local_session import start
from simhash_udf.config import Settings
from simhash_udf.dedup import run_dedup
from simhash_udf.runtime.options import load_settings
from simhash_udf.runtime.session import RUNTIME_DEFAULTS
from simhash_udf.store.checking import verify_store
from simhash_udf.store.compacting import compact_store
from simhash_udf.store.frames import StoreFrames
from simhash_udf.store.manifest import open_store
from simhash_udf.store.rebuilding import rebuild_store
from simhash_udf.store.views import members_of_store

Partition = set[frozenset[str]]


@dataclass(frozen=True)
class Night:
    """What one night took, and what the store has after it."""

    number: int
    documents: int
    seconds: float
    stored: int
    groups: int
    files: int
    size: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=Path, required=True)
    parser.add_argument("--nights", type=int, default=30)
    parser.add_argument("--limit", type=int, help="the first so many documents")
    parser.add_argument("--options", default="", help="more options of jobs/dedup.py")
    parser.add_argument("--output", action="store_true", help="each night writes its results too")
    parser.add_argument("--directory", type=Path, default=Path(tempfile.gettempdir()) / "store_nights_benchmark")
    parser.add_argument("--driver-memory", default="2g")
    given = parser.parse_args()
    shutil.rmtree(given.directory, ignore_errors=True)
    given.directory.mkdir(parents=True)
    documents = pq.read_table(given.documents, columns=["id", "text"])
    documents = documents.slice(0, given.limit or len(documents))
    spark = start(given.directory, given.driver_memory, settings=RUNTIME_DEFAULTS)
    options = shlex.split(given.options)
    started = time.monotonic()
    whole, thresholds = run_whole(spark, documents, given.directory, options)
    print(f"one run over {len(documents):,} documents: {time.monotonic() - started:.1f} s, {len(whole):,} groups")
    store = given.directory / "store"
    options = [
        *options,
        *thresholds,
        *(["--output", str(given.directory / "out"), "--overwrite"] if given.output else []),
    ]
    nights = run_nights(spark, deal(documents, given.nights, given.directory), store, options)
    for night in nights:
        print(describe(night), flush=True)
    check("the last night", partition_of_store(spark, store), whole)
    for name, change in (("compact", compact), ("rebuild", rebuild)):
        started = time.monotonic()
        print(f"{change(spark, store)}; {time.monotonic() - started:.1f} s")
        check(name, partition_of_store(spark, store), whole)
    print(verify_store(str(store)))
    spark.stop()
    shutil.rmtree(given.directory)


def deal(documents: pa.Table, nights: int, directory: Path) -> list[Path]:
    """Write the documents into one file a night, by chance, the same in every call."""
    night = np.random.default_rng(0).integers(0, nights, len(documents))
    places = [directory / f"night-{number:02}.parquet" for number in range(nights)]
    for number, place in enumerate(places):
        pq.write_table(documents.filter(pa.array(night == number)), place)
    return places


def run_whole(
    spark: SparkSession, documents: pa.Table, directory: Path, options: Sequence[str] = ()
) -> tuple[Partition, list[str]]:
    """The groups of one run without a store, and the option by which others read texts as it did."""
    place, output = directory / "whole.parquet", directory / "whole"
    pq.write_table(documents, place)
    dedup(spark, ["--input", place, "--output", output, *options])
    return partition_of(spark.read.parquet(str(output / "groups"))), ["--calibration", str(output / "thresholds.json")]


def run_nights(spark: SparkSession, batches: Sequence[Path], store: Path, options: Sequence[str]) -> Iterator[Night]:
    """Give a store its nights, one after another."""
    for number, batch in enumerate(batches):
        started = time.monotonic()
        dedup(spark, ["--store", store, "--run-id", f"night-{number:02}", "--input", batch, *options])
        seconds, manifest = time.monotonic() - started, open_store(str(store))
        files = [file for table in manifest.tables.values() for file in table]
        yield Night(
            number,
            pq.read_metadata(batch).num_rows,
            seconds,
            manifest.counts["documents"],
            manifest.counts["groups"],
            len(files),
            sum(file.bytes for file in files),
        )


def dedup(spark: SparkSession, arguments: Sequence[object]) -> None:
    """The job with a command line, in a session that is there."""
    settings: Settings = load_settings(Settings, "nights", [str(argument) for argument in arguments], {})
    run_dedup(spark, settings)


def compact(spark: SparkSession, store: Path) -> str:
    return compact_store(spark, str(store), wait_s=0)


def rebuild(spark: SparkSession, store: Path) -> str:
    limits = open_store(str(store)).runs[-1]
    return rebuild_store(
        spark,
        str(store),
        max_distance=limits.max_distance,
        max_total_distance=limits.max_total_distance,
        wait_s=0,
    )


def partition_of_store(spark: SparkSession, store: Path) -> Partition:
    return partition_of(members_of_store(StoreFrames(spark, str(store), open_store(str(store)))))


def partition_of(groups: DataFrame) -> Partition:
    """Groups as sets of document ids."""
    members = defaultdict(set)
    for row in groups.select("doc_id", "group_id").collect():
        members[row["group_id"]].add(row["doc_id"])
    return {frozenset(ids) for ids in members.values()}


def check(when: str, found: Partition, wanted: Partition) -> None:
    if found != wanted:
        raise SystemExit(f"after {when} {len(found ^ wanted)} groups differ from those of one run")
    print(f"after {when}: the {len(wanted):,} groups of one run", flush=True)


def describe(night: Night) -> str:
    return (
        f"night {night.number:2}: {night.documents:6,} documents {night.seconds:5.1f} s; store: {night.stored:7,} "
        f"documents, {night.groups:6,} groups, {night.files:3} files, {night.size / 1e6:6.2f} MB"
    )


if __name__ == "__main__":
    main()
