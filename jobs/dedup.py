"""Find near-duplicate documents and write groups of them.

Run it as ``spark-submit jobs/dedup.py --input PATH --output DIR``; ``--help`` lists every option.
"""

from __future__ import annotations

import sys

from simhash_udf.config import Settings
from simhash_udf.dedup import run_dedup
from simhash_udf.runtime.entry import run_job

if __name__ == "__main__":
    sys.exit(run_job(Settings, run_dedup, description=(__doc__ or "").splitlines()[0]))
