"""Stage tables: re-used only when the settings are the same and the table is whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from simhash_udf.runtime.tables import WorkTables


@pytest.fixture
def counted(spark: SparkSession) -> tuple[Callable[[], DataFrame], list[int]]:
    """A frame builder and the list that grows whenever it runs."""
    calls: list[int] = []

    def build() -> DataFrame:
        calls.append(1)
        return spark.createDataFrame([(1, "甲"), (2, None)], "n long, t string")

    return build, calls


def stage_place(root: Path) -> Path:
    (place,) = root.iterdir()
    return place


def test_the_same_settings_re_use_the_table(spark: SparkSession, tmp_path: Path, counted: tuple) -> None:
    build, calls = counted
    first = WorkTables(spark, str(tmp_path)).table("s", {"k": 3}, build)
    again = WorkTables(spark, str(tmp_path))
    second = again.table("s", {"k": 3}, build)
    assert len(calls) == 1
    assert (first.rows, first.digest) == (second.rows, second.digest)
    assert sorted(first.frame.collect()) == sorted(second.frame.collect())
    assert second.frame.schema == first.frame.schema
    assert [record.is_reused for record in again.records] == [True]


def test_other_settings_make_another_table(spark: SparkSession, tmp_path: Path, counted: tuple) -> None:
    build, calls = counted
    tables = WorkTables(spark, str(tmp_path))
    digests = {tables.table("s", {"k": k}, build).digest for k in (3, 4)}
    assert (len(calls), len(digests)) == (2, 2)


def test_no_resume_makes_every_table_again(spark: SparkSession, tmp_path: Path, counted: tuple) -> None:
    build, calls = counted
    WorkTables(spark, str(tmp_path)).table("s", {}, build)
    WorkTables(spark, str(tmp_path), resume=False).table("s", {}, build)
    assert len(calls) == 2


@pytest.mark.parametrize("harm", ["no manifest", "half a manifest", "a file less", "a shorter file", "a file more"])
def test_a_table_that_is_not_whole_is_made_again(
    spark: SparkSession, tmp_path: Path, counted: tuple, harm: str
) -> None:
    build, calls = counted
    whole = WorkTables(spark, str(tmp_path)).table("s", {}, build).frame.collect()
    place = stage_place(tmp_path)
    manifest = place / "manifest.json"
    part = next((place / "data").glob("*.parquet"))
    if harm == "no manifest":
        manifest.unlink()
    elif harm == "half a manifest":
        manifest.write_text(manifest.read_text("utf-8")[:40], encoding="utf-8")
    elif harm == "a file less":
        part.unlink()
    elif harm == "a shorter file":
        part.write_bytes(part.read_bytes()[:-1])
    else:
        (place / "data" / "part-9.parquet").write_bytes(part.read_bytes())
    again = WorkTables(spark, str(tmp_path)).table("s", {}, build)
    assert len(calls) == 2
    assert sorted(again.frame.collect(), key=str) == sorted(whole, key=str)


def test_values_are_kept_like_tables(spark: SparkSession, tmp_path: Path) -> None:
    first = WorkTables(spark, str(tmp_path)).value("v", {"a": 1}, lambda: {"x": [0.1, None]})
    second = WorkTables(spark, str(tmp_path)).value("v", {"a": 1}, lambda: {"x": "not this"})
    other = WorkTables(spark, str(tmp_path)).value("v", {"a": 2}, lambda: {"x": "this"})
    assert (first, second, other) == ({"x": [0.1, None]}, first, {"x": "this"})


def test_scratch_tables_go_when_the_stage_that_made_them_is_written(spark: SparkSession, tmp_path: Path) -> None:
    tables = WorkTables(spark, str(tmp_path))

    def build() -> DataFrame:
        return tables.scratch("b", tables.scratch("a", spark.range(5).toDF("n")).filter("n > 2"))

    assert sorted(row.n for row in tables.table("s", {}, build).frame.collect()) == [3, 4]
    assert [place.name[:2] for place in tmp_path.iterdir()] == ["s-"]


def test_a_known_table_is_there_only_once_it_is_written(spark: SparkSession, tmp_path: Path, counted: tuple) -> None:
    tables = WorkTables(spark, str(tmp_path))
    assert tables.known_table("s", {"k": 3}) is None
    assert tables.known_value("v", {}) is None
    made = tables.table("s", {"k": 3}, counted[0])
    tables.value("v", {}, lambda: {"x": 1})
    known = tables.known_table("s", {"k": 3})
    assert known is not None
    assert (known.digest, known.rows) == (made.digest, made.rows)
    assert tables.known_table("s", {"k": 4}) is None
    assert tables.known_value("v", {}) == {"x": 1}
