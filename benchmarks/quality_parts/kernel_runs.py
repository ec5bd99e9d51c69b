"""This project's settings in one process: all pairs within the limits, compared where a setting asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality_parts.close_texts import Index, Pairs, close_pairs
from benchmarks.quality_parts.results import Figures, Results
from benchmarks.quality_parts.texts import Texts
from simhash_udf.config_presets import total_of
from simhash_udf.evaluation.metrics import pair_scores
from simhash_udf.kernel.forest import trees_of_numbers

VIEW_SETS = {
    "jieba": (0,),
    "char": (2,),
    "jieba ×2": (0, 1),
    "jieba, char": (0, 2),
    "jieba ×2, char ×2": (0, 1, 2, 3),
}
CHECKED = ("jieba", "jieba ×2", "jieba ×2, char ×2")
CHECKS = {
    "none": None,
    "jaccard:0.5": ("jaccard", "binary", 0.5),
    "cosine:0.85": ("cosine", "log_tf", 0.85),
    "cosine:0.9": ("cosine", "log_tf", 0.9),
}
"""Jaccard of 3-grams of jieba's words; cosine of their log_tf weights whatever the fingerprint has."""
DISTANCES = (3, 4, 5, 6)
MOST_PAIRS, MOST_COMPARED = 3_000_000, 150_000
"""Pairs that are joined, and pairs whose texts are compared; a setting with more has no figures."""


@dataclass(frozen=True)
class Setting:
    """What makes the fingerprints, and what checks the edges."""

    views: str
    weight: str
    calibration: str
    check: str

    def name(self, k: int) -> str:
        """Return the name of its figures at k."""
        return f"{self.views} | {self.weight} | {self.calibration} | {self.check} | {k}"


PRESETS = {
    "defaults": (Setting("jieba", "tf", "sample", "none"), 3),
    "fast": (Setting("jieba", "log_tf", "sample", "none"), 4),
    "balanced": (Setting("jieba ×2", "log_tf", "sample", "none"), 5),
    "thorough, no check": (Setting("jieba ×2, char ×2", "tf", "sample", "none"), 4),
    "thorough": (Setting("jieba ×2, char ×2", "tf", "sample", "jaccard:0.5"), 4),
    "thorough, calibration none": (Setting("jieba ×2, char ×2", "tf", "none", "jaccard:0.5"), 4),
    "thorough, cosine:0.85": (Setting("jieba ×2, char ×2", "tf", "sample", "cosine:0.85"), 4),
}


def settings() -> Iterator[Setting]:
    """Yield all of them, those of one set of fingerprints after the other."""
    for calibration, weight, views in product(("sample", "none"), ("tf", "log_tf"), VIEW_SETS):
        for check in CHECKS if views in CHECKED else ("none",):
            yield Setting(views, weight, calibration, check)


class KernelRuns:
    """A corpus and what was found in it so far.

    Parameters
    ----------
    name
        Name of the corpus.
    texts
        The texts of a corpus that begins with this one.
    clusters
        Cluster of each document.
    """

    def __init__(self, name: str, texts: Texts, clusters: Index) -> None:
        self._name, self._texts, self._clusters = name, texts, clusters
        self._number = texts.number[: len(clusters)]
        self._found: tuple[tuple[str, str, str], Pairs] | None = None

    def measure(self, results: Results) -> None:
        """Measure what is not among the results."""
        for setting in settings():
            for k in DISTANCES:
                if results.get(self._name, "kernel", setting.name(k)) is None:
                    results.add(self._figures(setting, k))

    def groups(self, setting: Setting, k: int) -> Index | None:
        """Return the group number of each document, None if there are too many pairs."""
        pairs = self._pairs(setting)
        check = CHECKS[setting.check]
        if check:
            pairs = pairs.at_most(MOST_COMPARED)
        if k > pairs.reach:
            return None
        limit = total_of(VIEW_SETS[setting.views], is_checked=check is not None)
        kept = pairs.take((pairs.nearest <= k) & (pairs.total <= limit), k)
        if check:
            alike = self._texts.similarities(*check[:2], kept.left, kept.right) >= check[2]
            kept = kept.take(alike, k)
        return trees_of_numbers(kept.left, kept.right, int(self._number.max()) + 1)[self._number]

    def _figures(self, setting: Setting, k: int) -> Figures:
        groups = self.groups(setting, k)
        if groups is None:
            return Figures(self._name, "kernel", setting.name(k), note="too many pairs")
        scores = pair_scores(self._clusters, groups)
        return Figures(self._name, "kernel", setting.name(k), scores.precision, scores.recall)

    def _pairs(self, setting: Setting) -> Pairs:
        """All pairs up to the largest k; those of the last set of fingerprints are held."""
        key = (setting.views, setting.weight, setting.calibration)
        if self._found is None or self._found[0] != key:
            calibrated = setting.calibration == "sample"
            words, has_value = self._texts.words(setting.weight, len(self._number), calibrated=calibrated)
            usable: NDArray[np.int64] = np.flatnonzero(has_value)
            columns = list(VIEW_SETS[setting.views])
            total = total_of(columns, is_checked=True)
            made = close_pairs(words[np.ix_(usable, columns)], max(DISTANCES), total, MOST_PAIRS)
            self._found = key, Pairs(usable[made.left], usable[made.right], made.nearest, made.total, made.reach)
        return self._found[1]
