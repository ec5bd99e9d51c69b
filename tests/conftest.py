"""Shared fixtures: one Spark session for the whole run, whole runs of the job, and where the labelled corpora are."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from simhash_udf.config import Settings, validated
from simhash_udf.dedup import run_dedup
from simhash_udf.runtime import entry
from simhash_udf.runtime.session import RUNTIME_DEFAULTS
from tests.connect.server import connect_server

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def _logs_reach_pytest() -> None:
    """Undo what a test before did to the loggers: `configure_logging` cuts one off, a linter disables both."""
    for name in ("simhash_udf", "simhash_udf.stages"):
        logger = logging.getLogger(name)
        logger.disabled, logger.propagate = False, True


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session on two cores, in this process; with ``SIMHASH_TEST_CONNECT=1`` one on a Spark Connect server."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = RUNTIME_DEFAULTS | {
        "spark.sql.shuffle.partitions": "4",  # tests have few rows
        "spark.ui.enabled": "false",  # saves a second at the start
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.memory": "2g",
        "spark.sql.codegen.wholeStage": "false",
        # a short run: the second compiler costs more than it gains
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    with contextlib.ExitStack() as stack:
        if os.environ.get("SIMHASH_TEST_CONNECT"):
            server = stack.enter_context(connect_server(tmp_path_factory.mktemp("connect"), settings))
            session = SparkSession.builder.remote(server).getOrCreate()
        else:
            session = SparkSession.builder.master("local[2]").appName("tests").config(map=settings).getOrCreate()
        stack.callback(session.stop)
        yield session


@dataclass(frozen=True)
class Results:
    """What a run wrote, read with Arrow alone: Spark is what is tested."""

    path: Path

    @property
    def report(self) -> dict[str, Any]:
        return json.loads((self.path / "report.json").read_text(encoding="utf-8"))

    def table(self, name: str) -> pa.Table:
        """One table of the results, without the columns that its directory names hold."""
        files = sorted((self.path / name).rglob("*.parquet"))
        return pa.concat_tables([pq.ParquetFile(file).read() for file in files])

    def rows(self, name: str) -> list[dict[str, Any]]:
        """One table of the results in an order that depends on its rows alone."""
        return sorted(self.table(name).to_pylist(), key=repr)

    def groups(self) -> set[frozenset[Any]]:
        """The groups as sets of document ids."""
        members = defaultdict(set)
        for row in self.rows("groups"):
            members[row["group_id"]].add(row["doc_id"])
        return {frozenset(ids) for ids in members.values()}


@pytest.fixture(scope="session")
def dedup(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Results]:
    """A function that runs the job on an Arrow table, or on a path, and returns its results."""

    def run(documents: pa.Table | Path, **settings: Any) -> Results:
        directory = tmp_path_factory.mktemp("dedup")
        place = documents if isinstance(documents, Path) else directory / "in.parquet"
        if isinstance(documents, pa.Table):
            pq.write_table(documents, place)
        values = {"input": (str(place),), "output": str(directory / "out")} | settings
        run_dedup(spark, validated(Settings, values))
        return Results(Path(values["output"]))

    return run


@pytest.fixture
def submit(spark: SparkSession, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Iterator[Callable[..., Any]]:
    """A function that runs the job as its entry point does, in the session of the tests: exit code and error lines."""
    monkeypatch.setattr(entry, "start_session", lambda _: spark)
    monkeypatch.setattr(SparkSession, "stop", lambda _: None)
    logger = logging.getLogger("simhash_udf")
    before = (logger.handlers, logger.propagate, logger.level)

    def run(*arguments: object) -> tuple[int, list[str]]:
        code = entry.run_job(Settings, run_dedup, description="dedup", arguments=[str(word) for word in arguments])
        lines = capsys.readouterr().err.splitlines()
        return code, [line for line in lines if " ERROR " in line or line.startswith((" ", "Traceback"))]

    yield run
    logger.handlers, logger.propagate = before[:2]
    logger.setLevel(before[2])


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Directory of the labelled corpora: ``SHARED_DATA``, or ``../shared/data`` beside the checkout."""
    return Path(os.environ.get("SHARED_DATA", ROOT.parent / "shared" / "data"))
