"""Make the page of a run again, or print why one document is in its group.

Run it as ``spark-submit jobs/report.py OUTPUT`` with the output directory of ``jobs/dedup.py``: it writes
``OUTPUT/report.html``, with texts as long as the input is there. With ``--doc ID`` it prints the chain of edges from a
document to the one that is kept, and the words that differ.
"""

from __future__ import annotations

import sys

from simhash_udf.commands.report import main

if __name__ == "__main__":
    sys.exit(main())
