"""Pairs inside runs against a comparison of each with each, whatever tables the runs are laid out in."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_udf.kernel import close_pairs as module
from simhash_udf.kernel.close_pairs import close_pairs, gather_pairs
from simhash_udf.kernel.runs import Runs


def runs_with_gaps(lengths, gap):
    """Runs of these lengths in one array, `gap` words between them."""
    starts = np.cumsum([0, *(length + gap for length in lengths[:-1])])
    return Runs(np.array(starts), np.array(lengths)), int(sum(lengths) + gap * len(lengths))


def brute_force(words, runs, k):
    found = set()
    for start, length in zip(runs.start.tolist(), runs.length.tolist(), strict=True):
        for a, b in combinations(range(start, start + length), 2):
            if (int(words[a]) ^ int(words[b])).bit_count() <= k:
                found.add((a, b))
    return found


def found_pairs(words, runs, k):
    pairs = [pair for left, right in close_pairs(words, runs, k) for pair in zip(left, right, strict=True)]
    assert len(pairs) == len(set(pairs)), "a pair came twice"
    return {(int(a), int(b)) for a, b in pairs}


@given(st.lists(st.integers(2, 12), min_size=1, max_size=6), st.integers(0, 2), st.integers(0, 3), st.integers(0, 99))
def test_pairs_are_those_of_a_comparison_of_each_with_each(lengths, gap, k, seed):
    runs, size = runs_with_gaps(lengths, gap)
    words = np.random.default_rng(seed).integers(0, 2**4, size, dtype=np.uint64)
    assert found_pairs(words, runs, k) == brute_force(words, runs, k)


@pytest.mark.parametrize(("table", "small"), [(1, 1), (8, 1), (64, 16), (64, 10**6)])
@pytest.mark.parametrize("lengths", [[2], [40], [2, 2, 2, 3, 17, 18, 19, 40], [9] * 12, [2, 40, 3, 39]], ids=str)
def test_small_tables_change_nothing(monkeypatch, lengths, table, small):
    monkeypatch.setattr(module, "_TABLE_WORDS", table)
    monkeypatch.setattr(module, "_SMALL_TABLE", small)
    runs, size = runs_with_gaps(lengths, 1)
    words = np.random.default_rng(sum(lengths)).integers(0, 2**5, size, dtype=np.uint64)
    assert found_pairs(words, runs, 1) == brute_force(words, runs, 1)


@pytest.mark.parametrize("k", [0, 3, 63, 64])
def test_a_distance_of_exactly_k_is_close(k):
    words = np.array([0, 2**k - 1, 2 ** min(k + 1, 64) - 1], dtype=np.uint64)
    runs = Runs(np.array([0]), np.array([3]))
    assert found_pairs(words, runs, k) == brute_force(words, runs, k)


def test_no_run_has_no_pair():
    none = np.empty(0, dtype=np.int64)
    assert list(close_pairs(np.arange(3, dtype=np.uint64), Runs(none, none), 64)) == []


@given(st.lists(st.integers(0, 5), max_size=9), st.integers(1, 7))
def test_gathered_batches_hold_the_same_pairs_and_at_least_so_many(sizes, size):
    numbers = iter(range(100))
    batches = [(np.array([next(numbers) for _ in range(each)], dtype=np.int64),) * 2 for each in sizes]
    found = list(gather_pairs(batches, size))
    assert [value for left, _ in found for value in left.tolist()] == list(range(sum(sizes)))
    assert all(np.array_equal(left, right) for left, right in found)
    assert all(len(left) >= size for left, _ in found[:-1])
    assert all(len(left) > 0 for left, _ in found)
    assert all(len(left) < size + 5 for left, _ in found)
