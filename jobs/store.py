"""Look after a store: list it, verify it, compact it, forget documents, make its groups anew, export them, ask it.

Run it as ``spark-submit jobs/store.py COMMAND --store DIR``; ``ls``, ``verify`` and ``query`` need no Spark, so
``python jobs/store.py`` does for them.
"""

from __future__ import annotations

import sys

from simhash_udf.commands.store import main

if __name__ == "__main__":
    sys.exit(main())
