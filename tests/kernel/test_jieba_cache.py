"""jieba's dictionary without its cache file: nothing of another user or of an earlier process is read or written."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = "仓库管理系统"
EXPECTED = "['仓库', '管理系统']"
PROGRAM = f"""
from simhash_udf.kernel.recipe import Recipe, View
from simhash_udf.kernel.tokenize import build_tokenizer
for engine in ("jieba", "rjieba"):
    print(build_tokenizer(View(), Recipe(engine=engine))({TEXT!r}))
"""


def start(directory: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "TMPDIR": str(directory), "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment, stdout=pipe, stderr=pipe, text=True)


def poisoned(directory: Path) -> None:
    """A cache that jieba would take for newer than its dictionary, and that knows the whole text as one word."""
    cache = directory / "jieba.cache"
    cache.write_bytes(marshal.dumps(({TEXT: 10**9}, 10**9)))
    cache.chmod(0o600)
    os.utime(cache, (time.time() + 10**6,) * 2)


def damaged(directory: Path) -> None:
    (directory / "jieba.cache").write_bytes(b"\xff\x00half of a ca")
    (directory / "jieba.cache").chmod(0)


def missing(directory: Path) -> None:
    directory.rmdir()


def closed(directory: Path) -> None:
    directory.chmod(0o500)


@pytest.mark.parametrize("prepare", [poisoned, damaged, missing, closed])
def test_the_tokens_are_right_whatever_lies_in_the_temporary_directory(prepare: object, tmp_path: Path) -> None:
    place = tmp_path / "tmp"
    place.mkdir()
    prepare(place)  # type: ignore[operator]
    before = {path.name: path.stat().st_mtime_ns for path in place.glob("*")}
    shown, errors = start(place).communicate(timeout=120)
    assert (shown.splitlines(), errors) == ([EXPECTED] * 2, "")
    assert {path.name: path.stat().st_mtime_ns for path in place.glob("*")} == before


def test_processes_that_start_at_once_do_not_meet(tmp_path: Path) -> None:
    processes = [start(tmp_path) for _ in range(4)]
    found = [process.communicate(timeout=300) for process in processes]
    assert found == [(f"{EXPECTED}\n" * 2, "")] * 4
    assert list(tmp_path.iterdir()) == []
