"""The jobs on a master and two machines without packages give what they give in local mode."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cluster.standalone import Cluster
from tests.cluster.submitting import LOCAL, Submitted, documented

pytestmark = pytest.mark.processes


def submit(spark: list[str], log: Path, job: str, *options: object) -> None:
    submitted = Submitted(log, spark, job, *options)
    assert submitted.finish() == 0, "\n".join(submitted.lines[-40:])


def rows(path: Path) -> list[dict[str, object]]:
    return sorted(pq.read_table(path).to_pylist(), key=lambda row: str(row["doc_id"]))


def test_the_machines_have_no_packages(cluster: Cluster) -> None:
    shown = subprocess.run([cluster.python, "-c", "import numpy"], capture_output=True, text=True, check=False, env={})
    assert "ModuleNotFoundError" in shown.stderr


def test_the_archive_runs_where_no_other_python_is(archive: Path, tmp_path: Path) -> None:
    subprocess.run(["tar", "-xzf", archive, "-C", tmp_path], check=True)
    look = "import jieba, sys; print(jieba.__file__, sys.executable, sys.prefix)"
    python = [tmp_path / "bin" / "python", "-c", look]
    shown = subprocess.run(python, capture_output=True, text=True, check=True, env={"PATH": "/nowhere"}).stdout.split()
    assert [word for word in shown if not word.startswith(str(tmp_path))] == []


def test_the_archive_is_enough_for_the_driver_too(archive: Path, corpus: Path, tmp_path: Path) -> None:
    unpacked = tmp_path / "environment"
    unpacked.mkdir()
    subprocess.run(["tar", "-xzf", archive, "-C", unpacked], check=True)
    spark = [*LOCAL[:-1], f"spark.pyspark.python={unpacked / 'bin' / 'python'}"]
    submit(spark, tmp_path / "log", "dedup", "--input", corpus, "--output", tmp_path / "out")
    assert len(rows(tmp_path / "out" / "groups")) > 50


def test_tf_idf_and_a_user_dictionary_give_the_same_fingerprints_as_local_mode(
    cluster: Cluster, archive: Path, corpus: Path, tmp_path: Path
) -> None:
    words = tmp_path / "words.txt"
    words.write_text("气象局 100 n\n新城区 100 ns\n", encoding="utf-8")
    idf, log = tmp_path / "idf.parquet", tmp_path / "log"
    submit(LOCAL, log, "fit_idf", "--input", corpus, "--output", idf, "--user-dict", words)
    options = ["--weight", "tf_idf", "--idf", idf, "--user-dict", words]
    found = []
    for name, spark in (("local", LOCAL), ("cluster", documented(cluster.address, archive))):
        submit(spark, log, "fingerprint", "--input", corpus, "--output", tmp_path / name, *options)
        found.append(rows(tmp_path / name / "fingerprints"))
    assert len(found[0]) > 300
    assert found[0] == found[1]


def test_the_main_job_gives_the_same_groups_as_local_mode(
    cluster: Cluster, archive: Path, corpus: Path, tmp_path: Path
) -> None:
    before = [machine.executors() for machine in cluster.machines]
    for name, spark in (("local", LOCAL), ("cluster", documented(cluster.address, archive))):
        options = ["--views", "jieba,char", "--verify", "jaccard:0.5"]
        submit(spark, tmp_path / "log", "dedup", "--input", corpus, "--output", tmp_path / name, *options)
    assert all(len(machine.executors() - old) == 1 for machine, old in zip(cluster.machines, before, strict=True))
    found = [rows(tmp_path / name / "groups") for name in ("local", "cluster")]
    assert len(found[0]) > 50
    assert found[0] == found[1]
