"""Write the fingerprints of documents, with the specification that made them.

Run it as ``spark-submit jobs/fingerprint.py --input PATH --output DIR``; ``--help`` lists every option.
"""

from __future__ import annotations

import sys

from simhash_udf.commands.fingerprint import main

if __name__ == "__main__":
    sys.exit(main())
