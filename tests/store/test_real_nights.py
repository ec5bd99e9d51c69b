"""Thirty nights of real documents: the groups of one run, after the last night and after every kind of upkeep."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from benchmarks.store_nights import compact, deal, partition_of_store, rebuild, run_nights, run_whole
from simhash_udf.store.checking import verify_store
from simhash_udf.store.manifest import open_store

pytestmark = pytest.mark.shared

NIGHTS, DOCUMENTS = 30, 900
FAR = ["--max-distance", "8"]  # so that a document joins groups that were apart


def test_thirty_nights_end_in_the_groups_of_one_run(spark: SparkSession, tmp_path: Path, shared_data: Path) -> None:
    documents = pq.read_table(shared_data / "zh_vsdocs_revisions.parquet", columns=["id", "text"]).slice(0, DOCUMENTS)
    whole, thresholds = run_whole(spark, documents, tmp_path, FAR)
    assert len(whole) > DOCUMENTS / 10
    store = tmp_path / "store"
    nights = list(run_nights(spark, deal(documents, NIGHTS, tmp_path), store, [*FAR, *thresholds]))
    runs = open_store(str(store)).runs
    assert len(nights) == len(runs) == NIGHTS
    # versions of a page come in different nights
    assert sum(run.counts["first_duplicate"] for run in runs) > len(whole) / 2
    assert sum(run.counts["merged"] for run in runs) > 0
    assert partition_of_store(spark, store) == whole
    compact(spark, store)
    assert partition_of_store(spark, store) == whole
    rebuild(spark, store)
    assert partition_of_store(spark, store) == whole
    assert "is whole" in verify_store(str(store))
