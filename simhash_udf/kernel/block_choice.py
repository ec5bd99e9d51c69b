"""Choosing the blocks that split a large bucket again, from how a sample of its pairs differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.bands import MAX_BANDS
from simhash_udf.kernel.layout import BITS, Layout, bit_mask

# Measured on one core with benchmarks/band_join_kernel.py: to move the bits of a record, sort it and find its run; to
# compare a pair of records; and what one more sorted array costs however short it is.
RECORD_SECONDS = 25e-9
COMPARISON_SECONDS = 1.5e-9
ARRAY_SECONDS = 100e-6

Words = NDArray[np.uint64]
Blocks = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Bucket:
    """What there is to compare: records that share a key, or several such buckets together.

    Attributes
    ----------
    layout : Layout
        The layout whose key they share.
    records : float
        How many records.
    comparisons : float
        How many pairs of records share a key.
    differences : ndarray of uint64
        XOR of a sample of those pairs, over the fingerprint's own bit order.
    """

    layout: Layout
    records: float
    comparisons: float
    differences: Words


def choose_blocks(bucket: Bucket, max_distance: int) -> Blocks | None:
    """Return the blocks that make a bucket cheapest to join, or None where comparing all its pairs costs least.

    The bits behind the key are cut into blocks of equal information, not of equal length, so a bit in which all records
    of the bucket agree costs nothing.
    """
    rest = bucket.layout.order[bucket.layout.key_bits :]
    best, lowest = None, bucket.comparisons * COMPARISON_SECONDS
    for num_blocks in range(max_distance + 1, len(rest) + 1):
        num_bands = comb(num_blocks, max_distance)
        sorting = num_bands * (bucket.records * RECORD_SECONDS + ARRAY_SECONDS)
        if num_bands > MAX_BANDS or sorting >= lowest:
            break
        blocks = cut_evenly(rest, bit_information(rest, bucket.differences), num_blocks)
        agreeing = agreeing_bands(blocks, bucket.differences, num_blocks - max_distance)
        cost = sorting + bucket.comparisons * agreeing * COMPARISON_SECONDS
        if cost < lowest:
            best, lowest = blocks, cost
    return best


def bit_information(bits: Sequence[int], differences: Words) -> NDArray[np.float64]:
    """Return -log2 of the share of pairs that agree, for each bit: 1 for a fair coin, 0 for a constant."""
    differing = np.array([np.mean(differences >> np.uint64(bit) & np.uint64(1)) for bit in bits])
    # The small term spreads constant bits; the upper limit is that of a bit without a single agreeing pair.
    information: NDArray[np.float64] = -np.log2(np.maximum(1 - differing, 0.25)) + 1e-6
    return information


def cut_evenly(bits: Sequence[int], information: NDArray[np.float64], num_blocks: int) -> Blocks:
    """Cut the bits, in their order, into blocks of about equal information, each of one bit or more."""
    ends = np.cumsum(information)
    cuts = [0]
    for index in range(1, num_blocks):
        wanted = int(np.searchsorted(ends, ends[-1] * index / num_blocks - 1e-9)) + 1
        cuts.append(min(max(wanted, cuts[-1] + 1), len(bits) - (num_blocks - index)))
    cuts.append(len(bits))
    return tuple(tuple(bits[start:end]) for start, end in pairwise(cuts))


def agreeing_bands(blocks: Blocks, differences: Words, num_kept: int) -> float:
    """Return in how many of the bands that keep `num_kept` blocks a pair agrees, on average.

    The larger of two estimates: counted in the sample (sees bits that vary together), and the product over blocks (sees
    shares too small for the sample).
    """
    agrees = np.array([(differences & np.uint64(bit_mask(block))) == 0 for block in blocks]).reshape(len(blocks), -1)
    per_count = np.array([comb(count, num_kept) for count in range(len(blocks) + 1)], dtype=np.float64)
    counted = float(np.mean(per_count[agrees.sum(axis=0)]))
    information = [float(bit_information(block, differences).sum()) for block in blocks]
    # Elementary symmetric polynomial of degree num_kept in the blocks' chances to agree.
    symmetric = np.zeros(num_kept + 1)
    symmetric[0] = 1.0
    for bits in information:
        symmetric[1:] = symmetric[1:] + symmetric[:-1] * 2.0**-bits
    return max(counted, float(symmetric[num_kept]))


def uniform_comparisons(records: float, key_bits: int) -> float:
    """Return how many pairs of uniform random fingerprints share a key of that many bits."""
    return records * records / 2.0 ** min(key_bits + 1, BITS)
