"""Two jobs at once on one store, as processes: one waits or is refused, and the store is that of one after another."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from simhash_udf.store.checking import verify_store
from simhash_udf.store.manifest import open_store
from tests.store.nightly_batches import PLAIN, write_nights
from tests.store.test_killed_runs import rerun, state
from tests.submitting import Job

pytestmark = pytest.mark.processes


def arguments(store: Path, run_id: str, night: Path, *, wait_s: int) -> list[object]:
    return ["--store", store, "--run-id", run_id, "--input", night, "--claim-wait", wait_s, *PLAIN]


def in_turn(spark: SparkSession, store: Path, nights: dict[str, Path]) -> dict[str, Any]:
    """What a store has after the same runs one after another."""
    for run_id, night in nights.items():
        rerun(spark, arguments(store, run_id, night, wait_s=0))
    return state(spark, store)


def test_while_one_run_is_at_work_another_is_refused_or_waits(spark: SparkSession, tmp_path: Path) -> None:
    nights = dict(zip(("one", "two"), write_nights(tmp_path, 2), strict=True))
    store = tmp_path / "store"
    later = arguments(store, "two", nights["two"], wait_s=300)
    with Job(tmp_path / "one.log", "dedup.py", *arguments(store, "one", nights["one"], wait_s=0)) as one:
        assert one.wait_until((store / "claims" / "00000001.json").exists)
        one.send(signal.SIGSTOP)  # it holds the claim and stands still, so the others do meet it
        with Job(tmp_path / "no.log", "dedup.py", *arguments(store, "two", nights["two"], wait_s=0)) as impatient:
            code, lines = impatient.finish()
        assert code == 2, lines
        assert f"store={store} is held by run one (process " in lines
        with Job(tmp_path / "two.log", "dedup.py", *later) as two:
            assert two.wait_until(lambda: "is held by run one" in two.lines())
            assert not list(store.glob("manifests/*"))
            one.send(signal.SIGCONT)
            codes = [one.finish(), two.finish()]
    assert [code for code, _ in codes] == [0, 0], codes
    verify_store(str(store))
    assert state(spark, store) == in_turn(spark, tmp_path / "in-turn", nights)


def test_two_runs_started_together_are_written_one_after_the_other(spark: SparkSession, tmp_path: Path) -> None:
    nights = dict(zip(("one", "two"), write_nights(tmp_path, 2), strict=True))
    store = tmp_path / "store"
    jobs = [
        Job(tmp_path / f"{run_id}.log", "dedup.py", *arguments(store, run_id, night, wait_s=300))
        for run_id, night in nights.items()
    ]
    with jobs[0], jobs[1]:
        codes = [job.finish() for job in jobs]
    assert [code for code, _ in codes] == [0, 0], codes
    verify_store(str(store))
    order = [run.run_id for run in open_store(str(store)).runs]
    assert sorted(order) == ["one", "two"]
    assert open_store(str(store)).version == 2
    assert state(spark, store) == in_turn(spark, tmp_path / "in-turn", {name: nights[name] for name in order})
