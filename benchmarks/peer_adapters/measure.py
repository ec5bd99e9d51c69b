"""One run of one peer on one file: seconds, memory, and the groups against the labels."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from benchmarks.monitor import Monitor
from benchmarks.peer_adapters.catalogue import Setting
from simhash_udf.evaluation.metrics import Scores, pair_scores

ROOT = Path(__file__).resolve().parents[2]
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
ERROR_CHARACTERS = 300


@dataclass(frozen=True)
class Task:
    """What to run, on which file, with how many cores, for how long at most, and where it may write."""

    peer: str
    adapter: str
    setting: Setting
    workers: int
    data: Path
    limit_s: float
    scratch: Path


@dataclass(frozen=True)
class Outcome:
    """A line of the results. `precision`, `recall` and `f1` are None if the run did not come to an end."""

    peer: str
    setting: Setting
    workers: int
    corpus: str
    documents: int
    seconds: float
    processor_s: float
    peak_bytes: int
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    versions: str = ""
    sweep: bool = False
    problem: str = ""

    def json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)


def measure(task: Task, python: Path) -> Outcome:
    """Run the adapter as a process of its own and score its groups; what is kept on disk is deleted."""
    work = Path(tempfile.mkdtemp(prefix="run-", dir=task.scratch.resolve()))
    try:
        return _measure(task, python, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _measure(task: Task, python: Path, work: Path) -> Outcome:
    scratch, output = work / "scratch", work / "groups.parquet"
    scratch.mkdir()
    module = f"benchmarks.peer_adapters.{task.adapter}"
    files = ["--input", task.data.resolve(), "--output", output.resolve(), "--work", scratch.resolve()]
    command = [python, "-m", module, *files, "--setting", json.dumps(task.setting), "--workers", str(task.workers)]
    started = time.monotonic()
    with (work / "log").open("w+b") as log:
        process = start([str(part) for part in command], task.workers, log.fileno())
        with Monitor(scratch, process.pid) as monitor:
            problem = wait(process, task.limit_s)
        seconds = time.monotonic() - started
        log.seek(0)
        if problem and not problem.startswith("over"):
            problem += ": " + log.read().decode(errors="replace").strip()[-ERROR_CHARACTERS:]
    documents = pq.read_metadata(task.data).num_rows
    about = (task.peer, task.setting, task.workers, task.data.stem, documents)
    spent = (round(seconds, 2), round(monitor.processor_s, 2), monitor.peak_memory["all"])
    outcome = Outcome(*about, *spent, problem=problem)
    if problem:
        return outcome
    scores = score(task.data, output)
    return replace(outcome, precision=scores.precision, recall=scores.recall, f1=scores.f1)


def start(command: list[str], workers: int, log: int) -> subprocess.Popen[bytes]:
    """Start the command on that many cores, in a process group of its own."""
    threads = dict.fromkeys(THREADS, str(workers))
    environment = os.environ | threads | {"PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": command[0]}
    # a group to end it by; a session of its own would lose the priority that this process was given; PLW1509 warns of
    # threads, of which this process has none here
    process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=ROOT, preexec_fn=os.setpgrp)  # noqa: PLW1509
    os.sched_setaffinity(process.pid, sorted(os.sched_getaffinity(0))[:workers])
    return process


def wait(process: subprocess.Popen[bytes], limit_s: float) -> str:
    """Wait for the end; return what went wrong, in a few words, or nothing."""
    try:
        code = process.wait(limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return f"over {limit_s:.0f} s"
    return f"ended with {code}" if code else ""


def score(data: Path, output: Path) -> Scores:
    """Score the groups by pairs of documents; the rows of both files are in one order."""
    found, labels = pq.read_table(output), pq.read_table(data, columns=["id", "cluster"])
    if not found["id"].equals(labels["id"]):
        raise ValueError(f"{output} does not have the documents of {data} in their order")
    clusters = np.unique(labels["cluster"].to_numpy(zero_copy_only=False), return_inverse=True)[1]
    return pair_scores(clusters, found["group"].to_numpy())
