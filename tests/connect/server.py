"""A Spark Connect server on loopback, a process of its own, whose Python workers find this package in the checkout."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyspark

from tests.environment import job_environment

ROOT = Path(__file__).resolve().parents[2]
START = Path(pyspark.__file__).parent / "sbin" / "start-connect-server.sh"
LIMIT_S = 120


@contextmanager
def connect_server(directory: Path, settings: Mapping[str, str]) -> Iterator[str]:
    """Start a server on two cores, give its address, and stop it at the end."""
    port = _free_port()
    given = {"spark.connect.grpc.binding.address": "127.0.0.1", "spark.connect.grpc.binding.port": str(port)}
    words = [word for name, value in (given | settings).items() for word in ("--conf", f"{name}={value}")]
    log = directory / "connect.log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            ["bash", str(START), "--master", "local[2]", *words],
            env=_environment(directory),
            cwd=directory,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _wait_until_it_listens(process, log)
        yield f"sc://127.0.0.1:{port}"
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(LIMIT_S)


def _environment(directory: Path) -> dict[str, str]:
    places = {"SPARK_LOG_DIR": str(directory), "SPARK_PID_DIR": str(directory), "PYTHONPATH": str(ROOT)}
    return job_environment(SPARK_NO_DAEMONIZE="1", **places)


def _free_port() -> int:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return int(place.getsockname()[1])


def _wait_until_it_listens(process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + LIMIT_S
    while not re.search("Spark Connect server started at", log.read_text("utf-8", errors="replace")):
        said = log.read_text("utf-8", errors="replace")[-3000:]
        assert process.poll() is None, said
        assert time.monotonic() < end, said
        time.sleep(0.1)
