"""Runs of equal key against plain Python."""

from __future__ import annotations

from itertools import combinations, groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_udf.kernel.runs import Runs, find_runs, same_key, sample_differences, varying_bits

WORD = st.sampled_from([0, 1, 2, 3, 2**62, 2**63, 2**63 + 1, 2**64 - 1]) | st.integers(0, 2**64 - 1)
SORTED = st.lists(WORD, max_size=15).map(lambda words: np.array(sorted(words), dtype=np.uint64))
KEY_BITS = st.sampled_from([0, 1, 2, 32, 62, 63, 64])


def runs_of(words, key_bits):
    """Start and length of every run of two or more, by plain Python."""
    found, start = [], 0
    for _, run in groupby(words, key=lambda word: word >> (64 - key_bits)):
        length = len(list(run))
        found += [(start, length)] if length > 1 else []
        start += length
    return found


@given(SORTED, KEY_BITS)
def test_runs_are_those_of_plain_grouping(words, key_bits):
    runs = find_runs(words, key_bits)
    expected = runs_of(words.tolist(), key_bits)
    assert list(zip(runs.start.tolist(), runs.length.tolist(), strict=True)) == expected
    assert runs.positions().tolist() == [start + at for start, length in expected for at in range(length)]
    assert runs.comparisons == sum(length * (length - 1) / 2 for _, length in expected)
    longer = runs.take(runs.length > 2)
    assert longer.length.tolist() == [length for _, length in expected if length > 2]
    assert longer.start.tolist() == [start for start, length in expected if length > 2]


@given(SORTED, KEY_BITS)
def test_two_words_have_one_key_if_their_leading_bits_agree(words, key_bits):
    expected = [word >> (64 - key_bits) == 0 for word in words.tolist()]
    assert same_key(words, key_bits).tolist() == expected


@given(SORTED, KEY_BITS)
def test_varying_bits_are_those_in_which_two_words_of_one_key_differ(words, key_bits):
    expected = 0
    for start, length in runs_of(words.tolist(), key_bits):
        for one, other in combinations(words[start : start + length].tolist(), 2):
            expected |= one ^ other
    assert varying_bits(words, key_bits) == expected


def test_sampled_pairs_lie_inside_the_runs_in_proportion_to_their_pairs():
    words = np.array([1, 2, 2**40, *(2**60 + 2**at for at in range(20)), 2**63], dtype=np.uint64)
    runs = Runs(np.array([0, 3]), np.array([2, 20]))
    found = sample_differences(words, runs).tolist()
    first = {1 ^ 2}
    second = {one ^ other for one, other in combinations(words[3:23].tolist(), 2)}
    assert set(found) == first | second
    share = sum(difference in first for difference in found) / len(found)
    assert share == pytest.approx(1 / 191, abs=0.01)
    assert len(found) == 2048
    assert found == sample_differences(words, runs).tolist()
