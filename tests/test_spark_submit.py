"""The job as a scheduler runs it: spark-submit, exit codes, and a driver that is killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simhash_udf.sample import generate_documents

ROOT = Path(__file__).resolve().parent.parent
LIMIT_S = 300


def start(*arguments: object) -> subprocess.Popen[str]:
    """The job in a process group of its own, so that the driver and its workers end together."""
    beside = Path(sys.executable).with_name("spark-submit")
    program = str(beside) if beside.exists() else shutil.which("spark-submit")
    assert program, "spark-submit comes with pyspark"
    spark = [program, "--master", "local[2]", "--conf", "spark.ui.enabled=false"]
    spark += ["--conf", "spark.sql.shuffle.partitions=4", str(ROOT / "jobs" / "dedup.py")]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "SIMHASH_"))}
    environment |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    return subprocess.Popen(
        [*spark, *map(str, arguments)],
        cwd=ROOT,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,  # spark-submit puts both streams of the driver on its own standard output
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    lines, _ = process.communicate(timeout=LIMIT_S)
    return process.returncode, lines


def kill_when_there(process: subprocess.Popen[str], pattern: str, directory: Path) -> None:
    """SIGKILL to the whole group as soon as a file is there."""
    end = time.monotonic() + LIMIT_S
    while not any(directory.glob(pattern)):
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < end, f"no {pattern} in {LIMIT_S} s"
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("in") / "documents.parquet"
    rows = [(document.id, document.text) for document in generate_documents(300, seed=2)]
    pq.write_table(pa.table({"id": [row[0] for row in rows], "text": [row[1] for row in rows]}), place)
    return place


def test_a_killed_driver_goes_on_from_its_last_whole_stage(
    place: Path, tmp_path: Path, dedup: Callable[..., Any]
) -> None:
    out = tmp_path / "out"
    for pattern in ("_work/fingerprints-*/manifest.json", "_work/groups-*/data"):
        kill_when_there(start("--input", place, "--output", out), pattern, out)
        assert not (out / "_SUCCESS").exists()
        assert not (out / "groups").exists()
    code, lines = finish(start("--input", place, "--output", out))
    assert code == 0, lines
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    stages = {stage["stage"]: stage["is_reused"] for stage in report["stages"]}
    assert all(is_reused for stage, is_reused in stages.items() if stage not in {"groups"})
    clean = dedup(place)
    found = [json.dumps(row) for file in (out / "groups").glob("*.parquet") for row in pq.read_table(file).to_pylist()]
    assert sorted(found) == sorted(json.dumps(row) for row in clean.rows("groups"))
    assert (out / "_SUCCESS").exists()
    assert not (out / "_work").exists()


def test_a_missing_input_is_exit_code_2_and_one_line(tmp_path: Path) -> None:
    code, lines = finish(start("--input", tmp_path / "nowhere", "--output", tmp_path / "out"))
    assert code == 2, lines
    (line,) = [line for line in lines.splitlines() if " ERROR " in line]
    assert f"input {tmp_path}/nowhere cannot be read as parquet" in line
    assert "Traceback" not in lines
    assert not (tmp_path / "out").exists()


def test_a_corrupt_file_is_exit_code_1(place: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.parquet"
    content = place.read_bytes()
    bad.write_bytes(content[:4] + b"\xff" * 2000 + content[2004:])
    code, lines = finish(start("--input", bad, "--output", tmp_path / "out"))
    assert code == 1, lines
    assert "the job failed; run it again" in lines
    assert not (tmp_path / "out" / "_SUCCESS").exists()
