"""The job as a scheduler runs it: spark-submit, exit codes, and a driver that is killed."""

from __future__ import annotations

import contextlib
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

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parent.parent
LIMIT_S = 300


class Submitted:
    """The job in a process group of its own, so that the driver and its workers end together, however the test does."""

    def __init__(self, log: Path, *arguments: object) -> None:
        beside = Path(sys.executable).with_name("spark-submit")
        program = str(beside) if beside.exists() else shutil.which("spark-submit")
        assert program, "spark-submit comes with pyspark"
        spark = [program, "--master", "local[2]", "--conf", "spark.ui.enabled=false"]
        spark += ["--conf", "spark.sql.shuffle.partitions=4", str(ROOT / "jobs" / "dedup.py")]
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "SIMHASH_"))}
        environment |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
        self._log = log
        with log.open("wb") as stream:  # a file, not a pipe that fills up; spark-submit mixes the driver's streams
            self._process = subprocess.Popen(
                [*spark, *map(str, arguments)],
                cwd=ROOT,
                env=environment,
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def finish(self) -> tuple[int, str]:
        """Exit code and all lines."""
        try:
            return self._process.wait(LIMIT_S), self._log.read_text(encoding="utf-8")
        finally:
            self._kill()

    def kill_when_there(self, pattern: str, directory: Path) -> None:
        """SIGKILL to the whole group as soon as a file is there."""
        try:
            end = time.monotonic() + LIMIT_S
            while not any(directory.glob(pattern)):
                assert self._process.poll() is None, self._log.read_text(encoding="utf-8")
                assert time.monotonic() < end, f"no {pattern} in {LIMIT_S} s"
                time.sleep(0.02)
        finally:
            self._kill()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("in") / "documents.parquet"
    rows = [(document.id, document.text) for document in generate_documents(150, seed=2)]
    pq.write_table(pa.table({"id": [row[0] for row in rows], "text": [row[1] for row in rows]}), place)
    return place


def test_a_killed_driver_goes_on_from_its_last_whole_stage(
    place: Path, tmp_path: Path, dedup: Callable[..., Any]
) -> None:
    out = tmp_path / "out"
    for pattern in ("_work/fingerprints-*/manifest.json", "_work/groups-*/data"):
        Submitted(tmp_path / "log", "--input", place, "--output", out).kill_when_there(pattern, out)
        assert not (out / "_SUCCESS").exists()
        assert not (out / "groups").exists()
    code, lines = Submitted(tmp_path / "log", "--input", place, "--output", out).finish()
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
    code, lines = Submitted(tmp_path / "log", "--input", tmp_path / "nowhere", "--output", tmp_path / "out").finish()
    assert code == 2, lines
    (line,) = [line for line in lines.splitlines() if " ERROR " in line]
    assert f"input {tmp_path}/nowhere cannot be read as parquet" in line
    assert "Traceback" not in lines
    assert not (tmp_path / "out").exists()


def test_a_damaged_file_is_exit_code_2_and_named(place: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.parquet"
    content = place.read_bytes()
    bad.write_bytes(content[:4] + b"\xff" * 2000 + content[2004:])
    code, lines = Submitted(tmp_path / "log", "--input", bad, "--output", tmp_path / "out").finish()
    assert code == 2, lines
    assert f"{bad} cannot be read: it is damaged" in lines
    assert not (tmp_path / "out" / "_SUCCESS").exists()
