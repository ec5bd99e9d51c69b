"""The job as a scheduler runs it: spark-submit, exit codes, and a driver that is killed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simhash_udf.sample import generate_documents
from tests.submitting import Job

pytestmark = pytest.mark.processes


def submit(log: Path, *arguments: object) -> tuple[int, str]:
    """Exit code and all lines of the job."""
    with Job(log, "dedup.py", *arguments) as job:
        return job.finish()


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
        with Job(tmp_path / "log", "dedup.py", "--input", place, "--output", out) as job:
            assert job.wait_until(lambda at=pattern: any(out.glob(at))), job.lines()
            assert job.kill() != 0
        assert not (out / "_SUCCESS").exists()
        assert not (out / "groups").exists()
    code, lines = submit(tmp_path / "log", "--input", place, "--output", out)
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
    code, lines = submit(tmp_path / "log", "--input", tmp_path / "nowhere", "--output", tmp_path / "out")
    assert code == 2, lines
    (line,) = [line for line in lines.splitlines() if " ERROR " in line]
    assert f"input {tmp_path}/nowhere cannot be read as parquet" in line
    assert "Traceback" not in lines
    assert not (tmp_path / "out").exists()


def test_a_damaged_file_is_exit_code_2_and_named(place: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.parquet"
    content = place.read_bytes()
    bad.write_bytes(content[:4] + b"\xff" * 2000 + content[2004:])
    code, lines = submit(tmp_path / "log", "--input", bad, "--output", tmp_path / "out")
    assert code == 2, lines
    assert f"{bad} cannot be read: it is damaged" in lines
    assert not (tmp_path / "out" / "_SUCCESS").exists()
