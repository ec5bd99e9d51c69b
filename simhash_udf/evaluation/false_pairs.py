"""How many pairs of different documents will be found in a large corpus, from the distances of random pairs.

Two different documents that differ in a share p of all possible bits have a distance that is binomial, B(64, p)
(Charikar 2002). Over all pairs p varies; its distribution is fitted to the distances that were seen, and says how often
a distance comes that is too rare to be seen in the sample.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from simhash_udf.evaluation.random_pairs import BITS, Counts

MIN_SEEN = 10
"""Pairs from which on their number is believed: it is then within a factor of two (of ±64 %, 2 standard errors)."""

SHARES = np.linspace(0.005, 0.75, 150)
"""Shares of bits among which the fit distributes the pairs."""

ROUNDS = 2000
"""Rounds of the fit, a tenth of a second. With 500 what was not seen came out half as much again."""


@dataclass(frozen=True)
class FalsePairs:
    """Pairs of different documents to expect.

    Attributes
    ----------
    seen
        How many there were in the sample; under `MIN_SEEN` the rest is extrapolated.
    rate
        Probability that two different documents are found.
    """

    seen: float
    rate: float

    def expected(self, documents: int) -> float:
        """Return how many to expect in a corpus of so many documents."""
        return self.rate * documents * (documents - 1) / 2


class DistanceModel:
    """Says how likely two different documents are within the limits.

    Parameters
    ----------
    counts : ndarray of float64, shape (65, 64 r + 1)
        Pairs of different documents in a sample by their distance, as `random_pairs` gives them.

    Notes
    -----
    Where `MIN_SEEN` pairs or more were seen within the limits, their share is the answer. Where fewer were, the answer
    is the share within the next larger limits that have so many, times the ratio of the two in the fitted model. With
    several views the model takes them as equally far apart, which the anchor corrects.
    """

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._pairs = float(counts.sum())
        self._views = (counts.shape[1] - 1) // BITS
        self._mixture = _fit(counts.sum(axis=0))

    def false_pairs(self, max_distance: int, max_total_distance: int) -> FalsePairs:
        """Return what to expect within the limits."""
        if self._views == 1:
            max_distance, max_total_distance = min(max_distance, max_total_distance), BITS
        seen = self._seen(max_distance, max_total_distance)
        if seen >= MIN_SEEN:
            return FalsePairs(seen, seen / self._pairs)
        anchor = self._anchor(max_distance, max_total_distance)
        if anchor is None:
            return FalsePairs(seen, self._probability(max_distance, max_total_distance))
        ratio = self._probability(max_distance, max_total_distance) / self._probability(*anchor)
        return FalsePairs(seen, ratio * self._seen(*anchor) / self._pairs)

    def _seen(self, max_distance: int, max_total_distance: int) -> float:
        return float(self._counts[: max_distance + 1, : max_total_distance + 1].sum())

    def _anchor(self, max_distance: int, max_total_distance: int) -> tuple[int, int] | None:
        """The next larger limits with enough pairs: a larger distance first, then a larger sum."""
        wider = [(distance, max_total_distance) for distance in range(max_distance + 1, BITS + 1)]
        wider += [(BITS, total) for total in range(max_total_distance + 1, self._counts.shape[1])]
        return next((limits for limits in wider if self._seen(*limits) >= MIN_SEEN), None)

    def _probability(self, max_distance: int, max_total_distance: int) -> float:
        """Of the fitted model."""
        each = [probability_within(share, max_distance, max_total_distance, self._views) for share in SHARES]
        return float(self._mixture @ np.array(each))


def probability_within(share: float, max_distance: int, max_total_distance: int, views: int) -> float:
    """Return the probability that two documents are within the limits if each bit differs with this probability.

    Examples
    --------
    >>> round(probability_within(0.5, 3, 64, 1) * 2**64)  # 1 + 64 + 64·63/2 + 64·63·62/6
    43745
    """
    one = stats.binom.pmf(np.arange(BITS + 1), BITS, share)
    far = np.where(np.arange(BITS + 1) > max_distance, one, 0.0)
    any_distance, all_far = one, far
    for _ in range(views - 1):
        any_distance, all_far = np.convolve(any_distance, one), np.convolve(all_far, far)
    # summed as a difference, so that what is rare is not lost beside what is common
    return float((any_distance - all_far)[: max_total_distance + 1].sum())


def _fit(totals: Counts) -> NDArray[np.float64]:
    """Weights of `SHARES` that make the distances most likely: expectation and maximisation, from equal weights."""
    trials = len(totals) - 1
    likelihood = stats.binom.pmf(np.arange(trials + 1)[:, None], trials, SHARES[None, :])
    weights = np.full(len(SHARES), 1 / len(SHARES))
    if not totals.sum():
        return weights
    for _ in range(ROUNDS):
        expected = np.maximum(likelihood @ weights, 1e-300)
        weights = weights * (likelihood.T @ (totals / expected)) / totals.sum()
    return weights
