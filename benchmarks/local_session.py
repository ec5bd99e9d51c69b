"""A Spark session on this machine for a benchmark: no page, no progress bar, shuffle files where they can be seen."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import SparkSession


def start(directory: Path, memory: str, *, cores: int = 2, settings: Mapping[str, str] | None = None) -> SparkSession:
    """Start a session with so many cores and so much heap; Spark's own files go below the directory."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(f"local[{cores}]").config("spark.local.dir", str(directory / "spark"))
    chosen = {
        **(settings or {}),
        "spark.driver.memory": memory,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.cleaner.periodicGC.interval": "20s",
    }
    for name, value in chosen.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark
