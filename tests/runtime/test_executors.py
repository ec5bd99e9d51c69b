"""The look at the executors: what stops a job in its first seconds, with which line."""

from __future__ import annotations

import logging
import threading

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from simhash_udf.errors import SettingError
from simhash_udf.runtime import executors
from simhash_udf.runtime.executors import check_executors, compare_packages, installed_packages

HERE = {"simhash-dedup": "1.0", "jieba": "0.42.1", "numpy": "2.1.0"}


def row(package: str, version: str) -> dict[str, str]:
    return {"place": "executor n7 (Python 3.11.2)", "package": package, "version": version}


def test_executors_like_the_driver_are_let_through(spark: SparkSession, caplog: pytest.LogCaptureFixture) -> None:
    check_executors(spark)
    assert caplog.records == []
    assert all(installed_packages().values())


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (row("numpy", ""), r"^executor n7 \(Python 3\.11\.2\) lacks the package numpy; .*PYSPARK_PYTHON"),
        (row("jieba", "0.39"), r"has jieba 0\.39, the driver 0\.42\.1: fingerprints may differ"),
        (row("simhash-dedup", "0.9"), r"has simhash-dedup 0\.9, the driver 1\.0: fingerprints may differ"),
    ],
)
def test_a_package_that_is_missing_or_decisive_and_different_is_refused(found: dict[str, str], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        compare_packages(HERE, [row("jieba", "0.42.1"), found])


def test_another_version_of_the_rest_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    compare_packages(HERE, [row("numpy", "1.26.4")])
    assert caplog.record_tuples == [
        ("simhash_udf", logging.WARNING, "executor n7 (Python 3.11.2) has numpy 1.26.4, the driver 2.1.0")
    ]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("x\nModuleNotFoundError: No module named 'rjieba'\n", "cannot run this job: .*No module named 'rjieba'; give"),
        (
            "y\n[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.8 than that in driver: 3.11\n",
            "cannot run this job: .*3.8 than that in driver: 3.11; give the executors the environment of the driver",
        ),
        (
            "z\nError from python worker:\n  SyntaxError: invalid syntax\nPYTHONPATH was:\n  /spark\n",
            "cannot run this job: SyntaxError: invalid syntax; give the executors",
        ),
    ],
)
def test_what_spark_says_of_a_worker_becomes_one_sentence(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, said: str, message: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise PySparkException(said)

    monkeypatch.setattr(SparkSession, "range", fail)
    with pytest.raises(SettingError, match=message):
        check_executors(spark)


def test_another_fault_of_spark_is_not_taken_for_one_of_the_executors(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise PySparkException("the cluster is gone")

    monkeypatch.setattr(SparkSession, "range", fail)
    with pytest.raises(PySparkException, match="the cluster is gone"):
        check_executors(spark)


def test_executors_that_do_not_come_are_a_warning_and_no_end(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    warned = threading.Event()
    plain_range = SparkSession.range

    def late(*arguments: object, **options: object) -> object:
        assert warned.wait(60)
        return plain_range(*arguments, **options)

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            warned.set()

    handler = Handler()
    monkeypatch.setattr(executors, "PATIENCE_S", 0)
    monkeypatch.setattr(SparkSession, "range", late)
    executors.log.addHandler(handler)
    try:
        check_executors(spark)
    finally:
        executors.log.removeHandler(handler)
    (message,) = [record.getMessage() for record in caplog.records]
    assert "no executor has answered" in message
    assert "spark.executor.memory" in message
