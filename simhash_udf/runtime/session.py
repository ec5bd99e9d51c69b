"""The Spark session: the only place that sets Spark configuration."""

from __future__ import annotations

import logging
import os
import sys

from py4j.protocol import Py4JError  # type: ignore[import-untyped, unused-ignore]
from pyspark import SparkContext
from pyspark.conf import SparkConf
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from simhash_udf.runtime.connect import connected_session, count_cores, is_connect, server_address
from simhash_udf.runtime.spark_errors import as_setting_error

RUNTIME_DEFAULTS = {
    # partition values stay the text they are in the path: dt=0012 is not 12
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    # rows in an Arrow batch of text; with documents of 100 kB a batch is 200 MB at most
    "spark.sql.execution.arrow.maxRecordsPerBatch": "2000",
    # columns of nanosecond timestamps that the job does not need must not stop the read
    "spark.sql.legacy.parquet.nanosAsLong": "true",
    # times as plain microseconds; in Spark's old twelve bytes Arrow reads those outside 1677 to 2262 as other times
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}
"""Runtime settings of the job; each yields to one given with ``--conf``."""

_STATIC_DEFAULTS = {
    # shuffle files of a finished wave go only when the driver collects garbage; half an hour would fill the disk
    "spark.cleaner.periodicGC.interval": "1min",
    "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "true",
    "spark.ui.showConsoleProgress": "false",
}


UMASK = "spark.hadoop.fs.permissions.umask-mode"
"""Hadoop has a mask of its own, 022 unless told; with it, files are open to all where this user's are closed."""


def start_session(app_name: str) -> SparkSession:
    """Return the session that spark-submit configured, or a local one on all cores if nothing did.

    Settings given with ``--conf`` or in Spark's own files win over the defaults here. Where ``SPARK_REMOTE`` or
    ``--remote`` names a Spark Connect server, the session is there.

    Raises
    ------
    SettingError
        A setting is one that Spark refuses, as too little memory, or names a file or a server that is not there.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    server = server_address()
    if server is not None:
        return connected_session(server, RUNTIME_DEFAULTS)
    given = _given_settings()
    builder = SparkSession.builder.appName(app_name)
    if not given.contains("spark.master"):
        builder = builder.master("local[*]")
    for name, value in (_STATIC_DEFAULTS | RUNTIME_DEFAULTS | {UMASK: _umask()}).items():
        if not given.contains(name):
            builder = builder.config(name, value)
    try:
        spark = builder.getOrCreate()
    except (PySparkException, Py4JError) as error:
        raise as_setting_error(error) or error from None
    if not given.contains("spark.log.level"):
        spark.sparkContext.setLogLevel("WARN")
    return spark


def _given_settings() -> SparkConf:
    """What spark-submit and Spark's own files set."""
    # before there is a JVM every SparkConf is empty, and the master of spark-submit would yield to the local one
    SparkContext._ensure_initialized()
    return SparkConf()


def _umask() -> str:
    """The mask of this process in octal digits."""
    mask = os.umask(0o077)  # the only way to ask; nothing is opened wider meanwhile
    os.umask(mask)
    return f"{mask:03o}"


def num_cores(spark: SparkSession) -> int:
    """Return the cores that Spark counts on."""
    return count_cores(spark) if is_connect(spark) else max(int(spark.sparkContext.defaultParallelism), 1)


def configure_logging() -> None:
    """Log this package's lines to standard error: time, level, message; ids and counts, never text."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger = logging.getLogger("simhash_udf")
    logger.handlers = [handler]
    logger.setLevel(logging.INFO)
    logger.propagate = False
