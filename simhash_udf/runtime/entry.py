"""What every job does around its one call: settings, session, exit code."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped, unused-ignore]
from pydantic import BaseModel
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from simhash_udf.config import InputSettings
from simhash_udf.config_report import ProgressSettings
from simhash_udf.errors import AlarmError, InputError, SettingError
from simhash_udf.runtime.connect import check_shared
from simhash_udf.runtime.executors import check_executors
from simhash_udf.runtime.inputs import input_places
from simhash_udf.runtime.options import load_settings
from simhash_udf.runtime.progress import shown_progress
from simhash_udf.runtime.session import configure_logging, start_session
from simhash_udf.runtime.spark_errors import as_input_error

EXIT_OK, EXIT_FAILED, EXIT_REFUSED, EXIT_ALARM = 0, 1, 2, 3

log = logging.getLogger("simhash_udf")


def run_job(
    model: type[BaseModel],
    job: Callable[[SparkSession, Any], None],
    *,
    description: str,
    arguments: list[str] | None = None,
) -> int:
    """Run a job with the settings of its command line and return its exit code, see `run_with_session`.

    Settings are checked before Spark starts.
    """
    configure_logging()
    try:
        settings = load_settings(model, description, sys.argv[1:] if arguments is None else arguments, os.environ)
    except (SettingError, InputError) as error:
        log.error("%s", error)
        return EXIT_REFUSED
    return run_with_session(lambda spark: _run(spark, job, settings), description)


def run_plainly(work: Callable[[], None]) -> int:
    """Do some work without Spark and return its exit code, as `run_with_session` does."""
    configure_logging()
    try:
        work()
    except (SettingError, InputError) as error:
        log.error("%s", error)
        return EXIT_REFUSED
    except Exception:
        log.exception("the job failed")
        return EXIT_FAILED
    return EXIT_OK


def _run(spark: SparkSession, job: Callable[[SparkSession, Any], None], settings: BaseModel) -> None:
    """Run the job where the executors can do it; a file of the input that cannot be read is a fault of the input."""
    for option in ("output", "store", "work_dir"):
        check_shared(spark, option, getattr(settings, option, None))
    check_executors(spark)
    places = input_places(settings) if isinstance(settings, InputSettings) else []
    mode = settings.progress if isinstance(settings, ProgressSettings) else "auto"
    try:
        with shown_progress(mode):
            job(spark, settings)
    except (PySparkException, Py4JError) as error:
        refused = as_input_error(error, places)
        if refused is None:
            raise
        raise refused from None


def run_with_session(work: Callable[[SparkSession], None], app_name: str) -> int:
    """Do some work with a Spark session and return its exit code.

    0 if all is written; 3 if it is, and more was removed than allowed; 2 if a setting or the input is wrong; 1 for the
    rest. A refusal is one line on standard error.
    """
    configure_logging()
    try:
        spark = start_session(app_name)
        try:
            work(spark)
        finally:
            spark.stop()
    except (SettingError, InputError) as error:
        log.error("%s", error)
        return EXIT_REFUSED
    except AlarmError as alarm:
        log.error("%s", alarm)
        return EXIT_ALARM
    except Exception:
        log.exception("the job failed; run it again to go on from the last whole stage")
        return EXIT_FAILED
    return EXIT_OK
