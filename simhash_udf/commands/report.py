"""Make the page of a run again, or print why one document is in its group."""

from __future__ import annotations

import argparse

from pyspark.sql import SparkSession

from simhash_udf.explanation import explain
from simhash_udf.report_page.making import remake_page
from simhash_udf.runtime.entry import run_with_session

DESCRIPTION = (__doc__ or "").splitlines()[0]


def main(arguments: list[str] | None = None) -> int:
    """Write the page or print the explanation, and return the exit code."""
    given = build_parser().parse_args(arguments)
    return run_with_session(lambda spark: print(_answer(spark, given)), DESCRIPTION)


def build_parser() -> argparse.ArgumentParser:
    """Return the command line."""
    parser = argparse.ArgumentParser(description=DESCRIPTION, allow_abbrev=False)
    parser.add_argument("output", metavar="OUTPUT", help="Output directory of a run of jobs/dedup.py.")
    parser.add_argument("--doc", metavar="ID", help="Print why this document is in its group; no page is made.")
    parser.add_argument(
        "--report-samples", metavar="N", type=int, help="Groups with texts, 0 to 200; unset: as in the run."
    )
    parser.add_argument("--report-no-text", action="store_true", help="The page has no texts.")
    return parser


def _answer(spark: SparkSession, given: argparse.Namespace) -> str:
    if given.doc is not None:
        return explain(given.output, given.doc, spark=spark).describe()
    return remake_page(spark, given.output, samples=given.report_samples, no_text=given.report_no_text)
