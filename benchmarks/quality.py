"""Pairwise precision and recall of the groups against labelled clusters, for several settings.

    python benchmarks/quality.py --data DIR [--sets zh_lctt_ccbysa,zh_vsdocs_revisions]

Every set is a Parquet file with columns ``id, text, cluster``.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from simhash_udf import find_duplicates
from simhash_udf.runtime.session import start_session

SETTINGS: dict[str, dict[str, object]] = {
    "classic tf, k=3": {"calibration": "none"},
    "calibrated tf, k=3": {},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--sets", default="zh_lctt_ccbysa,zh_vsdocs_revisions")
    arguments = parser.parse_args()
    spark = start_session("quality")
    print(f"{'set':24} {'setting':22} {'precision':>9} {'recall':>7} {'F1':>6} {'seconds':>8}")
    for name in arguments.sets.split(","):
        for setting, options in SETTINGS.items():
            start = time.monotonic()
            precision, recall = score(spark, arguments.data / f"{name}.parquet", options)
            f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
            seconds = time.monotonic() - start
            print(f"{name:24} {setting:22} {precision:9.3f} {recall:7.3f} {f1:6.3f} {seconds:8.1f}", flush=True)
    spark.stop()


def score(spark: SparkSession, path: Path, options: dict[str, object]) -> tuple[float, float]:
    """Return pairwise precision and recall of the groups of one file."""
    labels = pq.read_table(path, columns=["id", "cluster"])
    cluster_of = dict(zip(labels["id"].to_pylist(), labels["cluster"].to_pylist(), strict=True))
    groups = find_duplicates(spark.read.parquet(str(path)), **options).select("doc_id", "group_id").toArrow()
    group_of = dict(zip(groups["doc_id"].to_pylist(), groups["group_id"].to_pylist(), strict=True))
    return pairwise(cluster_of, group_of)


def pairwise(cluster_of: dict[str, str], group_of: dict[str, int]) -> tuple[float, float]:
    """Return pairwise precision and recall of a partition; a document in no group stands alone."""
    true_pairs = _pairs(Counter(cluster_of.values()).values())
    found_pairs = _pairs(Counter(group_of.values()).values())
    both = _pairs(Counter((group, cluster_of[document]) for document, group in group_of.items()).values())
    return both / max(found_pairs, 1), both / max(true_pairs, 1)


def _pairs(sizes: Iterable[int]) -> int:
    return sum(size * (size - 1) // 2 for size in sizes)


if __name__ == "__main__":
    main()
