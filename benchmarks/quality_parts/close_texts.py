"""All pairs of texts within a distance, found by comparing every text with every other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.bits import popcount
from simhash_udf.kernel.edge_rule import EdgeRule, Words

Index = NDArray[np.int64]
ROWS = 128
"""Texts compared with all at a time: some megabytes of distances for 20,000 of them."""


@dataclass(frozen=True)
class Pairs:
    """Pairs of texts.

    Parameters
    ----------
    left, right
        Positions, left < right.
    nearest, total
        Distance in the view in which they are nearest, and the sum over the views.
    reach
        Largest distance up to which all pairs are there.
    """

    left: Index
    right: Index
    nearest: Index
    total: Index
    reach: int

    def take(self, kept: NDArray[np.bool_], reach: int) -> Pairs:
        """Return some of the pairs."""
        return Pairs(self.left[kept], self.right[kept], self.nearest[kept], self.total[kept], reach)

    def at_most(self, count: int) -> Pairs:
        """Return all pairs up to the largest distance at which there are so few."""
        within = np.cumsum(np.bincount(self.nearest, minlength=self.reach + 1))
        reach = int(np.searchsorted(within, count, side="right")) - 1
        return self if reach >= self.reach else self.take(self.nearest <= reach, reach)


def close_pairs(words: Words, reach: int, total: int, most: int) -> Pairs:
    """Return all pairs within the distance, or within a smaller one up to which there are at most so many.

    Parameters
    ----------
    words : ndarray of uint64, shape (n, r)
    reach, total
        Largest distance in one view, and over all views.
    most
        Pairs that are kept.
    """
    columns = np.ascontiguousarray(words.T)
    empty = np.empty(0, np.int64)
    found = Pairs(empty, empty, empty, empty, reach)
    for start in range(0, len(words), ROWS):
        rule = EdgeRule(found.reach, total)
        near = rule.nearest(columns[:, start : start + ROWS, None], columns[:, None, start:])
        row, column = np.nonzero(near <= rule.max_distance)
        row, column = row[row < column], column[row < column]
        distance = near[row, column].astype(np.int64)
        left, right = row + start, column + start
        sums = sum(popcount(view[left] ^ view[right]).astype(np.int64) for view in columns)
        chosen = Pairs(left, right, distance, np.asarray(sums, dtype=np.int64), found.reach)
        found = _joined(found, chosen.take(chosen.total <= total, found.reach)).at_most(most)
    return found


def _joined(one: Pairs, other: Pairs) -> Pairs:
    columns = ("left", "right", "nearest", "total")
    return Pairs(*(np.concatenate([getattr(one, name), getattr(other, name)]) for name in columns), one.reach)
