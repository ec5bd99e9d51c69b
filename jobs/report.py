"""Print why a document is in its group: the chain of edges to the document that is kept, and the words that differ.

Run it as ``spark-submit jobs/report.py OUTPUT --doc ID``, with the output directory of ``jobs/dedup.py``.
"""

from __future__ import annotations

import argparse
import sys

from simhash_udf.explanation import explain
from simhash_udf.runtime.entry import run_with_session


def main() -> int:
    """Print the explanation and return the exit code."""
    description = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(description=description, allow_abbrev=False)
    parser.add_argument("output", metavar="OUTPUT", help="Output directory of a run of jobs/dedup.py.")
    parser.add_argument("--doc", metavar="ID", required=True, help="Id of the document.")
    given = parser.parse_args()
    return run_with_session(lambda spark: print(explain(given.output, given.doc, spark=spark).describe()), description)


if __name__ == "__main__":
    sys.exit(main())
