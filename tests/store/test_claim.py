"""Claims: one holder at a time, whatever the clocks say; no test waits."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from simhash_udf.errors import InputError, SimhashError
from simhash_udf.runtime.process import is_dead, this_process
from simhash_udf.store import claim as claims
from simhash_udf.store.claim import STALE_S, Clock, acquire
from simhash_udf.store.heartbeat import held


@dataclass
class FakeTime:
    """Time that goes on only when somebody sleeps; what happens at each sleep is up to the test."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)
    meanwhile: Any = None

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        if self.meanwhile:
            self.meanwhile()

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.now, self.sleep)


def disguise(store: Path, **changes: Any) -> None:
    """Make the newest claim one of another machine, as if its process could not be looked at."""
    place = max((store / "claims").glob("*.json"))
    content = json.loads(place.read_text())
    content["process"] |= {"machine": "another", "host": "elsewhere"} | changes
    place.write_text(json.dumps(content))


def test_a_second_run_is_refused_and_told_who_holds(tmp_path: Path) -> None:
    acquire(str(tmp_path), "run monday", wait_s=0, clock=FakeTime().clock)
    with pytest.raises(InputError, match=f"held by run monday \\(process {os.getpid()} on .*raise claim_wait"):
        acquire(str(tmp_path), "run tuesday", wait_s=0, clock=FakeTime().clock)


def test_a_released_claim_is_free_and_nothing_was_taken_over(tmp_path: Path) -> None:
    first = acquire(str(tmp_path), "run monday", wait_s=0)
    first.release()
    second = acquire(str(tmp_path), "run tuesday", wait_s=0)
    assert second.is_held()
    assert not second.was_taken_over
    assert not first.is_held()
    assert [path.name for path in (tmp_path / "claims").iterdir()] == ["00000002.json"]


def test_a_run_that_waits_gets_the_claim_when_it_is_released(tmp_path: Path) -> None:
    first, time = acquire(str(tmp_path), "run monday", wait_s=0), FakeTime()

    def release_later() -> None:
        if len(time.slept) == 5:
            first.release()

    time.meanwhile = release_later
    assert acquire(str(tmp_path), "run tuesday", wait_s=60, clock=time.clock).is_held()
    assert len(time.slept) == 5


def test_waiting_ends_at_its_limit(tmp_path: Path) -> None:
    acquire(str(tmp_path), "run monday", wait_s=0)
    time = FakeTime()
    with pytest.raises(InputError, match="waited 7 s"):
        acquire(str(tmp_path), "run tuesday", wait_s=7, clock=time.clock)
    assert sum(time.slept) == 7


def test_a_claim_without_a_beat_is_taken_over_once_it_was_seen_unchanged_for_long(tmp_path: Path) -> None:
    old = acquire(str(tmp_path), "run monday", wait_s=0)
    disguise(tmp_path)
    time = FakeTime()
    new = acquire(str(tmp_path), "run tuesday", wait_s=STALE_S + 10, clock=time.clock)
    assert new.was_taken_over
    assert STALE_S <= sum(time.slept) <= STALE_S + claims.POLL_S
    assert not old.is_held()
    with pytest.raises(SimhashError, match="taken over by another run"):
        old.check()
    old.release()  # changes nothing
    assert new.is_held()


def test_a_claim_that_beats_is_never_taken_over(tmp_path: Path) -> None:
    first = acquire(str(tmp_path), "run monday", wait_s=0)
    time = FakeTime()

    def beat() -> None:
        if len(time.slept) % 50 == 0:
            first.beat()
            disguise(tmp_path)

    disguise(tmp_path)
    time.meanwhile = beat
    with pytest.raises(InputError, match="is held"):
        acquire(str(tmp_path), "run tuesday", wait_s=10 * STALE_S, clock=time.clock)
    assert first.is_held()


