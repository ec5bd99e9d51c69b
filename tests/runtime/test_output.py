"""The output directory: what is refused, what is replaced, what marks it as whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from simhash_udf.errors import InputError, SettingError
from simhash_udf.runtime.output import OutputDirectory


def output_at(path: Path, *inputs: Path, overwrite: bool = False) -> OutputDirectory:
    return OutputDirectory(str(path), inputs=[str(place) for place in inputs], overwrite=overwrite)


@pytest.mark.parametrize("name", ["in", "in/out", ".", "in/../in"])
def test_an_output_that_meets_the_input_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "in").mkdir()
    with pytest.raises(SettingError, match="is, holds or lies in the input"):
        output_at(tmp_path / name, tmp_path / "in", overwrite=True)


def test_no_output_is_refused() -> None:
    with pytest.raises(SettingError, match="output is required"):
        OutputDirectory("", inputs=[], overwrite=False)


def test_foreign_files_are_refused_even_to_overwrite(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match=r"holds other files \(thesis.txt\)"):
        output_at(tmp_path, overwrite=True)
    assert (tmp_path / "thesis.txt").exists()


def test_results_are_kept_unless_told_to_overwrite(tmp_path: Path, spark: SparkSession) -> None:
    first = output_at(tmp_path / "out")
    first.begin()
    first.write_table("groups", spark.range(3))
    first.finish()
    with pytest.raises(InputError, match="holds results already"):
        output_at(tmp_path / "out")
    second = output_at(tmp_path / "out", overwrite=True)
    assert second.has_results()
    second.begin()
    assert not second.has_results()
    assert not (tmp_path / "out" / "groups").exists()


def test_an_unfinished_run_can_go_on(tmp_path: Path, spark: SparkSession) -> None:
    first = output_at(tmp_path / "out")
    first.begin()
    first.write_table("groups", spark.range(3))
    again = output_at(tmp_path / "out")
    again.begin()
    again.write_table("groups", spark.range(5))
    again.finish()
    assert spark.read.parquet(str(tmp_path / "out" / "groups")).count() == 5
    assert not (tmp_path / "out" / "_STARTED").exists()


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_small_tables_are_few_files(tmp_path: Path, spark: SparkSession, adaptive: str) -> None:
    output = output_at(tmp_path / "out")
    output.begin()
    before = spark.conf.get("spark.sql.adaptive.enabled")
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    try:
        output.write_table("groups", spark.range(1000).repartition(50))
    finally:
        spark.conf.set("spark.sql.adaptive.enabled", before)
    files = list((tmp_path / "out" / "groups").glob("*.parquet"))
    assert 1 <= len(files) <= 4
    assert spark.read.parquet(str(tmp_path / "out" / "groups")).count() == 1000
