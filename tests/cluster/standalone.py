"""A Spark standalone cluster on loopback: a master and machines, whose Python has nothing but the interpreter.

A machine is a process group: the worker, and the executors that it starts. They end together, as when the power goes.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pyspark

SPARK = Path(pyspark.__file__).parent
START_LIMIT_S = 90
Seen = TypeVar("Seen")


class Machine:
    """A worker with one core and 1 GB, and the executors that it starts."""

    def __init__(self, master: str, directory: Path, python: Path) -> None:
        self.directory = directory
        directory.mkdir()
        worker = ["org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0"]
        place = ["--cores", "1", "--memory", "1g", "--work-dir", str(directory / "work"), master]
        self._process = _start(worker + place, directory / "log", python)
        _line("Successfully registered with master", directory / "log")

    def executors(self) -> set[str]:
        """The applications that have had an executor here."""
        return {place.parent.name for place in (self.directory / "work").glob("app-*/*")}

    def pause(self) -> None:
        """Stop all processes of the machine where they are."""
        os.killpg(self._process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """Undo `pause`."""
        os.killpg(self._process.pid, signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL to all processes of the machine, also if it is dead already."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(timeout=30)


class Cluster:
    """A master and its machines."""

    def __init__(self, directory: Path) -> None:
        self.python = _bare_python(directory / "bare")
        self.machines: list[Machine] = []
        self._directory = directory
        command = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        self._master = _start(command, directory / "master.log", self.python)
        self.address = _line(r"Starting Spark master at (spark://\S+)", directory / "master.log")

    def add_machine(self) -> Machine:
        """Start another machine and wait until the master knows it."""
        number = len(list(self._directory.glob("machine-*")))
        machine = Machine(self.address, self._directory / f"machine-{number}", self.python)
        self.machines.append(machine)
        return machine

    def stop(self) -> None:
        """End every process."""
        for machine in self.machines:
            machine.kill()
        self._master.kill()
        self._master.wait(timeout=30)


@contextmanager
def standalone_cluster(directory: Path, machines: int) -> Iterator[Cluster]:
    """Start a cluster, give it, and end all of its processes."""
    cluster = Cluster(directory)
    try:
        for _ in range(machines):
            cluster.add_machine()
        yield cluster
    finally:
        cluster.stop()


def wait_for(look: Callable[[], Seen | None], what: str, limit_s: float = START_LIMIT_S) -> Seen:
    """Look again and again until something is seen; give it."""
    limit = time.monotonic() + limit_s
    while time.monotonic() < limit:
        seen = look()
        if seen is not None:
            return seen
        time.sleep(0.05)
    raise TimeoutError(what)


def _bare_python(directory: Path) -> Path:
    """The interpreter of this run with its standard library alone."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(directory)], check=True)
    return directory / "bin" / "python3"


def _start(command: list[str], log: Path, python: Path) -> subprocess.Popen[bytes]:
    """Start a process of Spark in a group of its own; no package, path or setting of this run gets into it."""
    java = shutil.which("java", path=f"{os.environ.get('JAVA_HOME', '')}/bin:{os.environ['PATH']}")
    assert java, "Spark needs Java"
    path = os.pathsep.join([str(python.parent), str(Path(java).parent), os.defpath])
    environment = {"PATH": path, "SPARK_HOME": str(SPARK), "SPARK_LOCAL_IP": "127.0.0.1"}
    if "JAVA_HOME" in os.environ:
        environment["JAVA_HOME"] = os.environ["JAVA_HOME"]
    with log.open("wb") as stream:
        return subprocess.Popen(
            [str(SPARK / "bin" / "spark-class"), *command],
            stdout=stream,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )


def _line(pattern: str, log: Path) -> str:
    """Wait for a line of a log; give the first group of the pattern, or all of it."""

    def look() -> str | None:
        found = re.search(pattern, log.read_text("utf-8", errors="replace"))
        return found.group(found.lastindex or 0) if found else None

    return wait_for(look, f"no {pattern!r} in {log}")
