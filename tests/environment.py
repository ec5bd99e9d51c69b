"""The environment of a job that a test starts as a process of its own."""

from __future__ import annotations

import os
import sys

QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options of a JVM that lives for seconds: its second compiler would take longer than it saves."""


def job_environment(*without: str, **more: str) -> dict[str, str]:
    """This environment without what begins with ``without`` or sets Spark or a job, and with the Python of this run."""
    left_out = ("SPARK_", "PYSPARK_", "SIMHASH_", *without)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    python = {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    return kept | python | {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_SUBMIT_OPTS": QUICK_JAVA} | more
