"""Find near-duplicate documents and write groups of them.

Run it as ``spark-submit jobs/dedup.py --input PATH --output DIR``; ``--help`` lists every option.
"""

from __future__ import annotations

import sys

from simhash_udf.commands.dedup import main

if __name__ == "__main__":
    sys.exit(main())
