"""Fit inverse document frequencies on a corpus, for the weight tf_idf."""

from __future__ import annotations

from simhash_udf.config import IdfSettings
from simhash_udf.precompute import run_fit_idf
from simhash_udf.runtime.entry import run_job


def main(arguments: list[str] | None = None) -> int:
    """Run the job with these arguments, those of the process unless given, and return its exit code."""
    return run_job(IdfSettings, run_fit_idf, description=(__doc__ or "").splitlines()[0], arguments=arguments)
