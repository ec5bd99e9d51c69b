"""A Spark standalone cluster on loopback: one master and some workers, each a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

SPARK_CLASS = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
START_LIMIT_S = 90


@contextmanager
def standalone_cluster(directory: Path, workers: int) -> Iterator[str]:
    """Start a cluster whose workers have one core and 1 GB each, give its address, and stop it at the end."""
    processes: list[subprocess.Popen[bytes]] = []
    try:
        master = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        processes.append(_start(master, directory / "master.log"))
        address = _wait_for(r"Starting Spark master at (spark://\S+)", directory / "master.log")
        for number in range(workers):
            worker = ["org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0"]
            place = ["--cores", "1", "--memory", "1g", "--work-dir", str(directory / f"work-{number}"), address]
            processes.append(_start(worker + place, directory / f"worker-{number}.log"))
        for number in range(workers):
            _wait_for("Successfully registered with master", directory / f"worker-{number}.log")
        yield address
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait(timeout=30)


def _start(command: list[str], log: Path) -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SPARK_")}
    environment["SPARK_LOCAL_IP"] = "127.0.0.1"
    with log.open("wb") as stream:
        return subprocess.Popen([SPARK_CLASS, *command], stdout=stream, stderr=subprocess.STDOUT, env=environment)


def _wait_for(pattern: str, log: Path) -> str:
    """Poll a log for a line; give the first group of the pattern, or all of it."""
    limit = time.monotonic() + START_LIMIT_S
    while time.monotonic() < limit:
        found = re.search(pattern, log.read_text("utf-8", errors="replace"))
        if found:
            return found.group(found.lastindex or 0)
        time.sleep(0.2)
    raise TimeoutError(f"no {pattern!r} in {log}:\n{log.read_text('utf-8', errors='replace')[-2000:]}")
