"""Which process something belongs to, and whether that process is dead for certain."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_GONE = {"Z", "X", "x"}
"""States of a process that has ended and waits for its parent to notice."""


@dataclass(frozen=True)
class Process:
    """A process of some machine.

    Parameters
    ----------
    host
        Name of the machine, for people.
    machine
        Boot and process namespace where the system tells (Linux), else the name: process ids of equal machines are of
        one numbering.
    pid, started
        Process id, and when it was started in ticks since boot; the id alone may have been given again. Empty where
        the system does not tell.
    """

    host: str
    machine: str
    pid: int
    started: str

    @classmethod
    def from_json(cls, value: Any) -> Process | None:
        """Return the process of a JSON object, None if it is not one."""
        try:
            return cls(str(value["host"]), str(value["machine"]), int(value["pid"]), str(value["started"]))
        except (KeyError, TypeError, ValueError):
            return None


def this_process() -> Process:
    """Return the process that calls."""
    host, pid = socket.gethostname(), os.getpid()
    stat = _stat(pid)
    return Process(host, _machine() or host, pid, stat[1] if stat else "")


def is_dead(process: Process) -> bool:
    """Say whether a process is dead for certain: it was of this machine, and is not there any more."""
    if process.machine != (_machine() or socket.gethostname()):
        return False
    stat = _stat(process.pid)
    if stat is not None:
        state, started = stat
        return state in _GONE or (bool(process.started) and started != process.started)
    try:
        os.kill(process.pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False


def _machine() -> str:
    """Boot and process namespace, empty where the system does not tell."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def _stat(pid: int) -> tuple[str, str] | None:
    """State and start of a process, None where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return None
    return fields[0], fields[19]  # fields 3 and 22 of proc(5)
