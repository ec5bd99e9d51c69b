"""The look at the executors: what stops a job in its first seconds, with which line."""

from __future__ import annotations

import logging

import pytest

from simhash_udf.errors import SettingError
from simhash_udf.runtime.executors import compare_packages

HERE = {"simhash-dedup": "1.0", "jieba": "0.42.1", "numpy": "2.1.0"}


def row(package: str, version: str) -> dict[str, str]:
    return {"place": "executor n7 (Python 3.11.2)", "package": package, "version": version}


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
