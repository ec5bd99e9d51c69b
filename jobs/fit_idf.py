"""Fit inverse document frequencies on a corpus, for the weight tf_idf.

Run it as ``spark-submit jobs/fit_idf.py --input PATH --output idf.parquet``; ``--help`` lists every option.
"""

from __future__ import annotations

import sys

from simhash_udf.commands.fit_idf import main

if __name__ == "__main__":
    sys.exit(main())
