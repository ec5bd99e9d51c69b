"""Intervals of the scores: what they would be on other labelled documents of the same kind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simhash_udf.evaluation.metrics import harmonic_mean, scores_of
from simhash_udf.evaluation.pair_counts import PairCounts

Interval = tuple[float, float]

MAX_WEIGHTS = 1 << 23
"""Weights that are drawn at a time: 64 MB."""


@dataclass(frozen=True)
class Intervals:
    """Lower and upper end for precision, recall and F1."""

    precision: Interval
    recall: Interval
    f1: Interval


def bootstrap(counts: PairCounts, *, draws: int = 1000, level: float = 0.95, seed: int = 0) -> Intervals:
    """Return percentile intervals of the scores.

    What is drawn again are the **true clusters**, with all their documents. Pairs would be wrong: the pairs of one
    cluster stand and fall together, and a cluster of 100 documents has 4,950 of them. Documents would be wrong, too: a
    document that is drawn twice is its own duplicate.

    Each cluster stands as often as a Poisson number of mean 1 says, independent of the others, so clusters with no
    pair that is true or found need not be drawn. Its copies count as different clusters.

    A score of exactly 1 or 0 has no spread to draw from. There the interval ends where the binomial one would for as
    many trials as there are clusters with such pairs (Clopper and Pearson 1934): 1 on 100 clusters says .96 to 1.

    Parameters
    ----------
    counts
        As the functions of `pair_counts` give it.
    draws
        How many samples are drawn.
    level
        Share of the samples in the interval.
    seed
        Equal seeds give equal intervals.
    """
    scores = scores_of(counts)
    small = counts.take(counts.affected())
    precision, recall = _drawn_shares(small, draws, seed)
    tails = [(1 - level) / 2, (1 + level) / 2]
    trials = _clusters_found(small), int((small.true > 0).sum())
    precisions = _widened(np.quantile(precision, tails), scores.precision, trials[0], tails[0])
    recalls = _widened(np.quantile(recall, tails), scores.recall, trials[1], tails[0])
    f1 = np.quantile(harmonic_mean(precision, recall), tails)
    if scores.f1 in (0.0, 1.0):
        f1 = harmonic_mean(np.array(precisions), np.array(recalls))
    return Intervals(precisions, recalls, (float(f1[0]), float(f1[1])))


def mean_interval(values: NDArray[np.float64], *, draws: int = 1000, level: float = 0.95, seed: int = 0) -> Interval:
    """Return the percentile interval of the mean of shares, one a document; documents are drawn again.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        Values from 0 to 1. Where all are 1 or all 0 the end is that of a binomial interval, as in `bootstrap`.
    """
    rng = np.random.default_rng(seed)
    step = max(MAX_WEIGHTS // max(len(values), 1), 1)
    means = []
    for start in range(0, draws, step):
        weights = rng.poisson(1.0, (min(step, draws - start), len(values)))
        drawn = weights.sum(axis=1)
        means.append(np.divide(weights @ values, drawn, out=np.ones(len(drawn)), where=drawn > 0))
    tails = (1 - level) / 2, (1 + level) / 2
    mean = float(values.mean()) if len(values) else 1.0
    return _widened(np.quantile(np.concatenate(means), tails), mean, len(values), tails[0])


def _drawn_shares(counts: PairCounts, draws: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Precision and recall of every sample."""
    clusters = len(counts.true)
    rng = np.random.default_rng(seed)
    parts = []
    step = max(MAX_WEIGHTS // max(clusters, 1), 1)
    for start in range(0, draws, step):
        weights = rng.poisson(1.0, (clusters, min(step, draws - start)))
        parts.append(np.stack(counts.weighted(weights.astype(np.int64))))
    right, found, true = np.concatenate(parts, axis=1)
    return _shares(right, found), _shares(right, true)


def _shares(part: NDArray[np.int64], whole: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.divide(part, whole, out=np.ones(len(part)), where=whole > 0)


def _clusters_found(counts: PairCounts) -> int:
    """Clusters with a document in a pair that was found."""
    touched = counts.affected() & ((counts.true == 0) | (counts.right > 0) | (counts.wrong_within > 0))
    touched[counts.wrong_between.indices] = True
    touched[counts.mixed.indices] = True
    touched |= np.diff(counts.wrong_between.indptr) > 0
    return int(touched.sum())


def _widened(ends: NDArray[np.float64], score: float, trials: int, tail: float) -> Interval:
    """The interval with the end that a score of 0 or 1 leaves open."""
    low, high = float(ends[0]), float(ends[1])
    reach = tail ** (1 / trials) if trials else 0.0  # so many trials without a miss are this likely below it
    if score == 1.0:
        low = min(low, reach)
    if score == 0.0:
        high = max(high, 1 - reach)
    return low, high
