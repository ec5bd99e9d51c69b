"""A run in a pseudo-terminal and a run into a file, as a user and a scheduler see them, and its event log."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
import urllib.request
from pathlib import Path
from typing import Any

import pyspark
import pytest

from simhash_udf.sample import generate_documents, write_corpus
from tests.environment import job_environment

pytestmark = pytest.mark.processes

JOB = "jobs/dedup.py"
ROOT = Path(__file__).resolve().parents[2]
SPARK = Path(pyspark.__file__).parent
ENVIRONMENT = job_environment()
ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("corpus")
    write_corpus(generate_documents(1_000, seed=3), place)
    return place


def command(corpus: Path, output: Path, *options: str) -> list[str]:
    spark = [str(SPARK / "bin" / "spark-submit"), "--master", "local[2]", "--conf", "spark.ui.enabled=false"]
    return [*spark, *options, JOB, "--input", str(corpus), "--output", str(output)]


def run_in_terminal(words: list[str]) -> str:
    """What a terminal of 120 columns shows of a command that must end well."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    job = subprocess.Popen(words, cwd=ROOT, env=ENVIRONMENT, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65_536)
        except OSError:  # the last one that had it open is gone
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert job.wait() == 0, shown.decode("utf-8", errors="replace")[-4_000:]
    return ESCAPES.sub("", shown.decode("utf-8", errors="replace"))


@pytest.mark.parametrize("starts", ["spark-submit", "python"])
def test_a_terminal_has_a_bar_and_whole_lines(corpus: Path, tmp_path: Path, starts: str) -> None:
    words = command(corpus, tmp_path / "out")
    shown = run_in_terminal(words if starts == "spark-submit" else [sys.executable, *words[words.index(JOB) :]])
    bars = re.findall(r"(\w[\w-]*) +(\d+)% \|[^|]*\| (\d+)/(\d+) tasks(?:, ([\d,]+) rows)?, [\d:]+, \S+ left", shown)
    assert {name for name, *_ in bars} >= {"fingerprints"}
    assert any(int(done) > 0 for _, _, done, _, _ in bars)
    assert any(rows.replace(",", "").isdigit() and int(rows.replace(",", "")) > 0 for *_, rows in bars)
    lines = [re.split(r"\r(?!\n)", line.rstrip("\r"))[-1] for line in shown.split("\n")]
    ended = [line for line in lines if "state=done" in line]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d [\d:,]+ INFO stage=\S+ state=done.*", line.strip()) for line in ended)
    assert len(ended) >= 6


def test_a_log_has_no_bar_and_the_history_server_knows_the_stages(corpus: Path, tmp_path: Path) -> None:
    events = tmp_path / "events"
    events.mkdir()
    options = ["--conf", "spark.eventLog.enabled=true", "--conf", f"spark.eventLog.dir={events.as_uri()}"]
    words = command(corpus, tmp_path / "out", *options)
    job = subprocess.run(
        words, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert job.returncode == 0, job.stdout[-4_000:]
    assert "tasks" not in job.stdout
    assert "\r" not in job.stdout
    stages = set(re.findall(r"stage=(\S+) state=running", job.stdout))
    described = {found.get("description") for found in history(events)}
    assert {"fingerprints", "groups", "results"} <= stages & described


def history(events: Path) -> list[dict[str, Any]]:
    """The jobs of the one application that a history server finds in a directory of event logs."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = f"-Dspark.history.fs.logDirectory={events.as_uri()} -Dspark.history.ui.port={port}"
    server = subprocess.Popen(
        [str(SPARK / "bin" / "spark-class"), "org.apache.spark.deploy.history.HistoryServer"],
        env=ENVIRONMENT | {"SPARK_HISTORY_OPTS": options, "SPARK_DAEMON_MEMORY": "512m"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        base = f"http://127.0.0.1:{port}/api/v1/applications"
        (application,) = _asked(base, server)
        found: list[dict[str, Any]] = _asked(f"{base}/{application['id']}/jobs", server)
        return found
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()


def _asked(url: str, server: subprocess.Popen[bytes]) -> Any:
    """An answer that is not empty, as soon as the server has read its logs; a minute at most."""
    until = time.monotonic() + 60
    while server.poll() is None and time.monotonic() < until:
        try:
            with urllib.request.urlopen(url) as answer:
                found = json.load(answer)
        except OSError:
            found = []
        if found:
            return found
        time.sleep(0.5)
    raise AssertionError(f"the history server does not answer {url}")
