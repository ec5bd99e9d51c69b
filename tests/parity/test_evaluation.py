"""The evaluation on a labelled corpus gives the figures that the documentation gives of one view at k = 3."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from simhash_udf.config import validated
from simhash_udf.config_evaluation import EvaluateSettings
from simhash_udf.evaluate import run_evaluate

pytestmark = pytest.mark.shared


def test_one_view_of_word_counts_has_the_precision_and_recall_of_the_documentation(
    spark: SparkSession, shared_data: Path, tmp_path: Path
) -> None:
    place = str(shared_data / "zh_vsdocs_revisions.parquet")
    options = {"input": (place,), "labels": place, "output": str(tmp_path / "out")}
    options |= {"views": ("jieba",), "weight": "tf", "max_distance": 3}
    run_evaluate(spark, validated(EvaluateSettings, options))
    row = pq.read_table(tmp_path / "out" / "evaluation.parquet").to_pylist()[3]
    assert (row["views"], row["weight"], row["calibration"], row["max_distance"]) == ("jieba", "tf", "sample", 3)
    assert row["groups_precision"] == pytest.approx(0.992, abs=0.0006)
    assert row["groups_recall"] == pytest.approx(0.723, abs=0.0006)
    assert row["groups_precision_low"] < 0.992 < row["groups_precision_high"]
    assert row["edges_precision"] > row["groups_precision"]
