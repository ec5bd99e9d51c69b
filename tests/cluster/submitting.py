"""The jobs as they are submitted to a cluster: by the command of the documentation, with the packed environment."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

from tests.cluster.standalone import SPARK
from tests.environment import job_environment

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "deploy" / "standalone.md"
LIMIT_S = 400
SUBMIT = str(SPARK / "bin" / "spark-submit")
LOCAL = [SUBMIT, "--master", "local[2]", "--conf", f"spark.pyspark.python={sys.executable}"]


def documented(master: str, archive: Path) -> list[str]:
    """The command for small executors of the page, up to the job, with this cluster, archive and Python in it."""
    _, small = re.findall(r"^spark-submit --master spark:.*?jobs/dedup\.py", PAGE.read_text("utf-8"), re.M | re.S)
    words = shlex.split(small.replace("\\\n", " "))[:-1]
    places = {
        "spark-submit": SUBMIT,
        "spark://host:7077": master,
        "dist/environment.tar.gz#environment": f"{archive}#environment",
        "spark.pyspark.driver.python=.venv/bin/python": f"spark.pyspark.driver.python={sys.executable}",
    }
    assert set(places) <= set(words), words
    return [places.get(word, word) for word in words]


class Submitted:
    """A job that runs, in a process group of its own."""

    def __init__(
        self, log: Path, spark: list[str], job: str, *options: object, conf: dict[str, str] | None = None
    ) -> None:
        settings = [word for key, value in (conf or {}).items() for word in ("--conf", f"{key}={value}")]
        environment = job_environment("PYTHON", SPARK_HOME=str(SPARK))
        del environment["PYSPARK_PYTHON"], environment["PYSPARK_DRIVER_PYTHON"]  # the command says which
        self._log = log
        with log.open("wb") as stream:
            self._process = subprocess.Popen(
                [*spark, *settings, f"jobs/{job}.py", *map(str, options)],
                cwd=ROOT,
                env=environment,
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def lines(self) -> list[str]:
        """What it has said."""
        return self._log.read_text(encoding="utf-8", errors="replace").splitlines()

    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def finish(self, limit_s: float = LIMIT_S) -> int:
        """Wait for its end; give the exit code."""
        try:
            return self._process.wait(limit_s)
        finally:
            self.kill()

    def kill(self) -> None:
        """End it, if it has not ended."""
        if self.is_running():
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(timeout=30)
