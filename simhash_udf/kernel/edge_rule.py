"""When two nodes are an edge, on arrays of nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.bits import popcount

Words = NDArray[np.uint64]


@dataclass(frozen=True)
class EdgeRule:
    """Near in one view, and near enough in all views together.

    Parameters
    ----------
    max_distance
        Largest Hamming distance in the view in which two nodes are nearest.
    max_total_distance
        Largest sum of the distances over the views.
    """

    max_distance: int
    max_total_distance: int

    def nearest(self, a: Words, b: Words) -> NDArray[np.uint8]:
        """Return the distance in the view in which two nodes are nearest; views come first, the rest broadcasts.

        Examples
        --------
        >>> rule = EdgeRule(max_distance=1, max_total_distance=3)
        >>> a, b = np.array([[0, 0], [0, 0]], np.uint64), np.array([[1, 1], [3, 7]], np.uint64)
        >>> rule.nearest(a, b).tolist(), rule.is_edge(a, b).tolist()
        ([1, 1], [True, False])
        """
        distance = popcount(a[0] ^ b[0])
        for view in range(1, len(a)):
            np.minimum(distance, popcount(a[view] ^ b[view]), out=distance)
        return distance

    def is_within_total(self, a: Words, b: Words) -> NDArray[np.bool_]:
        """Say which pairs are near enough over all views."""
        total = np.zeros(np.broadcast_shapes(a.shape[1:], b.shape[1:]), dtype=np.uint16)
        for view in range(len(a)):
            total += popcount(a[view] ^ b[view])
        return total <= self.max_total_distance

    def is_edge(self, a: Words, b: Words) -> NDArray[np.bool_]:
        """Say which pairs are an edge."""
        return (self.nearest(a, b) <= self.max_distance) & self.is_within_total(a, b)
