"""Write the fingerprints of documents, with the specification that made them.

Run it as ``spark-submit jobs/fingerprint.py --input PATH --output DIR``; ``--help`` lists every option.
"""

from __future__ import annotations

import sys

from simhash_udf.config import FingerprintSettings
from simhash_udf.precompute import run_fingerprint
from simhash_udf.runtime.entry import run_job

if __name__ == "__main__":
    sys.exit(run_job(FingerprintSettings, run_fingerprint, description=(__doc__ or "").splitlines()[0]))
