"""SIGKILL to a whole run, at moments of its work and of its commit: the store is whole, and a re-run ends right.

``KILLS=20 pytest tests/store/test_killed_runs.py`` tries all moments; without it, a few of them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from simhash_udf.config import Settings
from simhash_udf.dedup import run_dedup
from simhash_udf.runtime.options import load_settings
from simhash_udf.store.frames import StoreFrames
from simhash_udf.store.manifest import open_store
from simhash_udf.store.views import members_of_store
from tests.store.nightly_batches import PLAIN, write_nights
from tests.submitting import ROOT, Job

pytestmark = pytest.mark.processes

CLAIM = "store/claims/00000002.json"
EVENTS = (  # in the store, or in the output beside it; the first three are the commit
    "store/manifests/.partial-*",
    "store/manifests/00000002.json",
    "store/data/00000002-*/changes/_SUCCESS",
    "store/data/00000002-*/fingerprints/*.parquet",
    CLAIM,
    "store/work/*",
    "store/data/00000002-*/fingerprints/_temporary",
    "store/data/00000002-*/memberships/*.parquet",
    "out/answers/*.parquet",
    "out/report.json",
)
FRACTIONS = (0.35, 0.8, 0.02, 0.12, 0.22, 0.48, 0.6, 0.7, 0.9, 0.97)
"""Of the time from the claim to the end of a run that nobody kills."""

MOMENTS: list[str | float] = [moment for pair in zip(EVENTS, FRACTIONS, strict=True) for moment in pair]
KILLS = int(os.environ.get("KILLS", "5"))


@dataclass(frozen=True)
class World:
    """A store of one night, its second night, and what that ends in when nobody kills it."""

    directory: Path
    nights: list[Path]
    seconds: float
    before: dict[str, Any]
    after: dict[str, Any]


@pytest.fixture(scope="module")
def world(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> World:
    directory = tmp_path_factory.mktemp("world")
    nights = write_nights(directory, 2)
    rerun(spark, arguments(directory, "monday", nights[0]))
    before = state(spark, directory / "store")
    shutil.rmtree(directory / "out")
    whole = Path(shutil.copytree(directory, directory / "never-killed"))
    with Job(directory / "log", "dedup.py", *arguments(whole, "tuesday", nights[1])) as job:
        job.wait_until((whole / CLAIM).exists)
        started = time.monotonic()
        code, lines = job.finish()
        seconds = time.monotonic() - started
    assert code == 0, lines
    after = state(spark, whole / "store") | {"output": results(whole / "out")}
    assert before["groups"] != after["groups"]
    return World(directory, nights, seconds, before, after)


def arguments(directory: Path, run_id: str, night: Path) -> list[object]:
    named = ["--store", directory / "store", "--run-id", run_id, "--input", night, "--output", directory / "out"]
    return [*named, "--mode", "annotate", *PLAIN]


def rerun(spark: SparkSession, given: list[object]) -> None:
    """The same run in the session of the tests, another process than the one that was killed."""
    settings: Settings = load_settings(Settings, "", list(map(str, given)), {})
    run_dedup(spark, settings)


def state(spark: SparkSession, store: Path) -> dict[str, Any]:
    """What a reader has of a store, without the numbers of versions."""
    manifest = open_store(str(store))
    frames = StoreFrames(spark, str(store), manifest)
    return {
        "runs": [(run.run_id, run.content, run.counts) for run in manifest.runs],
        "counts": manifest.counts,
        "groups": sorted(map(tuple, members_of_store(frames).collect()), key=repr),
        "answers": sorted(map(tuple, frames.table("answers").collect()), key=repr),
        "changes": sorted(map(tuple, frames.table("changes").drop("version").collect()), key=repr),
        "documents": sorted(map(tuple, frames.table("fingerprints").collect()), key=repr),
    }


def results(output: Path) -> dict[str, list[str]]:
    """The tables that a run wrote, without the numbers of versions."""
    assert (output / "_SUCCESS").exists()
    found = {}
    for name in ("answers", "changes", "groups", "documents"):
        rows = [row for file in (output / name).rglob("*.parquet") for row in pq.read_table(file).to_pylist()]
        found[name] = sorted(repr({key: value for key, value in row.items() if key != "version"}) for row in rows)
    return found


def verify(store: Path) -> tuple[int, str]:
    """What ``jobs/store.py verify`` says of a store."""
    command = [sys.executable, str(ROOT / "jobs" / "store.py"), "verify", "--store", str(store)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False, text=True)
    return done.returncode, done.stderr


def wait_for(moment: str | float, world: World, directory: Path) -> Callable[[Job], object]:
    """What to wait for before the kill."""
    if isinstance(moment, str):
        return lambda job: job.wait_until(lambda: any(directory.glob(moment)))

    def some_time(job: Job) -> None:
        job.wait_until((directory / CLAIM).exists)
        job.wait_for(moment * world.seconds)

    return some_time


@pytest.mark.parametrize("moment", MOMENTS[:KILLS])
def test_a_killed_run_leaves_a_whole_store_and_ends_right_when_it_is_run_again(
    spark: SparkSession, world: World, tmp_path: Path, moment: str | float
) -> None:
    store = Path(shutil.copytree(world.directory / "store", tmp_path / "store"))
    run = arguments(tmp_path, "tuesday", world.nights[1])
    with Job(tmp_path / "log", "dedup.py", *run) as job:
        wait_for(moment, world, tmp_path)(job)
        code = job.kill()
    # 1 the store is whole, and a reader has all of the run or nothing
    code_of_verify, told = verify(store)
    assert code_of_verify == 0, told
    seen = state(spark, store)
    expected = world.after if len(seen["runs"]) == 2 else world.before
    assert seen == {name: expected[name] for name in seen}
    print(f"killed at {moment} (exit code {code}): {len(seen['runs'])} runs are there")
    # 2 the same run again ends as the one that was not killed
    rerun(spark, run)
    assert state(spark, store) | {"output": results(tmp_path / "out")} == world.after
    manifest = open_store(str(store))
    assert {path.name for path in (store / "data").iterdir()} == manifest.directories
    assert not (store / "work").exists()
    assert not list(store.rglob(".partial-*"))
