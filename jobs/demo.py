"""Make the sample corpus, find its duplicates with the main job, and show what was found against what was planted.

Run it as ``make demo``, or ``python jobs/demo.py --documents 20000``. Options that it does not know go to the main job:
``python jobs/demo.py --max-distance 4``.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from simhash_udf.sample import generate_documents, write_corpus
from simhash_udf.sample.findings import read_corpus, right_and_wrong_groups
from simhash_udf.sample.show import show_counts, show_groups, show_kinds

ROOT = Path(__file__).resolve().parent.parent


def build_parser() -> argparse.ArgumentParser:
    """Return the command line of this job."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0], allow_abbrev=False)
    parser.add_argument("--directory", type=Path, default=ROOT / "demo", help="corpus/ and result/ go here [demo]")
    parser.add_argument("--documents", type=int, default=5000, help="how many documents [5000]")
    parser.add_argument("--seed", type=int, default=0, help="another seed gives another corpus [0]")
    parser.add_argument("--groups", type=int, default=3, help="how many groups to show [3]")
    return parser


def submit(corpus: Path, result: Path, options: list[str]) -> list[str]:
    """Return the command that runs the main job on this machine."""
    beside = Path(sys.executable).with_name("spark-submit")
    spark_submit = str(beside) if beside.exists() else shutil.which("spark-submit") or "spark-submit"
    spark = [spark_submit, "--master", "local[*]", "--properties-file", "conf/spark-local.conf"]
    return [*spark, "jobs/dedup.py", "--input", str(corpus), "--output", str(result), "--overwrite", *options]


def main() -> int:
    """Run the demo; return the exit code of the main job."""
    options, others = build_parser().parse_known_args()
    corpus, result = options.directory.resolve() / "corpus", options.directory.resolve() / "result"
    shutil.rmtree(corpus, ignore_errors=True)
    write_corpus(generate_documents(options.documents, seed=options.seed), corpus)
    command = submit(corpus, result, others)
    print("running:", " ".join(command), flush=True)
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable}
    finished = subprocess.run(command, cwd=ROOT, env=environment, check=False)  # noqa: S603 - our own job
    if finished.returncode == 0:
        show(corpus, result, options.groups)
    return finished.returncode


def show(corpus: Path, result: Path, groups: int) -> None:
    """Print what the run found."""
    report = json.loads((result / "report.json").read_text(encoding="utf-8"))
    found = read_corpus(corpus, result)
    right, wrong = right_and_wrong_groups(found)
    print("\nLarge groups whose texts are near but not equal, from where the two first differ\n")
    print("\n".join(show_groups(found, right[:groups])))
    if wrong:
        print("A group that is wrong: different forms, too near for fingerprints to tell apart\n")
        print("\n".join(show_groups(found, wrong[:1])))
    print("What was planted, and what was found\n")
    print("\n".join(show_kinds(found)), end="\n\n")
    print("\n".join(show_counts(report["counts"], report["seconds"])), end="\n\n")
    print(f"corpus   {corpus}\nresults  {result}: groups/, edges/, rejected/, report.json")
    print(f"page     {result}/report.html")


if __name__ == "__main__":
    sys.exit(main())
