"""The plan before the run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from simhash_udf.config import Settings, validated
from simhash_udf.dedup import run_dedup
from simhash_udf.kernel.recipe import Recipe, View
from simhash_udf.pipeline import preview
from simhash_udf.pipeline.planning import plan_join
from simhash_udf.pipeline.preview import preview_plan
from simhash_udf.runtime.inputs import Source, read_source
from simhash_udf.runtime.recipes import make_recipe
from simhash_udf.runtime.tables import WorkTables
from simhash_udf.sample import generate_documents
from simhash_udf.stages.fingerprints import select_nodes


def documents(count: int) -> pa.Table:
    rows = [(d.id, d.text) for d in generate_documents(count) if d.text is not None]
    return pa.table({"id": [row[0] for row in rows], "text": [row[1] for row in rows]})


def write_fingerprints(place: Path, rows: int, files: int, views: int = 1) -> None:
    place.mkdir()
    for number in range(files):
        words = np.random.default_rng(number).integers(-(2**63), 2**63 - 1, (rows // files, views))
        columns = {
            "doc_id": pa.array(range(number * len(words), (number + 1) * len(words))),
            "fingerprint": words[:, 0],
        }
        if views > 1:
            columns |= {"fingerprints": pa.array(words.tolist()), "node_id": words.sum(axis=1)}
        pq.write_table(pa.table(columns), place / f"part-{number:03}.parquet")


def test_a_preview_has_the_plan_of_the_settings(spark: SparkSession) -> None:
    frame = spark.createDataFrame(documents(60).to_pylist(), "id string, text string")
    settings = validated(Settings, {"max_distance": 4, "num_blocks": 6})
    plan = preview_plan(Source(frame, "digest", 0, 2), settings, Recipe())
    assert (plan.max_distance, plan.num_blocks, len(plan.bands)) == (4, 6, 15)
    assert plan.num_records_in == frame.count()
    assert "4" in plan.describe()


def test_documents_of_some_files_are_planned_for_all(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = documents(900)
    (tmp_path / "in").mkdir()
    for number in range(9):
        pq.write_table(table.slice(number * 90, 90), tmp_path / "in" / f"part-{number}.parquet")
    settings = validated(Settings, {"input": (str(tmp_path / "in"),)})
    source = read_source(spark, settings)
    monkeypatch.setattr(preview, "SAMPLE_BYTES", source.bytes / 4)
    monkeypatch.setattr(preview, "SAMPLE_DOCUMENTS", 100)
    plan = preview_plan(source, settings, make_recipe(settings))
    assert plan.num_records_in == source.frame.count() == 810


@pytest.mark.parametrize("views", [1, 2])
def test_a_table_of_fingerprints_is_planned_as_it_is(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, views: int
) -> None:
    write_fingerprints(tmp_path / "fingerprints", 6000, 12, views)
    settings = validated(Settings, {"input": (str(tmp_path / "fingerprints"),), "views": ("jieba",) * views})
    source = read_source(spark, settings)
    monkeypatch.setattr(preview, "SAMPLE_BYTES", source.bytes / 4)
    plan = preview_plan(source, settings, Recipe(views=tuple(View("jieba", bits) for bits in range(views))))
    assert (plan.num_records_in, plan.num_views) == (6000, views)
    of_all = plan_join(select_nodes(source.frame, num_views=views), 6000, settings, 2)
    assert plan.num_blocks == of_all.num_blocks
    assert 0.5 < plan.comparisons / of_all.comparisons < 2


def test_fingerprints_of_an_earlier_run_are_planned_without_reading_a_text(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pq.write_table(documents(150), tmp_path / "in.parquet")
    values: dict[str, Any] = {
        "input": (str(tmp_path / "in.parquet"),),
        "output": str(tmp_path / "out"),
        "work_dir": str(tmp_path / "work"),
    }
    run_dedup(spark, validated(Settings, values))
    capsys.readouterr()

    def fail(*_: Any) -> Callable[..., Any]:
        raise AssertionError("a text is read")

    monkeypatch.setattr(preview, "_plan_of_documents", fail)
    run_dedup(spark, validated(Settings, values | {"plan": True, "max_distance": 5}))
    assert "within 5 bits" in capsys.readouterr().out
    # other fingerprints are not there
    with pytest.raises(AssertionError, match="a text is read"):
        run_dedup(spark, validated(Settings, values | {"plan": True, "tokenizer": "char"}))
    settings = validated(Settings, values)
    uncalibrated = validated(Settings, values | {"calibration": "none"})
    for wanted in (settings, uncalibrated):
        found = preview.known_fingerprints(
            read_source(spark, wanted), wanted, make_recipe(wanted), WorkTables(spark, str(tmp_path / "work"))
        )
        assert (found is not None) == (wanted is settings)
