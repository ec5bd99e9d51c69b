"""Run the unmarked commands of one page in order, in one Spark session and in a directory of their own.

Started as ``python -m tests.documentation.run_page PAGE DIRECTORY``. A job runs in this process, with its own command
line and environment, instead of under spark-submit, whose start would take most of the time; `test_spark_submit.py` has
that. The Python blocks of pages in `WITH_PYTHON` run between the commands.
"""

from __future__ import annotations

import os
import runpy
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pyspark.sql import SparkSession

from simhash_udf.runtime import entry
from simhash_udf.runtime.session import RUNTIME_DEFAULTS
from tests.documentation.commands import job_of
from tests.documentation.snippets import ROOT, Block, blocks_of

WITH_PYTHON = {"docs/tutorial.md"}

BEFORE = {
    "docs/report.md": ["spark-submit jobs/dedup.py --input data/pages --output data/pages-groups"],
}
"""What a reader of the page has done already."""


def main() -> None:
    """Run the page, or end with what failed."""
    page, place = sys.argv[1:]
    os.chdir(place)  # before Java starts: it takes relative paths from there
    spark = _session()
    with patch.object(entry, "start_session", lambda _: spark), patch.object(SparkSession, "stop", lambda _: None):
        for command in BEFORE.get(page, []):
            _run_command(shlex.split(command))
        namespace: dict[str, Any] = {"__name__": "page"}
        for block in blocks_of(ROOT / page):
            _run_block(block, namespace)


def _session() -> SparkSession:
    builder = SparkSession.builder.master("local[2]").appName("pages")
    settings = {
        "spark.driver.memory": "2g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # few rows: what pays only for many is off
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.codegen.wholeStage": "false",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    for name, value in (RUNTIME_DEFAULTS | settings).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def _run_block(block: Block, namespace: dict[str, Any]) -> None:
    if block.mark is not None:
        return
    if block.language == "bash":
        for words in block.commands():
            _run_command(words)
    elif block.language == "python" and block.page in WITH_PYTHON:
        exec(compile("\n" * block.line + block.text, block.page, "exec"), namespace)


def _run_command(words: list[str]) -> None:
    job = job_of(words)
    if words[:2] == ["rm", "-r"]:
        shutil.rmtree(Path(words[2]))
    if job is None:
        return  # make, which .ci/run runs, and export
    print("running:", shlex.join(words), flush=True)
    with patch.dict(os.environ, dict(job.environment)), patch.object(sys, "argv", [job.script, *job.arguments]):
        try:
            runpy.run_path(job.script, run_name="__main__")
        except SystemExit as ended:
            if ended.code:
                sys.exit(f"exit code {ended.code} of: {shlex.join(words)}")


if __name__ == "__main__":
    main()
