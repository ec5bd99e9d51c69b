"""The jobs on a master and two workers give what they give in local mode."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pyspark
import pytest

from simhash_udf.sample import generate_documents, write_corpus
from tests.cluster.standalone import standalone_cluster

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parents[2]
SPARK_SUBMIT = str(Path(pyspark.__file__).parent / "bin" / "spark-submit")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with standalone_cluster(tmp_path_factory.mktemp("cluster"), workers=2) as address:
        yield address


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("corpus")
    write_corpus(generate_documents(400, seed=5), place)
    return place


def submit(master: str, job: str, *options: str | Path) -> None:
    command = [SPARK_SUBMIT, "--master", master, "--conf", "spark.executor.memory=512m", f"jobs/{job}.py"]
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    command += map(str, options)
    finished = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    assert finished.returncode == 0, finished.stderr.decode("utf-8", errors="replace")[-4000:]


def rows(path: Path) -> list[dict[str, object]]:
    return sorted(pq.read_table(path).to_pylist(), key=lambda row: str(row["doc_id"]))


def test_tf_idf_and_a_user_dictionary_give_the_same_fingerprints_as_local_mode(
    cluster: str, corpus: Path, tmp_path: Path
) -> None:
    words = tmp_path / "words.txt"
    words.write_text("气象局 100 n\n新城区 100 ns\n", encoding="utf-8")
    tables = []
    for name, master in (("local", "local[2]"), ("cluster", cluster)):
        idf = tmp_path / f"{name}.idf.parquet"
        submit(master, "fit_idf", "--input", corpus, "--output", idf, "--user-dict", words)
        options = ["--weight", "tf_idf", "--idf", idf, "--user-dict", words]
        submit(master, "fingerprint", "--input", corpus, "--output", tmp_path / name, *options)
        tables.append((pq.read_table(idf), rows(tmp_path / name / "fingerprints")))
    assert tables[0][0].equals(tables[1][0])
    assert len(tables[0][1]) > 300
    assert tables[0][1] == tables[1][1]


def test_the_main_job_gives_the_same_groups_as_local_mode(cluster: str, corpus: Path, tmp_path: Path) -> None:
    for name, master in (("local", "local[2]"), ("cluster", cluster)):
        submit(master, "dedup", "--input", corpus, "--output", tmp_path / name, "--views", "jieba,char")
    found = [rows(tmp_path / name / "groups") for name in ("local", "cluster")]
    assert len(found[0]) > 50
    assert found[0] == found[1]
