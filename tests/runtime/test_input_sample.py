"""A few files in place of a whole input."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from simhash_udf.config import InputSettings
from simhash_udf.runtime.input_sample import choose_files, sample_input
from simhash_udf.runtime.inputs import Source, read_source


def write(spark: SparkSession, place: Path, rows: int, files: int, file_format: str) -> None:
    frame = spark.range(0, rows, 1, files).selectExpr("id", "repeat('甲', 50) AS text")
    frame.write.format(file_format).save(str(place))


@pytest.mark.parametrize(("file_format", "slack"), [("parquet", 0), ("json", 400)])
def test_some_files_stand_for_all(spark: SparkSession, tmp_path: Path, file_format: str, slack: int) -> None:
    write(spark, tmp_path / "附 件", 4000, 20, file_format)
    settings = InputSettings(input=(str(tmp_path / "附 件"),), input_format=file_format)
    source = read_source(spark, settings)
    some = sample_input(source, settings, wanted_bytes=source.bytes / 5)
    assert some.rows == some.frame.count() == 4000 / 20 * len(some.frame.inputFiles())
    assert 2 <= len(some.frame.inputFiles()) <= 5
    assert abs(some.all_rows - 4000) <= slack
    assert some.frame.schema == source.frame.schema
    ids = {row.id for row in some.frame.collect()}
    assert ids == {row.id for row in sample_input(source, settings, wanted_bytes=source.bytes / 5).frame.collect()}
    assert ids < set(range(4000))


def test_a_small_input_and_one_without_files_are_taken_whole(spark: SparkSession, tmp_path: Path) -> None:
    write(spark, tmp_path / "in", 30, 2, "parquet")
    settings = InputSettings(input=(str(tmp_path / "in"),))
    whole = sample_input(read_source(spark, settings), settings, wanted_bytes=1.0)
    assert (whole.rows, whole.all_rows) == (30, 30)
    made = Source(spark.range(7).toDF("id"), "digest", 0, 2)
    assert sample_input(made, InputSettings(), wanted_bytes=1.0).all_rows == 7


def test_files_are_chosen_by_their_names_alone_and_patterns_left_out() -> None:
    files = [f"file:/in/part-{number:04}.parquet" for number in range(100)]
    chosen = choose_files(files, 1e9, 5e7)
    assert len(set(chosen)) == 5
    assert choose_files(files[::-1], 1e9, 5e7) == chosen
    encoded = choose_files(["a%20b", "c", "[d]", "e"], 40, 10)
    assert len(encoded) == 2
    assert set(encoded) < {"a b", "c", "e"}
    assert choose_files(["[a]", "[b]", "[c]"], 30, 10) == ["[a]", "[b]", "[c]"]
