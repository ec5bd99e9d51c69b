"""Shared fixtures: one Spark session for the whole run, and where the labelled corpora are."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from simhash_udf.runtime.session import RUNTIME_DEFAULTS

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A local session on two cores."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").appName("tests")
    settings = RUNTIME_DEFAULTS | {
        "spark.sql.shuffle.partitions": "4",  # tests have few rows
        "spark.ui.enabled": "false",  # saves a second at the start
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.memory": "2g",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Directory of the labelled corpora: ``SHARED_DATA``, or ``../shared/data`` beside the checkout."""
    return Path(os.environ.get("SHARED_DATA", ROOT.parent / "shared" / "data"))
