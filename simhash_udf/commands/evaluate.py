"""Judge settings of the main job on labelled documents, or on edited ones, and recommend one for a precision."""

from __future__ import annotations

from simhash_udf.config_evaluation import EvaluateSettings
from simhash_udf.evaluate import run_evaluate
from simhash_udf.runtime.entry import run_job


def main(arguments: list[str] | None = None) -> int:
    """Run the job with these arguments, those of the process unless given, and return its exit code."""
    return run_job(EvaluateSettings, run_evaluate, description=(__doc__ or "").splitlines()[0], arguments=arguments)
