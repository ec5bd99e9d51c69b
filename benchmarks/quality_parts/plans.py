"""What the join of each preset is planned to cost for larger corpora, by real fingerprints and by uniform ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.quality_parts.corpora import CORPORA
from benchmarks.quality_parts.kernel_runs import CHECKS, PRESETS, VIEW_SETS
from benchmarks.quality_parts.texts import Texts
from simhash_udf.config_presets import total_of
from simhash_udf.kernel.edge_rule import Words
from simhash_udf.kernel.plan import choose_plan

SAMPLE = "zh_vsdocs_revisions"
SIZES = (10**6, 10**7, 10**8, 10**9)
UNIFORM = "uniform"


@dataclass(frozen=True)
class Planned:
    """A plan.

    Parameters
    ----------
    preset, fingerprints, documents
        Of which preset, on what fingerprints, for how many documents.
    bands, comparisons, seconds
        As the planner expects them on two cores.
    """

    preset: str
    fingerprints: str
    documents: int
    bands: int
    comparisons: float
    seconds: float


def measure(data: Path, place: Path) -> None:
    """Plan every preset and write the figures as JSON lines, unless they are there."""
    if not place.exists():
        rows = [json.dumps(asdict(row)) + "\n" for row in plan(data)]
        place.write_text("".join(rows), encoding="utf-8")


def read(place: Path) -> list[Planned]:
    """Return the figures that were written."""
    return [Planned(**json.loads(line)) for line in place.read_text(encoding="utf-8").splitlines()]


def plan(data: Path) -> Iterator[Planned]:
    """Yield the plans of every preset; a check changes no plan but by the sum that it allows."""
    texts = Texts(CORPORA[SAMPLE].table(data)["text"].combine_chunks())
    uniform = np.random.default_rng(0).integers(0, 2**64, (20_000, 4), dtype=np.uint64)
    for preset, (setting, k) in PRESETS.items():
        words, has_value = texts.words(setting.weight, len(texts.number), calibrated=setting.calibration == "sample")
        columns = list(VIEW_SETS[setting.views])
        total = total_of(columns, is_checked=CHECKS[setting.check] is not None)
        samples: dict[str, Words] = {SAMPLE: words[has_value][:, columns], UNIFORM: uniform[:, columns]}
        for name, sample in samples.items():
            for size in SIZES:
                made = choose_plan(np.unique(sample, axis=0), size, max_distance=k, max_total_distance=total, cores=2)
                yield Planned(preset, name, size, len(made.bands), made.comparisons, made.seconds)
