"""Judge settings of the main job on labelled documents, or on edited ones, and recommend one for a precision.

Run it as ``spark-submit jobs/evaluate.py --input PATH --labels FILE --output DIR``, or with ``--synthetic`` instead of
labels; ``--help`` lists every option.
"""

from __future__ import annotations

import sys

from simhash_udf.config_evaluation import EvaluateSettings
from simhash_udf.evaluate import run_evaluate
from simhash_udf.runtime.entry import run_job

if __name__ == "__main__":
    sys.exit(run_job(EvaluateSettings, run_evaluate, description=(__doc__ or "").splitlines()[0]))
