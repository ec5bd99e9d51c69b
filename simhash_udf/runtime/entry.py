"""What every job does around its one call: settings, session, exit code."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel
from pyspark.sql import SparkSession

from simhash_udf.errors import InputError, SettingError
from simhash_udf.runtime.options import load_settings
from simhash_udf.runtime.session import configure_logging, start_session

EXIT_OK, EXIT_FAILED, EXIT_REFUSED = 0, 1, 2

log = logging.getLogger("simhash_udf")


def run_job(
    model: type[BaseModel],
    job: Callable[[SparkSession, Any], None],
    *,
    description: str,
    arguments: list[str] | None = None,
) -> int:
    """Run a job and return its exit code: 0 if all is written, 2 if a setting or the input is wrong, 1 for the rest.

    Settings are checked before Spark starts. A refusal is one line on standard error.
    """
    configure_logging()
    try:
        settings = load_settings(model, description, sys.argv[1:] if arguments is None else arguments, os.environ)
        spark = start_session(description)
        try:
            job(spark, settings)
        finally:
            spark.stop()
    except (SettingError, InputError) as error:
        log.error("%s", error)
        return EXIT_REFUSED
    except Exception:
        log.exception("the job failed; run it again to go on from the last whole stage")
        return EXIT_FAILED
    return EXIT_OK
