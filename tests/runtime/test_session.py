"""The session of a job: what spark-submit was given wins over our defaults."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from simhash_udf.runtime.spark_errors import as_setting_error

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import json
from simhash_udf.runtime.session import start_session

spark = start_session("session")
names = ("spark.master", "spark.sql.execution.arrow.maxRecordsPerBatch", "spark.sql.legacy.parquet.nanosAsLong")
print("found", json.dumps({name: spark.conf.get(name) for name in names}))
"""
BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"


@pytest.mark.processes
@pytest.mark.parametrize(
    ("options", "master", "batch"),
    [(["--master", "local[3]", "--conf", f"{BATCH}=77"], "local[3]", "77"), ([], "local[*]", "2000")],
    ids=["master and a setting", "nothing"],
)
def test_what_spark_submit_is_given_wins(tmp_path: Path, options: list[str], master: str, batch: str) -> None:
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SPARK_")}
    environment |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": str(ROOT)}
    submit = [str(Path(pyspark.__file__).parent / "bin" / "spark-submit"), *options, str(tmp_path / "script.py")]
    shown = subprocess.run(submit, env=environment, capture_output=True, text=True, check=False)
    (line,) = [line for line in shown.stdout.splitlines() if line.startswith("found ")] or [shown.stderr[-2000:]]
    found = json.loads(line.removeprefix("found "))
    assert found == {"spark.master": master, BATCH: batch, "spark.sql.legacy.parquet.nanosAsLong": "true"}


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (
            "An error occurred while calling None.org.apache.spark.api.java.JavaSparkContext.\n: java.lang."
            "IllegalArgumentException: Executor memory 314572800 must be at least 471859200.\n\tat org.x",
            "Spark does not start with these settings: Executor memory 314572800 must be at least 471859200.",
        ),
        (
            "An error occurred.\n: java.nio.file.NoSuchFileException: /lake/environment.tar.gz\n\tat java.base/sun.nio",
            "Spark does not start with these settings: /lake/environment.tar.gz is not there",
        ),
        (
            "An error occurred.\n: org.apache.spark.SparkException: Could not parse Master URL: 'spark//host'\n\tat x",
            "Spark does not start with these settings: Could not parse Master URL: 'spark//host'",
        ),
    ],
)
def test_a_setting_that_spark_refuses_becomes_one_line(said: str, line: str) -> None:
    assert str(as_setting_error(Exception(said))) == line


def test_a_cluster_that_is_away_is_no_fault_of_a_setting() -> None:
    assert as_setting_error(Exception("SparkException: All masters are unresponsive! Giving up.")) is None
