"""The whole job on sample corpora of growing size: speed, memory, disk, growth, and what it finds of what was planted.

    python -m benchmarks.end_to_end [--sizes 1e4,1e5,1e6] [--results FILE.jsonl] [--options '--max-distance 4']

Each corpus is written by ``jobs/sample.py`` and searched by ``spark-submit jobs/dedup.py`` as a user would. Precision
and recall count pairs of documents in one group; form pages are planted to look alike and not to be the same, so
they are given with and without.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.compute as pc
import pyarrow.dataset as ds

from benchmarks.growth import exponent_of
from benchmarks.monitor import Monitor

ROOT = Path(__file__).resolve().parent.parent
ROWS_PER_FILE = 20_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1e4,1e5,1e6")
    parser.add_argument("--options", default="", help="more options of jobs/dedup.py")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--directory", type=Path, default=Path(tempfile.gettempdir()) / "end_to_end_benchmark")
    parser.add_argument("--results", type=Path, help="JSON lines, appended")
    given = parser.parse_args()
    outcomes = []
    for size in map(float, given.sizes.split(",")):
        outcomes.append(run(int(size), given))
        print("\n".join(describe(outcomes[-1])), flush=True)
        if given.results:
            with given.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(outcomes[-1], ensure_ascii=False) + "\n")
    if len(outcomes) > 1:
        sizes = [outcome["documents"] for outcome in outcomes]
        for name in ("wall_seconds", "seconds"):
            print(f"{name} grow as n^{exponent_of(sizes, [outcome[name] for outcome in outcomes]):.2f}")


def run(size: int, given: argparse.Namespace) -> dict[str, Any]:
    """One corpus from nothing to its groups; the outcome as plain values."""
    shutil.rmtree(given.directory, ignore_errors=True)
    corpus, result = given.directory / "corpus", given.directory / "result"
    sample = [sys.executable, "jobs/sample.py", "--documents", str(size), "--output", str(corpus)]
    started = time.monotonic()
    call([*sample, "--rows-per-file", str(ROWS_PER_FILE)])
    generated = time.monotonic() - started
    text_bytes = sum_of_texts(corpus)
    spark = ["spark-submit", "--master", given.master, "--properties-file", "conf/spark-local.conf"]
    spark += ["--conf", f"spark.local.dir={given.directory / 'spark'}"]
    job = ["jobs/dedup.py", "--input", str(corpus), "--output", str(result), *shlex.split(given.options)]
    started = time.monotonic()
    with Monitor(given.directory) as monitor:
        call([*spark, *job])
    wall = time.monotonic() - started
    report = json.loads((result / "report.json").read_text(encoding="utf-8"))
    outcome = {
        "benchmark": "end_to_end",
        "documents": size,
        "text_bytes": text_bytes,
        "options": given.options,
        "generator_seconds": round(generated, 1),
        "wall_seconds": round(wall, 1),
        "seconds": report["seconds"],
        "stages": {stage["stage"]: stage["seconds"] for stage in report["stages"]},
        "join": report["join"],
        "counts": report["counts"],
        "java_bytes": monitor.peak_memory["java"],
        "python_bytes": monitor.peak_memory["python"],
        "disk_bytes": monitor.peak_disk,  # the corpus included
        "corpus_bytes": sum(file.stat().st_size for file in corpus.rglob("*.parquet")),
    }
    outcome |= found_of_planted(corpus, result)
    shutil.rmtree(given.directory)
    return outcome


def call(command: list[str]) -> None:
    """Run a command from the top of the checkout; its output is shown only if it fails."""
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable}
    finished = subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True)
    if finished.returncode:
        raise SystemExit(f"{' '.join(command)} failed\n{finished.stdout[-2000:]}\n{finished.stderr[-4000:]}")


def sum_of_texts(corpus: Path) -> int:
    """Bytes of all texts in UTF-8."""
    batches = ds.dataset(corpus, partitioning="hive").to_batches(columns=["text"])
    return sum(pc.sum(pc.binary_length(batch["text"])).as_py() or 0 for batch in batches)


def found_of_planted(corpus: Path, result: Path) -> dict[str, float]:
    """Precision and recall of pairs, of all documents and of those that are no form page."""
    planted = ds.dataset(corpus, partitioning="hive").to_table(columns=["id", "cluster", "kind"]).to_pandas()
    groups = ds.dataset(result / "groups").to_table(columns=["doc_id", "group_id"]).to_pandas()
    rows = planted.merge(groups, left_on="id", right_on="doc_id", how="left")
    found = {}
    for name, chosen in (("all", rows), ("without_forms", rows[rows["kind"] != "template"])):
        both = pairs(chosen.dropna(subset=["group_id", "cluster"]), ["group_id", "cluster"])
        grouped, alike = (pairs(chosen.dropna(subset=[key]), [key]) for key in ("group_id", "cluster"))
        found |= {
            f"precision_{name}": round(both / max(grouped, 1), 5),
            f"recall_{name}": round(both / max(alike, 1), 5),
        }
    return found


def pairs(rows: pd.DataFrame, keys: list[str]) -> float:
    """Number of pairs of rows with equal keys."""
    sizes = rows.groupby(keys).size()
    return float((sizes * (sizes - 1) / 2).sum())


def describe(outcome: dict[str, Any]) -> list[str]:
    """Return the outcome in a few lines."""
    n, megabytes = outcome["documents"], outcome["text_bytes"] / 1e6
    memory = " and ".join(f"{outcome[f'{name}_bytes'] / 2**30:.1f} GiB {name}" for name in ("java", "python"))
    found = ", ".join(
        f"{name} {outcome[f'precision_{name}']:.4f}/{outcome[f'recall_{name}']:.4f}"
        for name in ("all", "without_forms")
    )
    stages = ", ".join(f"{name} {seconds:.1f}" for name, seconds in outcome["stages"].items())
    listed = sum(outcome["stages"].values())
    ratio = outcome["join"]["measured_over_planned"]
    return [
        f"{n:,} documents, {megabytes:,.0f} MB of text, made in {outcome['generator_seconds']} s "
        f"({megabytes / outcome['generator_seconds']:.0f} MB/s)",
        f"  {outcome['wall_seconds']} s in all: {n / outcome['wall_seconds']:,.0f} documents/s, "
        f"{megabytes / outcome['wall_seconds']:.1f} MB/s; the run {outcome['seconds']} s",
        f"  stages: {stages}, between and after {outcome['seconds'] - listed:.1f}",
        f"  {memory}; {(outcome['disk_bytes'] - outcome['corpus_bytes']) / 1e9:.2f} GB of disk beside the corpus's "
        f"{outcome['corpus_bytes'] / 1e9:.2f} GB",
        f"  precision/recall: {found}; join measured over planned: {ratio}",
    ]


if __name__ == "__main__":
    main()
