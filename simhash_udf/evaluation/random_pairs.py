"""How far apart any two documents are: the distances of all pairs in a sample, and those pairs that are near."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.bits import popcount

BITS = 64
CHUNK_PAIRS = 1 << 21
"""Pairs that are compared at a time."""

NEAR_DISTANCE = 12
"""Up to this distance two texts may be the same document, and are looked at."""

Words = NDArray[np.uint64]
Counts = NDArray[np.float64]


@dataclass(frozen=True)
class NearPairs:
    """Pairs to be looked at, as positions in the sample, and how many pairs each one stands for."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    distance: NDArray[np.int64]
    total: NDArray[np.int64]
    weight: Counts

    def __len__(self) -> int:
        return len(self.left)


def count_distances(words: Words) -> Counts:
    """Return the number of pairs at each distance.

    Parameters
    ----------
    words : ndarray of uint64, shape (m, r)
        Fingerprints of a sample in r views.

    Returns
    -------
    ndarray of float64, shape (65, 64 r + 1)
        By the distance in the nearest view, and by the sum over the views. Cost: m² r / 2 comparisons.

    Examples
    --------
    >>> counts = count_distances(np.array([[0], [1], [3]], dtype=np.uint64))
    >>> np.argwhere(counts).tolist(), int(counts.sum())
    ([[1, 1], [2, 2]], 3)
    """
    width = BITS * words.shape[1] + 1
    counts = np.zeros((BITS + 1) * width)
    for _, _, distance, total in _all_pairs(words):
        counts += np.bincount(distance * width + total, minlength=len(counts))
    return counts.reshape(BITS + 1, width)


def near_pairs(words: Words, counts: Counts, *, per_distance: int, seed: int) -> NearPairs:
    """Draw about so many pairs of each distance up to `NEAR_DISTANCE`, all of them where there are fewer."""
    rng = np.random.default_rng(seed)
    there = counts.sum(axis=1)
    chance = np.minimum(per_distance / np.maximum(there, 1), 1.0)
    chance[NEAR_DISTANCE + 1 :] = 0.0
    parts = []
    for left, right, distance, total in _all_pairs(words):
        is_drawn = rng.random(len(left)) < chance[distance]
        parts.append(np.stack([left[is_drawn], right[is_drawn], distance[is_drawn], total[is_drawn]]))
    drawn = np.concatenate(parts, axis=1) if parts else np.zeros((4, 0), dtype=np.int64)
    of_distance = np.bincount(drawn[2], minlength=BITS + 1)
    weight = there / np.maximum(of_distance, 1)
    return NearPairs(drawn[0], drawn[1], drawn[2], drawn[3], weight[drawn[2]])


def without_duplicates(counts: Counts, near: NearPairs, is_duplicate: NDArray[np.bool_]) -> Counts:
    """Return the numbers of pairs of different documents, now that near pairs were looked at."""
    different = counts.copy()
    different[np.unique(near.distance)] = 0.0
    cells = near.distance * counts.shape[1] + near.total
    looked_at = np.bincount(cells[~is_duplicate], weights=near.weight[~is_duplicate], minlength=counts.size)
    return different + looked_at.reshape(counts.shape)


def _all_pairs(words: Words) -> Iterator[tuple[NDArray[np.int64], ...]]:
    """Positions of the two, distance in the nearest view, and sum of the distances, of some pairs at a time."""
    count = len(words)
    rows = max(CHUNK_PAIRS // max(count, 1), 1)
    for start in range(0, count, rows):
        block = words[start : start + rows]
        nearest = np.full((len(block), count - start), BITS, dtype=np.uint8)
        total = np.zeros(nearest.shape, dtype=np.int64)
        for view in range(words.shape[1]):
            distance = popcount(block[:, view, None] ^ words[None, start:, view])
            np.minimum(nearest, distance, out=nearest)
            total += distance
        left, right = np.nonzero(np.arange(len(block))[:, None] < np.arange(count - start)[None, :])
        yield left + start, right + start, nearest[left, right].astype(np.int64), total[left, right]
