"""What the job refuses, with which exit code and line, and that nothing is harmed by it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException

from simhash_udf import dedup as whole
from simhash_udf.runtime import entry
from simhash_udf.runtime.spark_errors import as_input_error

TWO_COPIES = {"id": ["1", "2", "3"], "text": ["同一段文字", "同一段文字", "她在喝红茶"]}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with one good file, another without rows to read, and a stranger's file."""
    (tmp_path / "in").mkdir()
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("x", encoding="utf-8")
    pq.write_table(pa.table(TWO_COPIES | {"n": [1, 2, 3]}), tmp_path / "in" / "a.parquet")
    (tmp_path / "wrong.toml").write_text("max_distanze = 3\n", encoding="utf-8")
    (tmp_path / "broken.toml").write_text("max_distance = \n", encoding="utf-8")
    return tmp_path


def content(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--input {0}/in --output {0}/in", "is, holds or lies in the input"),
        ("--input {0}/in --output {0}/in/sub=1 --overwrite", "is, holds or lies in the input"),
        ("--input {0}/in --output {0} --overwrite", "is, holds or lies in the input"),
        ("--input {0}/in --output {0}/x/../in/./", "is, holds or lies in the input"),
        ("--input {0}/in/*.parquet --output {0}/in/out", "is, holds or lies in the input"),
        ("--input {0}/in --output {0}/out --work-dir {0}/in/work", "work_dir={0}/in/work is, holds or lies in"),
        ("--input {0}/nowhere --output {0}/out", "nowhere cannot be read as parquet"),
        ("--input {0}/in/none-*.parquet --output {0}/out", "cannot be read as parquet"),
        ("--input {0}/empty --output {0}/out", "empty cannot be read as parquet"),
        ("--output {0}/out", "input is required"),
        ("--input {0}/in", "output is required"),
        ("--input {0}/in --output {0}/out --text-column body", "text_column='body' is not in the input; its columns"),
        ("--input {0}/in --output {0}/out --text-column n", "text_column='n' has type bigint"),
        ("--input {0}/in --output {0}/out --id-column key", "id_column='key' is not in the input"),
        ("--input {0}/in --output {0}/out --keep max:day", "keep='day' is not in the input"),
        ("--input {0}/in --output {0}/other", "holds other files (thesis.txt)"),
        ("--input {0}/in --output {0}/wrong.toml", "wrong.toml is a file; choose a directory"),
        ("--input {0}/in --output {0}/out --max-distance 9", "max_distance"),
        ("--input {0}/in --output {0}/out --num-blocks 3", "max_distance=3 needs num_blocks >= 4, got 3"),
        ("--input {0}/in --output {0}/out --treshold 3", "--treshold"),
        ("--input {0}/in --output {0}/out --config {0}/wrong.toml", "there is no setting 'max_distanze'"),
        ("--input {0}/in --output {0}/out --config {0}/broken.toml", "broken.toml cannot be read"),
        ("--input {0}/in --output {0}/out --config {0}/none.toml", "none.toml cannot be read"),
        ("--input {0}/in --output {0}/out --input-format avrox", "cannot be read as avrox"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_code_2_before_anything_is_written(
    submit: Callable[..., Any], place: Path, arguments: str, message: str
) -> None:
    before = content(place)
    code, lines = submit(*arguments.format(place).split())
    assert code == entry.EXIT_REFUSED
    assert len(lines) == 1
    assert message.format(place) in lines[0]
    assert content(place) == before


def test_a_file_whose_pages_are_damaged_is_named_and_there_is_no_result(
    submit: Callable[..., Any], place: Path
) -> None:
    file = place / "in" / "a.parquet"
    whole_file = file.read_bytes()
    file.write_bytes(whole_file[:4] + b"\xff" * 60 + whole_file[64:])  # the footer is right, the pages are not
    code, lines = submit("--input", file, "--output", place / "out", "--calibration", "none")
    assert code == entry.EXIT_REFUSED
    assert len(lines) == 1
    assert f"{file} cannot be read: it is damaged, cut off, or of another format" in lines[0]
    assert not (place / "out" / "_SUCCESS").exists()
    assert not (place / "out" / "groups").exists()


def test_a_damaged_stage_table_is_no_fault_of_the_input() -> None:
    error = PySparkException("[FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:/w/part-0.parquet. ")
    assert as_input_error(error, ["/in"]) is None
    assert as_input_error(RuntimeError("the disk is full"), ["/in"]) is None
    assert str(as_input_error(error, ["/w"])).startswith("/w/part-0.parquet cannot be read")


def test_a_plan_is_shown_and_nothing_written(submit: Callable[..., Any], place: Path) -> None:
    before = content(place)
    assert submit("--input", place / "in", "--output", place / "out", "--plan") == (0, [])
    assert content(place) == before


@pytest.mark.processes  # four whole runs
def test_earlier_results_stay_until_the_new_ones_are_ready(
    submit: Callable[..., Any], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = place / "out"
    call = ("--input", place / "in", "--output", out, "--calibration", "none")
    assert submit(*call) == (0, [])
    first = content(out)
    assert submit(*call)[0] == entry.EXIT_REFUSED
    assert content(out) == first

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(whole, "_write_results", fail)
        assert submit(*call, "--overwrite", "--max-distance", "0")[0] == entry.EXIT_FAILED
    kept = {name: data for name, data in content(out).items() if not name.startswith("_work")}
    assert kept == first
    with monkeypatch.context() as patch:
        patch.setattr(whole, "build_report", fail)
        assert submit(*call, "--overwrite", "--max-distance", "0")[0] == entry.EXIT_FAILED
    assert not (out / "_SUCCESS").exists()
    assert submit(*call, "--max-distance", "0") == (0, [])
    assert (out / "_SUCCESS").exists()
    assert not (out / "_STARTED").exists()
    assert not (out / "_work").exists()
