"""Fit inverse document frequencies on a corpus, for the weight tf_idf.

Run it as ``spark-submit jobs/fit_idf.py --input PATH --output idf.parquet``; ``--help`` lists every option.
"""

from __future__ import annotations

import sys

from simhash_udf.config import IdfSettings
from simhash_udf.precompute import run_fit_idf
from simhash_udf.runtime.entry import run_job

if __name__ == "__main__":
    sys.exit(run_job(IdfSettings, run_fit_idf, description=(__doc__ or "").splitlines()[0]))
