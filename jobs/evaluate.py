"""Judge settings of the main job on labelled documents, or on edited ones, and recommend one for a precision.

Run it as ``spark-submit jobs/evaluate.py --input PATH --labels FILE --output DIR``, or with ``--synthetic`` instead of
labels; ``--help`` lists every option.
"""

from __future__ import annotations

import sys

from simhash_udf.commands.evaluate import main

if __name__ == "__main__":
    sys.exit(main())
