"""This project's job, as a user runs it: ``spark-submit jobs/dedup.py``."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq

from benchmarks.peer_adapters.frame import run

ROOT = Path(__file__).resolve().parents[2]


def find(options: argparse.Namespace) -> list[int]:
    """Run the job on the file that was given."""
    submit = str(Path(sys.executable).with_name("spark-submit"))
    spark = ["--master", f"local[{options.workers}]", "--properties-file", "conf/spark-local.conf"]
    spark += ["--conf", f"spark.local.dir={options.work}"]
    files = ["--input", str(options.input), "--output", str(options.work / "result")]
    subprocess.run([submit, *spark, "jobs/dedup.py", *files, *options.setting["options"]], cwd=ROOT, check=True)
    found = pq.read_table(options.work / "result" / "groups", columns=["doc_id", "group_id"])
    numbers = {name: number for number, name in enumerate(dict.fromkeys(found["group_id"].to_pylist()))}
    groups = dict(zip(found["doc_id"].to_pylist(), map(numbers.get, found["group_id"].to_pylist()), strict=True))
    ids = pq.read_table(options.input, columns=["id"])["id"].to_pylist()
    return [groups.get(name, len(numbers) + place) for place, name in enumerate(ids)]


if __name__ == "__main__":
    run(find)
