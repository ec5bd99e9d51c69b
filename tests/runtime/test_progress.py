"""What is shown of a running stage: lines for people and machines, names in Spark, counts of tasks, and a bar."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import SparkSession

from simhash_udf.runtime.progress import log_stage, running_stage, shown_progress
from simhash_udf.runtime.tables import WorkTables
from simhash_udf.runtime.task_counts import JobGroupCounter, OperationCounter, TaskCounts

ROWS = 7_000


def run_tables(spark: SparkSession, place: Path, mode: str) -> None:
    with shown_progress(mode):
        tables = WorkTables(spark, str(place))
        tables.table("numbers", {}, lambda: spark.range(0, ROWS, 1, 3))
        tables.value("median", {}, lambda: {"median": 4})
        with tables.step("results"):
            pass


def stage_lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, str]]:
    messages = [record.getMessage() for record in caplog.records if record.name == "simhash_udf.stages"]
    return [dict(re.findall(r"(\w+)=(\S+)", message)) for message in messages]


def left_in_terminal(shown: str) -> list[str]:
    """The lines that stand in a terminal at the end; what follows a carriage return is written over what was there."""
    lines = []
    for line in shown.split("\n"):
        cells = ""
        for part in line.split("\r"):
            cells = part + cells[len(part) :]
        lines.append(cells.rstrip())
    return lines


def test_a_stage_has_a_line_when_it_begins_and_one_when_it_ends(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="simhash_udf"):
        run_tables(spark, tmp_path, "log")
        WorkTables(spark, str(tmp_path)).value("median", {}, dict)
    lines = stage_lines(caplog)
    assert [(line["stage"], line["state"]) for line in lines] == [
        ("numbers", "running"),
        ("numbers", "done"),
        ("median", "running"),
        ("median", "done"),
        ("results", "running"),
        ("results", "done"),
        ("median", "done"),
    ]
    assert (lines[1]["rows"], lines[1]["reused"]) == (str(ROWS), "false")
    assert float(lines[1]["seconds"]) > 0
    assert "rows" not in lines[5]
    assert lines[6]["reused"] == "true"


def test_off_means_no_lines_of_stages_and_lasts_as_long_as_the_job(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="simhash_udf"):
        run_tables(spark, tmp_path, "off")
        assert stage_lines(caplog) == []
        log_stage("later", rows=1, seconds=0.5, is_reused=False)
    assert [line["stage"] for line in stage_lines(caplog)] == ["later"]


def test_jobs_of_spark_have_the_name_of_the_stage_and_the_one_before_comes_back(spark: SparkSession) -> None:
    context = spark.sparkContext

    def described() -> str | None:
        return context.getLocalProperty("spark.job.description")

    before = described()
    with running_stage(spark, "edges"):
        assert described() == "edges"
        with running_stage(spark, "forest"):
            assert described() == "forest"
        assert described() == "edges"
    assert described() == before


def test_tasks_and_rows_of_a_job_group_are_counted(spark: SparkSession, tmp_path: Path) -> None:
    spark.range(0, ROWS, 1, 5).write.parquet(str(tmp_path / "numbers"))
    files = spark.read.parquet(str(tmp_path / "numbers"))
    counter = JobGroupCounter(spark, "counted")
    assert counter.counts() == TaskCounts(0, 0)
    spark.sparkContext.setJobGroup("counted", "a test")
    files.write.format("noop").mode("overwrite").save()
    first = counter.counts()
    files.groupBy((files.id % 3).alias("rest")).count().write.format("noop").mode("overwrite").save()
    for key in ("spark.jobGroup.id", "spark.job.description"):
        spark.sparkContext.setLocalProperty(key, None)  # type: ignore[arg-type]
    second = counter.counts()
    assert first.done == first.total > 0
    assert first.rows == ROWS
    assert second.done == second.total > first.total
    assert second.rows is not None
    assert second.rows > 2 * ROWS  # once more from the files, and some through a shuffle


def test_operations_of_a_connect_session_are_counted_by_its_handler() -> None:
    handlers: list[Any] = []
    session: Any = SimpleNamespace(registerProgressHandler=handlers.append, removeProgressHandler=handlers.remove)
    counter = OperationCounter(session)
    stages = [SimpleNamespace(num_tasks=4, num_completed_tasks=1), SimpleNamespace(num_tasks=2, num_completed_tasks=0)]
    handlers[0](stages=stages, inflight_tasks=2, operation_id="a", done=False)
    handlers[0](stages=stages[:1], inflight_tasks=0, operation_id="b", done=True)
    handlers[0](stages=None, inflight_tasks=0, operation_id="c", done=False)
    assert counter.counts() == TaskCounts(5, 10)
    counter.close()
    assert handlers == []


@pytest.mark.parametrize(("mode", "is_bar"), [("bar", True), ("auto", False), ("log", False)])
def test_a_bar_is_drawn_where_it_is_asked_for_and_goes_again(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], mode: str, is_bar: bool
) -> None:
    run_tables(spark, tmp_path, mode)  # standard error is no terminal here
    shown = capsys.readouterr().err
    assert ("numbers" in shown and "tasks" in shown) == is_bar
    assert not any("tasks" in line for line in left_in_terminal(shown))


def test_a_log_file_behind_standard_error_keeps_what_is_in_it(tmp_path: Path) -> None:
    """Under spark-submit standard error of the parent is looked at, which may be a file that others write to."""
    written = tmp_path / "run.log"
    look = "from simhash_udf.runtime.progress import find_terminal; print(find_terminal())"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {look!r}], stderr=subprocess.PIPE)"
    with written.open("w", encoding="utf-8") as stream:
        stream.write("lines of before\n")
        stream.flush()
        seen = subprocess.run(
            [sys.executable, "-c", parent],
            env=os.environ | {"PYSPARK_GATEWAY_PORT": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
            stderr=stream,
            check=True,
        )
    assert seen.stdout.strip() == b"None"
    assert written.read_text(encoding="utf-8") == "lines of before\n"
