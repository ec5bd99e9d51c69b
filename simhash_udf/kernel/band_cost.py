"""What a band costs, estimated from a sample of the fingerprints."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.bands import Band
from simhash_udf.kernel.block_choice import COMPARISON_SECONDS, RECORD_SECONDS, uniform_comparisons
from simhash_udf.kernel.layout import to_layout
from simhash_udf.kernel.runs import find_runs

Words = NDArray[np.uint64]

# Packed blocks through Spark's shuffle, benchmarks/band_join.py on two cores: 10**7 fingerprints in 10 bands took 8.9 s
# and 10**8 took 137 s, 0.17 and 0.27 microseconds a record and core, of which NumPy takes 0.03; the rest over 8 bytes.
SHUFFLE_BYTE_SECONDS = 2.2e-8
# A wave is two stages; 10,000 fingerprints took 0.5 s in a warm session and 2.5 s in a cold one.
WAVE_SECONDS = 1.0


def join_seconds(records: float, comparisons: float, num_views: int) -> float:
    """Return the seconds on one core for that many records in the shuffle and comparisons after it."""
    per_record = RECORD_SECONDS + 8 * num_views * SHUFFLE_BYTE_SECONDS
    return records * per_record + comparisons * COMPARISON_SECONDS


def band_comparisons(sample: Words, n: float, band: Band, max_distance: int) -> float:
    """Return how many pairs the join of a band compares, hot keys being split.

    Parameters
    ----------
    sample : ndarray of uint64, shape (m,)
        Fingerprints of the band's view.
    n : float
        How many they stand for.
    band : Band
    max_distance : int
        k.
    """
    floor = uniform_comparisons(n, band.key_bits)
    if len(sample) < 2:
        return floor
    runs = find_runs(np.sort(to_layout(sample, band.layout)), band.key_bits)
    scale = n / len(sample)
    length = runs.length.astype(np.float64)
    pairs = length * (length - 1) / 2 * max(scale, 1.0) ** 2
    # A long bucket is split into bands of its own; that costs so many comparisons' worth of sorting for a record.
    split = comb(max_distance + 3, 3) * RECORD_SECONDS / COMPARISON_SECONDS
    return max(floor, float(np.minimum(pairs, length * scale * split).sum()))
