"""Sets of fingerprints to join: easy ones, hard ones, and what must come out of them, found without bands."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from simhash_udf.kernel.bits import popcount
from simhash_udf.kernel.forest import connected_components

Words = NDArray[np.uint64]
Index = NDArray[np.int64]

SETS = ("uniform", "shared", "ball", "copies", "skewed")
"""``shared``: 32 bits are the same in all; ``ball``: all within distance 3 of one, of which there are 43,745;
``copies``: all the same; ``skewed``: half of the bits are 1 in 95 of 100 fingerprints."""

_FIXED_HALF = 0xABCDEF01 << 32
_BRUTE_FORCE_UP_TO = 200_000
_ROWS = 64


def make(name: str, n: int, num_views: int) -> Words:
    """Return n fingerprints of the named set, or the column ``fingerprint`` of a Parquet file, repeated up to n."""
    if name not in SETS:
        return _from_file(Path(name), n)
    rng = np.random.default_rng(0)
    words = rng.integers(0, 2**64, (n, num_views), dtype=np.uint64)
    if name == "shared":
        words &= np.uint64(2**32 - 1)
        words |= np.uint64(_FIXED_HALF)
    if name == "ball":
        ball = words[0, 0] ^ np.array([sum(1 << bit for bit in bits) for bits in _flips(3)], dtype=np.uint64)
        words[:] = np.resize(rng.permutation(ball), n).reshape(-1, 1)
    if name == "copies":
        words[:] = words[0]
    if name == "skewed":
        for bit in range(0, 64, 2):
            words |= (rng.random((n, num_views)) < 0.9).astype(np.uint64) << np.uint64(bit)
    return words


def expected_components(words: Words, max_distance: int) -> tuple[Index, Index] | None:
    """Return (node, component) of every fingerprint with a neighbour, found by other means; None where none is cheap.

    Up to 200,000 distinct fingerprints every pair is compared; a larger set that varies in 32 bits alone looks up each
    fingerprint with up to k of them flipped in a table of all 2**32.
    """
    distinct = np.unique(words)
    if len(distinct) <= _BRUTE_FORCE_UP_TO:
        pairs = list(_all_pairs(distinct, max_distance))
    elif np.bitwise_or.reduce(distinct ^ distinct[0]) < 1 << 32:
        pairs = list(_flipped_pairs(distinct, max_distance))
    else:
        return None
    if not pairs:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    left, right = (np.concatenate(side).view(np.int64) for side in zip(*pairs, strict=True))
    return connected_components(left, right)


def _all_pairs(words: Words, max_distance: int) -> Iterator[tuple[Words, Words]]:
    for start in range(0, len(words), _ROWS):
        rows = words[start : start + _ROWS]
        left, right = np.nonzero(popcount(rows[:, None] ^ words[None, start:]) <= max_distance)
        is_later = right > left
        yield rows[left[is_later]], words[start + right[is_later]]


def _flipped_pairs(words: Words, max_distance: int) -> Iterator[tuple[Words, Words]]:
    low = words & np.uint64(2**32 - 1)
    is_there = np.zeros(1 << 29, dtype=np.uint8)
    np.bitwise_or.at(is_there, low >> np.uint64(3), np.uint8(1) << (low & np.uint64(7)).astype(np.uint8))
    for count in range(1, max_distance + 1):
        for bits in combinations(range(32), count):
            mask = np.uint64(sum(1 << bit for bit in bits))
            other = low ^ mask
            found = is_there[other >> np.uint64(3)] >> (other & np.uint64(7)).astype(np.uint8) & 1
            chosen = words[(found == 1) & (other > low)]
            yield chosen, chosen ^ mask


def _flips(max_distance: int) -> Iterator[tuple[int, ...]]:
    """Yield every choice of up to so many of the 64 bits."""
    for count in range(max_distance + 1):
        yield from combinations(range(64), count)


def _from_file(path: Path, n: int) -> Words:
    column = pq.read_table(path, columns=["fingerprint"]).column(0).drop_null()
    return np.resize(column.to_numpy().view(np.uint64), n).reshape(-1, 1)
