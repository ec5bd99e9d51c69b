"""Small whole runs that the catalogue asks for and no other test makes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from simhash_udf.config import Settings
from simhash_udf.runtime import entry


def test_one_document_alone_is_a_result(dedup: Callable[..., Any]) -> None:
    results = dedup(pa.table({"id": [7], "text": ["渡口的船还没有来"]}), mode="filter")
    assert results.groups() == set()
    assert results.rows("documents") == [{"id": 7, "text": "渡口的船还没有来"}]
    counts = results.report["counts"]
    assert (counts["documents"], counts["kept"], counts["removed"], counts["groups"]) == (1, 1, 0, 0)
    assert (results.path / "_SUCCESS").exists()


@pytest.mark.processes
@pytest.mark.parametrize("keep", ["first", "last", "longest", "shortest"])
def test_each_group_keeps_one_member_of_its_own_and_singles_stay(dedup: Callable[..., Any], keep: str) -> None:
    texts = ["渡口的船", "渡口的船！", "渡口的船……", "山上有座庙", " 山上有座庙", "田里插秧"]
    results = dedup(pa.table({"id": range(6), "text": texts}), mode="filter", keep=(keep,), calibration="none")
    groups = results.groups()
    assert groups == {frozenset({0, 1, 2}), frozenset({3, 4})}
    kept = set(results.table("documents")["id"].to_pylist())
    assert [len(group & kept) for group in groups] == [1, 1]
    assert 5 in kept
    heads = {row["representative_id"] for row in results.rows("groups")}
    assert heads == kept - {5} == {row["doc_id"] for row in results.rows("groups") if row["is_representative"]}
    assert (results.report["counts"]["kept"], results.report["counts"]["removed"]) == (3, 3)


def test_a_fault_in_a_worker_is_exit_code_1_and_is_told(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, submit: Callable[..., Any], capsys: Any
) -> None:
    submit("--help-me")  # sets the logger up and puts it back afterwards
    out = tmp_path / "out"

    @F.udf("long")
    def broken(number: int) -> int:
        raise KeyError(f"row {number}")

    def job(session: SparkSession, _: Any) -> None:
        session.range(3).select(broken("id").alias("n")).write.parquet(str(out / "groups"))

    arguments = ["--input", str(tmp_path), "--output", str(out)]
    assert entry.run_job(Settings, job, description="dedup", arguments=arguments) == entry.EXIT_FAILED
    assert "KeyError: 'row " in capsys.readouterr().err
    assert not (out / "_SUCCESS").exists()
    assert list(out.rglob("*.parquet")) == []
