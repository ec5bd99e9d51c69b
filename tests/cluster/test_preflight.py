"""What stops a job on a cluster before its work, and with which line."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cluster.standalone import Cluster
from tests.cluster.submitting import SUBMIT, Submitted, documented

pytestmark = pytest.mark.processes


def refusal(spark: list[str], corpus: Path, tmp_path: Path, **conf: str) -> str:
    """The one line that a job is refused with; nothing is written."""
    job = Submitted(tmp_path / "log", spark, "dedup", "--input", corpus, "--output", tmp_path / "out", conf=conf)
    assert job.finish() == 2, "\n".join(job.lines[-40:])
    (line,) = [line for line in job.lines if re.match(r"\d{4}-\d\d-\d\d \S+ ERROR ", line)]
    assert not (tmp_path / "out").exists()
    return line


def without_archive(cluster: Cluster, python: str | Path) -> list[str]:
    """The command of a cluster that has a Python of its own."""
    driver = f"spark.pyspark.driver.python={sys.executable}"
    submit = [SUBMIT, "--master", cluster.address, "--conf", "spark.executor.memory=512m", "--conf", driver]
    return [*submit, "--conf", f"spark.pyspark.python={python}"]


def other_python() -> Path | None:
    """An interpreter of another minor version than this one."""
    here = sys.version_info.minor
    versions = [here + 1, here + 2, here - 1]  # far older ones do not even start PySpark
    found = [shutil.which(f"python3.{minor}") for minor in versions]
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found += [str(path) for minor in versions for path in root.glob(f"3.{minor}.*/bin/python3")]
    for path in filter(None, found):
        if subprocess.run([path, "-c", ""], check=False, capture_output=True).returncode == 0:
            return Path(path)
    return None


def test_executors_without_packages_are_refused(cluster: Cluster, corpus: Path, tmp_path: Path) -> None:
    line = refusal(without_archive(cluster, cluster.python), corpus, tmp_path)
    assert re.search(r"the executors cannot run this job: .*No module named '\w+'; give the executors", line)


def test_a_python_that_is_not_there_is_refused(cluster: Cluster, corpus: Path, tmp_path: Path) -> None:
    line = refusal(without_archive(cluster, "./environment/bin/python"), corpus, tmp_path)
    assert 'Cannot run program "./environment/bin/python"' in line
    assert "--archives" in line


def test_another_version_of_python_is_refused(cluster: Cluster, corpus: Path, tmp_path: Path) -> None:
    python = other_python()
    if python is None:
        pytest.skip("there is no other version of Python on this machine")
    line = refusal(without_archive(cluster, python), corpus, tmp_path)
    assert "PYTHON_VERSION_MISMATCH" in line
    assert f"3.{sys.version_info.minor}" in line


def test_an_archive_that_is_not_there_is_refused(cluster: Cluster, corpus: Path, tmp_path: Path) -> None:
    line = refusal(documented(cluster.address, tmp_path / "nowhere.tar.gz"), corpus, tmp_path)
    assert "Spark does not start with these settings" in line
    assert line.endswith("nowhere.tar.gz is not there")


def test_executors_with_too_little_memory_are_refused(cluster: Cluster, corpus: Path, tmp_path: Path) -> None:
    spark = without_archive(cluster, cluster.python)
    line = refusal(spark, corpus, tmp_path, **{"spark.executor.memory": "300m"})
    assert "Spark does not start with these settings" in line
    assert "memory" in line
