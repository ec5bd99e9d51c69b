"""A virtual environment for each peer, made when it is first asked for."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.peer_adapters.catalogue import Peer

VERSION = "import sys; print(*sys.version_info[:2])"


class NotInstallableError(Exception):
    """A peer that this machine cannot have, with the reason."""


def python_of(peer: Peer, cache: Path, interpreters: list[Path]) -> Path:
    """Return the Python of the peer's environment; this one for what the project itself depends on."""
    if not peer.packages:
        return Path(sys.executable)
    place = cache.resolve() / re.sub(r"\W+", "-", peer.packages[0]).strip("-")
    if not (place / "whole").exists():
        shutil.rmtree(place, ignore_errors=True)
        _make(place, peer, interpreters)
        (place / "whole").touch()
    return place / "bin" / "python"


def versions(peer: Peer, python: Path) -> str:
    """Return name and version of what was installed for the peer, the peer first."""
    names = [re.split(r"[\[<]", package)[0] for package in peer.packages] or ["pyspark"]
    code = "import sys, importlib.metadata as m; print(*(f'{n} {m.version(n)}' for n in sys.argv[1:]), sep=', ')"
    done = subprocess.run([python, "-c", code, *names], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _make(place: Path, peer: Peer, interpreters: list[Path]) -> None:
    python = _interpreter(peer, interpreters)
    subprocess.run([python, "-m", "venv", place], check=True)
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*pip, *peer.packages, "pyarrow"], capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "ERROR" in line]
        raise NotInstallableError("; ".join(errors[-2:]) or f"pip ended with {done.returncode}")


def _interpreter(peer: Peer, interpreters: list[Path]) -> Path:
    """The first interpreter that is new enough."""
    for python in (Path(sys.executable), *interpreters):
        done = subprocess.run([python, "-c", VERSION], capture_output=True, text=True, check=False)
        if done.returncode == 0 and tuple(map(int, done.stdout.split())) >= peer.python:
            return python
    wanted = ".".join(map(str, peer.python))
    raise NotInstallableError(f"needs Python {wanted} or later; give one with --interpreter")
