"""Runs of equal key in a sorted array."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Index = NDArray[np.int64]

# Pairs drawn to see how the records of a bucket differ: shares down to about 1 in 1,000 are seen.
_SAMPLED_PAIRS = 2048


@dataclass(frozen=True)
class Runs:
    """Runs of two records or more.

    Attributes
    ----------
    start, length : ndarray of int64, shape (m,)
        Position of the first record in the array, and number of records.
    """

    start: Index
    length: Index

    @property
    def comparisons(self) -> float:
        """Number of pairs inside the runs."""
        length = self.length.astype(np.float64)
        return float(np.sum(length * (length - 1) / 2))

    def take(self, chosen: NDArray[np.bool_]) -> Runs:
        """Return the runs where the mask is true."""
        return Runs(self.start[chosen], self.length[chosen])

    def positions(self) -> Index:
        """Return the positions of all records in the runs, ascending."""
        ends = np.cumsum(self.length)
        offsets = self.start - (ends - self.length)
        places: Index = np.arange(int(ends[-1]) if len(ends) else 0)
        places += np.repeat(offsets, self.length)
        return places


def find_runs(words: Words, key_bits: int) -> Runs:
    """Return the runs of two or more sorted words that agree in their leading bits."""
    follows = np.flatnonzero(same_key(words[1:] ^ words[:-1], key_bits))
    if not len(follows):
        return Runs(follows, follows)
    breaks = np.flatnonzero(follows[1:] != follows[:-1] + 1)
    first = follows[np.append(0, breaks + 1)]
    last = follows[np.append(breaks, len(follows) - 1)]
    return Runs(first, last - first + 2)


def same_key(differences: Words, key_bits: int) -> NDArray[np.bool_]:
    """Return which XORs of two words have no bit set in the key."""
    if key_bits == 0:
        return np.ones(len(differences), dtype=np.bool_)
    return differences <= np.uint64((1 << (64 - key_bits)) - 1)


def varying_bits(words: Words, key_bits: int) -> int:
    """Return the word of all bits in which any two sorted words with the same key differ."""
    differences = words[1:] ^ words[:-1]
    return int(np.bitwise_or.reduce(differences[same_key(differences, key_bits)]))


def sample_differences(words: Words, runs: Runs) -> Words:
    """Return the XOR of pairs drawn at random inside the runs, each run in proportion to its pairs.

    Always the same for the same words: the draw decides what the join costs, never what it finds.
    """
    draw = np.random.default_rng(0)
    ends = np.cumsum(runs.length.astype(np.float64) * (runs.length - 1))
    run = np.searchsorted(ends, draw.random(_SAMPLED_PAIRS) * ends[-1], side="right").clip(max=len(ends) - 1)
    length = runs.length[run]
    left = draw.integers(0, length)
    right = (left + draw.integers(1, length)) % length
    differences: Words = words[runs.start[run] + left] ^ words[runs.start[run] + right]
    return differences
