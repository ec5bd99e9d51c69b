"""The claim: who may write to a store, and when a claim counts as given up.

Claims are numbered files and the highest number holds. A claim is created exclusively under the next number, and never
taken from another file's name, so of two runs that want it one gets it. The holder raises the beat in its claim now and
then, and writes ``released`` into it at the end. An observer takes over (creates the next number) when the claim is
released, when its process is dead for certain, or when it has not changed for `STALE_S` seconds by the observer's own
monotonic clock: nobody's calendar is compared, so a clock that jumps does no harm.

Where files cannot be created exclusively (object stores), two may write the same number at the same moment; after
`SETTLE_S` seconds each reads what is there, and the one whose claim was overwritten has lost.
"""

from __future__ import annotations

import json
import logging
import time
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from simhash_udf.errors import InputError, SimhashError
from simhash_udf.runtime.exclusive import create_exclusively, is_exclusive
from simhash_udf.runtime.process import Process, is_dead, this_process
from simhash_udf.runtime.storage import delete, list_names, read_bytes, write_bytes
from simhash_udf.store.layout import CLAIMS, number_of, numbered

log = logging.getLogger("simhash_udf")

BEAT_S = 10.0
"""Seconds between two beats."""

STALE_S = 120.0
"""Seconds without a beat after which a claim is given up: twelve beats, so that a stalled disk is not death."""

POLL_S = 2.0
SETTLE_S = 3.0


@dataclass(frozen=True)
class Clock:
    """Time as an observer sees it; tests give another one."""

    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class Claim:
    """The right to write to a store, until it is released or lost.

    Parameters
    ----------
    store
        Directory of the store.
    number, token
        Of the claim; the token is its holder's alone.
    purpose
        What the holder does, for the message that others get.
    was_taken_over
        Whether the holder before did not release it, and so may still believe that it holds.
    """

    def __init__(self, store: str, number: int, token: str, purpose: str, *, was_taken_over: bool) -> None:
        self.token = token
        self.was_taken_over = was_taken_over
        self._store = store
        self._number = number
        self._content: dict[str, Any] = {
            "token": token,
            "purpose": purpose,
            "process": asdict(this_process()),
            "beat": 0,
            "released": False,
        }

    def to_bytes(self) -> bytes:
        """Return the content of the claim's file."""
        return (json.dumps(self._content, indent=2) + "\n").encode("utf-8")

    def beat(self) -> None:
        """Show that the holder is alive."""
        self._content["beat"] += 1
        write_bytes(self._place, self.to_bytes())

    def is_held(self) -> bool:
        """Say whether nobody has taken the claim over."""
        number, content = _newest(self._store)
        return number == self._number and _parsed(content).get("token") == self.token

    def check(self) -> None:
        """Raise if the claim was taken over.

        Raises
        ------
        SimhashError
            Another run took it for dead; nothing of this run may become visible.
        """
        if not self.is_held():
            raise SimhashError(
                f"store={self._store} was taken over by another run while this one stood still; nothing was written: "
                f"run again"
            )

    def release(self) -> None:
        """Give the claim up; nothing happens if it was taken over."""
        if self.is_held():
            self._content["released"] = True
            write_bytes(self._place, self.to_bytes())

    @property
    def _place(self) -> str:
        return f"{self._store}/{CLAIMS}/{numbered(self._number)}"


@dataclass
class Watch:
    """What an observer has seen of the claims of others."""

    clock: Clock
    _seen: bytes | None = None
    _since: float = field(default=0.0)

    def is_stale(self, number: int, content: bytes) -> bool:
        """Say whether the newest claim has looked the same for `STALE_S` seconds of the observer's own time."""
        now, seen = self.clock.monotonic(), numbered(number).encode() + content
        if seen != self._seen:
            self._seen, self._since = seen, now
        return now - self._since >= STALE_S


def acquire(store: str, purpose: str, *, wait_s: float, clock: Clock | None = None) -> Claim:
    """Return the claim of a store, once it is free.

    Raises
    ------
    InputError
        Another run holds it, and still does after ``wait_s`` seconds.
    """
    clock = clock or Clock()
    watch, end, is_told = Watch(clock), clock.monotonic() + wait_s, False
    while True:
        number, content = _newest(store)
        is_free = number == 0 or _parsed(content).get("released") is True
        if is_free or _is_given_up(number, content, watch):
            claim = _create(store, number + 1, purpose, clock=clock, was_taken_over=not is_free)
            if claim is not None:
                return claim
            continue  # another was faster; its claim is the newest now
        if clock.monotonic() >= end:
            raise InputError(f"store={store} is held by {_holder(content)}; {_advice(wait_s)}")
        if not is_told:
            log.info("store=%s is held by %s; waiting up to %.0f s", store, _holder(content), wait_s)
            is_told = True
        clock.sleep(min(POLL_S, max(end - clock.monotonic(), 0.0)))


def _is_given_up(number: int, content: bytes, watch: Watch) -> bool:
    """Whether the holder of a claim that was not released is dead, or has shown no beat for long."""
    is_stale = watch.is_stale(number, content)
    process = Process.from_json(_parsed(content).get("process"))
    if process is not None and is_dead(process):
        log.warning("the run that held the store (%s) is dead; going on without it", _holder(content))
        return True
    if is_stale:
        log.warning("the run that held the store (%s) shows no life; going on without it", _holder(content))
    return is_stale


def _create(store: str, number: int, purpose: str, *, clock: Clock, was_taken_over: bool) -> Claim | None:
    """Create the claim of that number, None if another has it; then the claims before it go."""
    claim = Claim(store, number, uuid.uuid4().hex, purpose, was_taken_over=was_taken_over)
    place = f"{store}/{CLAIMS}"
    if not create_exclusively(f"{place}/{numbered(number)}", claim.to_bytes()):
        return None
    if not is_exclusive(place):
        clock.sleep(SETTLE_S)
        if not claim.is_held():
            return None
    for name in list_names(place):
        if (number_of(name.removesuffix(".partial")) or number) < number:
            delete(f"{place}/{name}")
    return claim


def _newest(store: str) -> tuple[int, bytes]:
    """Number and content of the newest claim, 0 if there is none."""
    numbers = [number_of(name) or 0 for name in list_names(f"{store}/{CLAIMS}")]
    while numbers:
        number = max(numbers)
        try:
            return number, read_bytes(f"{store}/{CLAIMS}/{numbered(number)}") if number else b""
        except FileNotFoundError:  # taken away by the holder of a newer one
            numbers = [number_of(name) or 0 for name in list_names(f"{store}/{CLAIMS}")]
    return 0, b""


def _parsed(content: bytes) -> dict[str, Any]:
    """A claim's content, empty where it cannot be read."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _holder(content: bytes) -> str:
    """Who holds a claim, for a message."""
    value = _parsed(content)
    process = Process.from_json(value.get("process"))
    where = f"process {process.pid} on {process.host}" if process else "an unknown process"
    return f"{value.get('purpose', 'another run')} ({where})"


def _advice(wait_s: float) -> str:
    more = f"; one that shows no life for {STALE_S:.0f} s is taken over by a run that waits that long"
    return f"waited {wait_s:.0f} s, raise claim_wait or run again later" + (more if wait_s < STALE_S else "")
