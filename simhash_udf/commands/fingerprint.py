"""Write the fingerprints of documents, with the specification that made them."""

from __future__ import annotations

from simhash_udf.config import FingerprintSettings
from simhash_udf.precompute import run_fingerprint
from simhash_udf.runtime.entry import run_job


def main(arguments: list[str] | None = None) -> int:
    """Run the job with these arguments, those of the process unless given, and return its exit code."""
    return run_job(
        FingerprintSettings, run_fingerprint, description=(__doc__ or "").splitlines()[0], arguments=arguments
    )
