"""Find near-duplicate documents and write groups of them."""

from __future__ import annotations

from simhash_udf.config import Settings
from simhash_udf.dedup import run_dedup
from simhash_udf.runtime.entry import run_job


def main(arguments: list[str] | None = None) -> int:
    """Run the job with these arguments, those of the process unless given, and return its exit code."""
    return run_job(Settings, run_dedup, description=(__doc__ or "").splitlines()[0], arguments=arguments)
