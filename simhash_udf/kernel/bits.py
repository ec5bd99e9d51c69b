"""Counting the bits of 64-bit words, and the node id of a tuple of fingerprints."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

# Number of set bits of every 16-bit value, for NumPy 1, which has no bitwise_count.
_COUNT_16 = np.array([value.bit_count() for value in range(1 << 16)], dtype=np.uint8)

# SplitMix64 (Steele, Lea, Flood 2014): its increment and the two multipliers of its finaliser.
_INCREMENT = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def as_words(values: NDArray[Any]) -> Words:
    """Return 64-bit integers as unsigned words: the same bits, never a changed value.

    Parameters
    ----------
    values : ndarray of int64 or uint64
        Fingerprints in either sign.

    Returns
    -------
    ndarray of uint64
        A view where NumPy allows one.

    Raises
    ------
    TypeError
        When the values are not 64-bit integers: a float has already lost bits.
    """
    if values.dtype == np.uint64:
        return values
    if values.dtype == np.int64:
        return values.view(np.uint64)
    raise TypeError(f"fingerprints are int64 or uint64, got {values.dtype}; convert them before this call")


def _popcount_by_table(words: Words) -> NDArray[np.uint8]:
    """Count bits 16 at a time."""
    halves = _COUNT_16[np.ascontiguousarray(words).reshape(-1, 1).view(np.uint16)]
    return np.asarray(halves.sum(axis=1, dtype=np.uint8)).reshape(words.shape)


def popcount(words: Words) -> NDArray[np.uint8]:
    """Return the number of set bits of each 64-bit word.

    Parameters
    ----------
    words : ndarray of uint64, any shape

    Returns
    -------
    ndarray of uint8
        The same shape, values 0 to 64.
    """
    counts: NDArray[np.uint8] = getattr(np, "bitwise_count", _popcount_by_table)(words)
    return counts


def hamming_distance(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.uint8]:
    """Return in how many bits the fingerprints of two arrays differ.

    Parameters
    ----------
    a, b : ndarray of int64 or uint64
        Shapes that broadcast; one may be signed and the other not.

    Returns
    -------
    ndarray of uint8
        Values 0 to 64.

    Examples
    --------
    >>> import numpy as np
    >>> hamming_distance(np.array([-1, 5]), np.array([0, -6])).tolist()
    [64, 64]
    """
    return popcount(as_words(a) ^ as_words(b))


def _mix(words: Words) -> Words:
    """Apply the SplitMix64 finaliser, a bijection on 64-bit words."""
    words = (words ^ (words >> np.uint64(30))) * _MULTIPLIERS[0]
    words = (words ^ (words >> np.uint64(27))) * _MULTIPLIERS[1]
    return words ^ (words >> np.uint64(31))


def node_ids(words: Words) -> NDArray[np.int64]:
    """Return the 64-bit id of each tuple of fingerprints.

    Parameters
    ----------
    words : ndarray of uint64, shape (n, r)
        One row a node, one column a view.

    Returns
    -------
    ndarray of int64, shape (n,)
        For r = 1 the fingerprint itself in two's complement. For r > 1 a mix of all words: two different tuples share
        an id with probability 2**-64 (10**8 nodes: 3 chances in 10,000 that any two do), so the caller checks.

    Examples
    --------
    >>> import numpy as np
    >>> node_ids(np.array([[2**64 - 1], [7]], dtype=np.uint64)).tolist()
    [-1, 7]
    """
    if words.shape[1] == 1:
        return np.ascontiguousarray(words[:, 0]).view(np.int64)
    mixed = np.zeros(len(words), dtype=np.uint64)
    for view in range(words.shape[1]):
        mixed = _mix((mixed ^ words[:, view]) + _INCREMENT)
    return mixed.view(np.int64)
