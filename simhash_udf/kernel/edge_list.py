"""Edges as three arrays of equal length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Edges:
    """Pairs of nodes within the distance.

    Attributes
    ----------
    src, dst : ndarray of int64, shape (m,)
        Node ids, src < dst as signed numbers.
    distance : ndarray of uint8, shape (m,)
        Hamming distance; with several views the smallest of them.
    """

    src: NDArray[np.int64]
    dst: NDArray[np.int64]
    distance: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.src)

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_]) -> Edges:
        """Return the edges at these positions, or where the mask is true."""
        return Edges(self.src[index], self.dst[index], self.distance[index])


def no_edges() -> Edges:
    """Return an empty list of edges."""
    return Edges(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint8))


def join_edges(parts: Sequence[Edges]) -> Edges:
    """Return the edges of all parts, in that order."""
    if not parts:
        return no_edges()
    columns = zip(*((part.src, part.dst, part.distance) for part in parts), strict=True)
    return Edges(*(np.concatenate(column) for column in columns))
