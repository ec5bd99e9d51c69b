"""How many blocks suit an index: more bands to build and look up, or more words to compare with each query."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.bands import MAX_BANDS, check_blocks, cut_blocks
from simhash_udf.kernel.block_choice import Blocks, agreeing_bands, bit_information, cut_evenly
from simhash_udf.kernel.layout import BITS, NATURAL_ORDER

Words = NDArray[np.uint64]

# Measured on one core with benchmarks/fingerprint_index.py: to put a word into a band; to look a query up in one; to
# compare it with a word that shares its key, among those of other queries; and to compare it with many such words in
# calls of its own, a call and then so much for each.
_WORD_SECONDS = 1.2e-7
_LOOKUP_SECONDS = 1e-8
_COMPARISON_SECONDS = 1e-8
_CALL_SECONDS = 3e-6
_COMPARISON_IN_CALL_SECONDS = 1.6e-9
# Pairs drawn, at most, to see how the words differ: shares down to about 1 in 100,000 are seen.
_SAMPLED_PAIRS = 1 << 17


def index_blocks(words: Words, max_distance: int, num_blocks: int | None, num_queries: float) -> Blocks:
    """Return the blocks, of equal information, into which the bits of an index are cut.

    Parameters
    ----------
    words : ndarray of uint64, shape (n,)
        The words to be indexed.
    max_distance : int
        k.
    num_blocks : int, optional
        b; unless given, the one of lowest cost.
    num_queries : float
        How many queries are expected, distributed as the words are.

    Raises
    ------
    SettingError
        When blocks are too few to find every pair, or the bands too many.
    """
    if num_blocks is not None:
        check_blocks(num_blocks, max_distance)
    differences = _random_differences(words)
    if not len(differences):
        return cut_blocks(num_blocks or max_distance + 1)
    information = bit_information(NATURAL_ORDER, differences)
    if num_blocks is not None:
        return cut_evenly(NATURAL_ORDER, information, num_blocks)
    best, lowest = cut_evenly(NATURAL_ORDER, information, max_distance + 1), float("inf")
    for count in range(max_distance + 1, BITS + 1):
        num_bands = comb(count, max_distance)
        fixed = num_bands * (len(words) * _WORD_SECONDS + num_queries * _LOOKUP_SECONDS)
        # Every further block costs more to build and to look up, so the first too dear for that alone ends the search.
        if num_bands > MAX_BANDS or fixed >= lowest:
            break
        blocks = cut_evenly(NATURAL_ORDER, information, count)
        shared = agreeing_bands(blocks, differences, count - max_distance) * len(words)
        cost = fixed + num_queries * num_bands * _bucket_seconds(shared / num_bands)
        if cost < lowest:
            best, lowest = blocks, cost
        if max_distance == 0:
            break
    return best


def _bucket_seconds(length: float) -> float:
    """Return how long a query takes for the words of one bucket."""
    return min(length * _COMPARISON_SECONDS, _CALL_SECONDS + length * _COMPARISON_IN_CALL_SECONDS)


def _random_differences(words: Words) -> Words:
    """Return the XOR of pairs of words drawn at random; always the same for the same words."""
    if len(words) < 2:
        return np.empty(0, dtype=np.uint64)
    draw = np.random.default_rng(0)
    size = min(_SAMPLED_PAIRS, 8 * len(words))
    left = draw.integers(0, len(words), size)
    right = (left + draw.integers(1, len(words), size)) % len(words)
    differences: Words = words[left] ^ words[right]
    return differences
