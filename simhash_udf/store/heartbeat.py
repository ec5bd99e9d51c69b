"""Holding a claim while something is done: a thread of the driver beats, and the claim is released at the end."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from simhash_udf.store.claim import BEAT_S, Claim, acquire

log = logging.getLogger("simhash_udf")


@contextmanager
def held(store: str, purpose: str, *, wait_s: float) -> Iterator[Claim]:
    """Hold the claim of a store; see `claim.acquire` for what is raised."""
    claim = acquire(store, purpose, wait_s=wait_s)
    stop = threading.Event()
    thread = threading.Thread(target=_beat, args=(claim, stop), daemon=True, name="store claim")
    thread.start()
    try:
        yield claim
    finally:
        stop.set()
        thread.join()
        claim.release()


def _beat(claim: Claim, stop: threading.Event) -> None:
    """Beat until told to stop, or until the claim is lost."""
    while not stop.wait(BEAT_S):
        try:
            if not claim.is_held():
                log.warning("another run took the store over; this one will write nothing")
                return
            claim.beat()
        except OSError as error:
            log.warning("the claim on the store could not be refreshed: %s", error)
