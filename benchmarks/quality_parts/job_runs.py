"""Presets through the real job, ``spark-submit jobs/dedup.py``, to see the figures of the kernel again."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.peer_adapters.measure import Task, measure
from benchmarks.quality_parts.corpora import CORPORA
from benchmarks.quality_parts.results import Figures, Results

OPTIONS = {
    "defaults": [],
    "fast": ["--preset", "fast"],
    "balanced": ["--preset", "balanced"],
    "thorough": ["--preset", "thorough"],
    "thorough, calibration none": ["--preset", "thorough", "--calibration", "none"],
    "thorough, cosine:0.85": ["--preset", "thorough", "--verify", "cosine:0.85", "--verify-weight", "log_tf"],
}
RUNS = {
    "zh_vsdocs_revisions": ("defaults", "balanced", "thorough"),
    "zh_lctt_ccbysa": ("thorough",),
    "english": ("thorough",),
    "zh_laws": ("balanced", "thorough", "thorough, calibration none"),
    "zh_vsdocs_revisions with grey": ("thorough", "thorough, cosine:0.85"),
}
"""What is run where: the presets on one corpus, and what the documentation recommends where it makes a difference."""


def measure_job(corpus: str, data: Path, work: Path, results: Results) -> None:
    """Run the presets of a corpus that are not among the results."""
    for preset in RUNS.get(corpus, ()):
        if results.get(corpus, "job", preset) is None:
            file = CORPORA[corpus].write(data, work)
            task = Task("job", "our_job", {"options": OPTIONS[preset]}, 2, file, 800, work)
            outcome = measure(task, Path(sys.executable))
            note = outcome.problem or f"{outcome.seconds:.0f} s, {outcome.processor_s:.0f} s of processor"
            results.add(Figures(corpus, "job", preset, outcome.precision, outcome.recall, note))
