"""Groups of labelled corpora, with the settings that a user gets without setting anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from simhash_udf import find_duplicates

pytestmark = pytest.mark.shared


def num_pairs(sizes: Iterable[int]) -> int:
    return sum(size * (size - 1) // 2 for size in sizes)


def pairwise(cluster_of: dict[str, str], group_of: dict[str, int]) -> tuple[float, float]:
    """Precision and recall over pairs of documents; a document in no group stands alone."""
    found = num_pairs(Counter(group_of.values()).values())
    true = num_pairs(Counter(cluster_of.values()).values())
    both = num_pairs(Counter((group, cluster_of[name]) for name, group in group_of.items()).values())
    return both / found, both / true


@pytest.mark.parametrize("name", ["zh_lctt_ccbysa", "zh_vsdocs_revisions"])
def test_the_defaults_reach_a_precision_of_98_and_a_recall_of_60_per_cent(
    spark: SparkSession, shared_data: Path, name: str
) -> None:
    place = shared_data / f"{name}.parquet"
    labels = pq.read_table(place, columns=["id", "cluster"])
    cluster_of = dict(zip(labels["id"].to_pylist(), labels["cluster"].to_pylist(), strict=True))
    groups = find_duplicates(spark.read.parquet(str(place))).select("doc_id", "group_id").toArrow()
    group_of = dict(zip(groups["doc_id"].to_pylist(), groups["group_id"].to_pylist(), strict=True))
    precision, recall = pairwise(cluster_of, group_of)
    assert precision >= 0.98
    assert recall >= 0.60
