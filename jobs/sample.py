"""Write the sample corpus: Chinese articles with planted duplicates, as Parquet.

Run it as ``python jobs/sample.py --output DIR --documents 5000``; it needs no Spark.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

from simhash_udf.errors import SettingError
from simhash_udf.sample import KINDS, generate_tables, write_tables


def build_parser() -> argparse.ArgumentParser:
    """Return the command line of this job."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0], allow_abbrev=False)
    parser.add_argument("--output", type=Path, required=True, help="directory to write")
    parser.add_argument("--documents", type=int, default=5000, help="how many documents [5000]")
    parser.add_argument("--seed", type=int, default=0, help="another seed gives another corpus [0]")
    parser.add_argument("--rows-per-file", type=int, default=1000, help="documents in a Parquet file [1000]")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="how many at a time [all cores]")
    parser.add_argument("--overwrite", action="store_true", help="replace a corpus that is there")
    return parser


def main() -> int:
    """Write the corpus and print what is in it; return the exit code."""
    parser = build_parser()
    options = parser.parse_args()
    if options.documents < 0 or options.rows_per_file < 1 or options.processes < 1:
        parser.error("--documents takes 0 or more, --rows-per-file and --processes 1 or more")
    if options.overwrite and any(options.output.glob("source=*")):
        shutil.rmtree(options.output)  # a corpus of ours, as its folders show
    try:
        tables = generate_tables(options.documents, seed=options.seed, processes=options.processes)
        counts = write_tables(tables, options.output, rows_per_file=options.rows_per_file)
    except SettingError as error:
        print(error, file=sys.stderr)
        return 2
    for kind, meaning in KINDS.items():
        print(f"{counts[kind]:>9,}  {kind:<11} {meaning}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
