"""A job under spark-submit as a process of its own, to be watched, killed, and stopped for a while."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.environment import job_environment

ROOT = Path(__file__).resolve().parent.parent
LIMIT_S = 300
PAUSE_S = 0.0005
"""Between two looks at the files: the commit of a store takes a few milliseconds."""


class Job:
    """A job under spark-submit, in a process group of its own; a context that leaves no process behind."""

    def __init__(self, log: Path, script: str, *arguments: object) -> None:
        beside = Path(sys.executable).with_name("spark-submit")
        program = str(beside) if beside.exists() else shutil.which("spark-submit")
        assert program, "spark-submit comes with pyspark"
        spark = [program, "--master", "local[2]", "--conf", "spark.ui.enabled=false"]
        spark += ["--conf", "spark.sql.shuffle.partitions=4"]
        spark += ["--conf", "spark.network.timeout=600s"]  # a job that was stopped for a while goes on
        spark += [str(ROOT / "jobs" / script)]
        self._log = log
        with log.open("wb") as stream:  # a file, not a pipe that fills up; spark-submit mixes the driver's streams
            self._process = subprocess.Popen(
                [*spark, *map(str, arguments)],
                cwd=ROOT,
                env=job_environment(),
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def __enter__(self) -> Job:
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()

    def finish(self) -> tuple[int, str]:
        """Exit code and all lines."""
        code = self._process.wait(LIMIT_S)
        return code, self.lines()

    def lines(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def wait_until(self, is_so: Callable[[], object]) -> bool:
        """Whether something became so before the job ended."""
        end = time.monotonic() + LIMIT_S
        while not is_so():
            if self._process.poll() is not None:
                return bool(is_so())
            assert time.monotonic() < end, f"waited {LIMIT_S} s\n{self.lines()}"
            time.sleep(PAUSE_S)
        return True

    def wait_for(self, seconds: float) -> None:
        """Let the job run for some time, or to its end."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def kill(self) -> int:
        """SIGKILL to the whole group; the exit code, which is that of the signal unless the job was at its end."""
        self.send(signal.SIGKILL)
        return self._process.wait()

    def send(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)