@pytest.mark.parametrize("jump", [-1e9, 1e9])
def test_a_clock_that_jumps_takes_nothing_from_a_living_run(
    tmp_path: Path, jump: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = acquire(str(tmp_path), "run monday", wait_s=0)
    disguise(tmp_path)
    monkeypatch.setattr("time.time", lambda: jump)
    place = max((tmp_path / "claims").glob("*.json"))
    os.utime(place, (max(jump, 0), max(jump, 0)))
    with pytest.raises(InputError):
        acquire(str(tmp_path), "run tuesday", wait_s=STALE_S / 2, clock=FakeTime().clock)
    assert first.is_held()


@pytest.mark.parametrize("what", ["pid", "started"])
def test_a_claim_of_a_dead_process_of_this_machine_is_taken_over_at_once(tmp_path: Path, what: str) -> None:
    old = acquire(str(tmp_path), "run monday", wait_s=0)
    here = this_process()
    gone = replace(here, pid=2**22 + 1) if what == "pid" else replace(here, started="1")  # above the largest pid
    assert is_dead(gone)
    assert not is_dead(here)
    disguise(tmp_path, machine=gone.machine, pid=gone.pid, started=gone.started)
    time = FakeTime()
    new = acquire(str(tmp_path), "run tuesday", wait_s=0, clock=time.clock)
    assert new.was_taken_over
    assert not time.slept
    assert not old.is_held()


def test_a_dead_pid_of_another_machine_says_nothing(tmp_path: Path) -> None:
    acquire(str(tmp_path), "run monday", wait_s=0)
    disguise(tmp_path, pid=2**22 + 1)
    with pytest.raises(InputError, match=r"process 4194305 on elsewhere.*shows no life for 120 s"):
        acquire(str(tmp_path), "run tuesday", wait_s=0, clock=FakeTime().clock)


def test_of_many_that_want_a_stale_claim_one_gets_it(tmp_path: Path) -> None:
    acquire(str(tmp_path), "run monday", wait_s=0)
    disguise(tmp_path, machine=this_process().machine, pid=2**22 + 1)
    got: list[claims.Claim] = []
    start = threading.Barrier(8)

    def want() -> None:
        start.wait()
        try:
            got.append(acquire(str(tmp_path), "run", wait_s=0, clock=FakeTime().clock))
        except InputError:
            return

    threads = [threading.Thread(target=want) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [claim.is_held() for claim in got] == [True]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"released": "yes"}'])
def test_a_claim_that_cannot_be_read_is_held_until_it_is_stale(tmp_path: Path, content: bytes) -> None:
    acquire(str(tmp_path), "run monday", wait_s=0)
    max((tmp_path / "claims").glob("*.json")).write_bytes(content)
    with pytest.raises(InputError, match="an unknown process"):
        acquire(str(tmp_path), "run tuesday", wait_s=0, clock=FakeTime().clock)
    assert acquire(str(tmp_path), "run tuesday", wait_s=STALE_S + 10, clock=FakeTime().clock).was_taken_over


def test_where_files_are_not_exclusive_the_one_that_was_overwritten_has_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "is_exclusive", lambda _: False)
    time, other = FakeTime(), FakeTime()
    beaten: list[claims.Claim] = []

    def overwrite() -> None:
        if not beaten:
            place = tmp_path / "claims" / "00000001.json"
            beaten.append(claims.Claim(str(tmp_path), 1, "other", "run tuesday", was_taken_over=False))
            place.write_bytes(beaten[0].to_bytes())

    time.meanwhile = overwrite
    with pytest.raises(InputError, match="held by run tuesday"):
        acquire(str(tmp_path), "run monday", wait_s=0, clock=time.clock)
    assert time.slept == [claims.SETTLE_S]
    assert beaten[0].is_held()
    beaten[0].release()
    assert acquire(str(tmp_path), "run wednesday", wait_s=0, clock=other.clock).is_held()


def test_a_claim_is_released_however_its_work_ends(tmp_path: Path) -> None:
    def fail() -> None:
        with held(str(tmp_path), "run monday", wait_s=0) as claim:
            assert claim.is_held()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with held(str(tmp_path), "run tuesday", wait_s=0) as claim:
        assert not claim.was_taken_over
