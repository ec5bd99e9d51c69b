"""A look at the executors before the work begins: their Python, and the packages that the job needs there."""

from __future__ import annotations

import logging
import platform
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import pyarrow as pa
from py4j.protocol import Py4JError  # type: ignore[import-untyped, unused-ignore]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from simhash_udf.errors import SettingError
from simhash_udf.runtime.session import num_cores
from simhash_udf.version import __version__

log = logging.getLogger("simhash_udf")

OWN = "simhash-dedup"
DECISIVE = (OWN, "jieba", "rjieba")
"""Packages of which another version gives other fingerprints."""

NEEDED = ("numpy", "pandas", "pyarrow", "scipy", "jieba", "rjieba")

PATIENCE_S = 60
"""After so long without an answer of the executors a person should look; a cluster that grows may need longer."""

_COLUMNS = "place string, package string, version string"
_ADVICE = (
    "give the executors the environment of the driver: PYSPARK_PYTHON for a path that is on every node, or --archives"
)
_REASONS = re.compile(
    r"(?:ModuleNotFoundError|ImportError): [^\n]+|\[PYTHON_VERSION_MISMATCH\][^\n]+|Cannot run program [^\n]+"
    r"|\w+Error: [^\n]+(?=\s+PYTHONPATH was)"  # PySpark itself did not start in that Python
)


def installed_packages() -> dict[str, str]:
    """Return the version of each package that a task needs, ``unknown`` if it has none, empty if it is not there."""
    return {OWN: __version__} | {name: _version(name) for name in NEEDED}


def check_executors(spark: SparkSession) -> None:
    """Refuse executors that cannot do the work, or would do it otherwise than the driver.

    Cost: one task a core, seconds at most.

    Raises
    ------
    SettingError
        Another Python, a package that is missing, or another version of a segmenter or of this package.
    """
    tasks = num_cores(spark)
    try:
        with _warning_while_waiting():
            found = spark.range(tasks, numPartitions=tasks).mapInArrow(_report, _COLUMNS).distinct().toArrow()
    except (PySparkException, Py4JError) as error:
        reasons = _REASONS.findall(str(error))
        if not reasons:
            raise
        raise SettingError(f"the executors cannot run this job: {reasons[-1].rstrip()}; {_ADVICE}") from None
    compare_packages(installed_packages(), found.sort_by("place").to_pylist())


def compare_packages(here: Mapping[str, str], found: list[dict[str, str]]) -> None:
    """Refuse a package that an executor lacks or has in another version, and warn where that only may matter.

    Parameters
    ----------
    here
        Version of each package on the driver.
    found
        Rows ``place, package, version`` of the executors.
    """
    for row in found:
        name, there = row["package"], row["version"]
        if not there:
            raise SettingError(f"{row['place']} lacks the package {name}; {_ADVICE}")
        if there == here[name]:
            continue
        if name in DECISIVE:
            raise SettingError(
                f"{row['place']} has {name} {there}, the driver {here[name]}: fingerprints may differ; {_ADVICE}"
            )
        log.warning("%s has %s %s, the driver %s", row["place"], name, there, here[name])


@contextmanager
def _warning_while_waiting() -> Iterator[None]:
    """Say once that nobody answers: Spark itself waits for ever where no machine has room for an executor."""
    said = (
        "no executor has answered for %d s; the job waits. Does a machine have the memory and the cores free that "
        "spark.executor.memory and spark.executor.cores ask for?"
    )
    timer = threading.Timer(PATIENCE_S, log.warning, args=(said, PATIENCE_S))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _report(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What is installed where this task runs."""
    for _ in batches:
        pass
    place = f"executor {platform.node()} (Python {platform.python_version()})"
    rows = [{"place": place, "package": name, "version": found} for name, found in installed_packages().items()]
    yield pa.RecordBatch.from_pylist(rows)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # from a zip of modules without metadata
        return "unknown" if find_spec(package) else ""
