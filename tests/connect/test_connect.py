"""Jobs on a Spark Connect server: what they give, and what is refused in one sentence."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest

from simhash_udf.sample import generate_documents
from tests.connect.server import ROOT, connect_server
from tests.environment import job_environment

pytestmark = pytest.mark.processes

SETTINGS = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "4"}
SUBMIT = str(Path(pyspark.__file__).parent / "bin" / "spark-submit")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with connect_server(tmp_path_factory.mktemp("connect"), SETTINGS) as address:
        yield address


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("in") / "documents.parquet"
    rows = [(document.id, document.text) for document in generate_documents(200, seed=2)]
    pq.write_table(pa.table({"id": [row[0] for row in rows], "text": [row[1] for row in rows]}), place)
    return place


def run(command: list[str], *arguments: object, cwd: Path = ROOT, **variables: str) -> tuple[int, str]:
    """Exit code, and the lines about errors or all of them where there is none."""
    environment = job_environment(PYTHONPATH=str(ROOT), **variables)
    words = [*command, *map(str, arguments)]
    done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=600)
    lines = (done.stdout + done.stderr).splitlines()
    return done.returncode, "\n".join([line for line in lines if " ERROR " in line] or lines)


def job(name: str) -> list[str]:
    return [sys.executable, str(ROOT / "jobs" / f"{name}.py")]


def rows(output: Path, table: str) -> list[dict[str, Any]]:
    files = (output / table).glob("*.parquet")
    return sorted((row for file in files for row in pq.read_table(file).to_pylist()), key=repr)


def test_the_job_gives_what_it_gives_in_one_process(
    server: str, documents: Path, tmp_path: Path, dedup: Callable[..., Any]
) -> None:
    out = tmp_path / "out"
    code, lines = run(job("dedup"), "--input", documents, "--output", out, "--mode", "filter", SPARK_REMOTE=server)
    assert code == 0, lines
    local = dedup(documents, mode="filter")
    assert len(rows(out, "groups")) > 10
    for table in ("groups", "edges", "documents", "rejected"):
        assert rows(out, table) == local.rows(table)
    assert {path.name for path in out.iterdir()} == {path.name for path in local.path.iterdir()}


def test_spark_submit_with_remote_runs_the_job(server: str, documents: Path, tmp_path: Path) -> None:
    words = [SUBMIT, "--remote", server, str(ROOT / "jobs" / "fingerprint.py")]
    code, lines = run(words, "--input", documents, "--output", tmp_path / "out")
    assert code == 0, lines
    assert len(rows(tmp_path / "out", "fingerprints")) > 150


def test_a_store_takes_two_days_through_a_server(server: str, documents: Path, tmp_path: Path) -> None:
    table = pq.read_table(documents)
    days = {"monday": table.slice(0, 120), "tuesday": table.slice(100)}
    for day, rows_of_day in days.items():
        place = tmp_path / f"{day}.parquet"
        pq.write_table(rows_of_day, place)
        given = ["--input", place, "--output", tmp_path / day, "--store", tmp_path / "store", "--run-id", day]
        code, lines = run(job("dedup"), *given, SPARK_REMOTE=server)
        assert code == 0, lines
    answers = [row["answer"] for row in rows(tmp_path / "tuesday", "answers")]
    known = sum(text is not None for text in table.slice(100, 20)["text"].to_pylist())
    assert answers.count("known") == known > 10
    assert answers.count("new") > 20


def test_a_place_that_the_server_does_not_see_is_exit_code_2(server: str, documents: Path, tmp_path: Path) -> None:
    code, lines = run(job("dedup"), "--input", documents, "--output", "out", cwd=tmp_path, SPARK_REMOTE=server)
    assert code == 2, lines
    assert "output=out is another place for the Spark Connect server than for this process" in lines
    assert list(tmp_path.iterdir()) == []


def test_no_server_is_exit_code_2_and_one_line(documents: Path, tmp_path: Path) -> None:
    with socket.socket() as taken:  # bound and not listening: nobody answers there
        taken.bind(("127.0.0.1", 0))
        address = f"sc://127.0.0.1:{taken.getsockname()[1]}"
        code, lines = run(job("dedup"), "--input", documents, "--output", tmp_path / "out", SPARK_REMOTE=address)
    assert code == 2, lines
    assert f"no Spark Connect server answers at {address}" in lines
    assert "Traceback" not in lines
