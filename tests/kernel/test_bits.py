from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_udf.kernel import bits

INT64 = st.integers(-(2**63), 2**63 - 1)


@given(st.lists(st.tuples(INT64, INT64), min_size=1))
def test_distance_equals_the_count_of_differing_binary_digits(pairs):
    a, b = (np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True))
    expected = [((x ^ y) & (2**64 - 1)).bit_count() for x, y in pairs]
    assert bits.hamming_distance(a, b).tolist() == expected
    assert bits.hamming_distance(a.view(np.uint64), b).tolist() == expected


def test_distance_is_right_when_one_side_is_negative():
    a = np.array([-(2**63), -1, -1, -1621285313438006658, 5])
    b = np.array([0, 0, 2**63 - 1, 7602086723416769151, -6])
    assert bits.hamming_distance(a, b).tolist() == [1, 64, 1, 2, 64]


def test_floats_are_refused_because_they_have_lost_bits():
    with pytest.raises(TypeError, match="float64"):
        bits.hamming_distance(np.array([1.0]), np.array([1]))


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_counting_by_table_equals_counting_by_numpy(values):
    words = np.array(values, dtype=np.uint64)
    assert bits._popcount_by_table(words).tolist() == [value.bit_count() for value in values]
    assert bits.popcount(words).tolist() == [value.bit_count() for value in values]


def test_counting_by_table_keeps_the_shape():
    words = np.arange(12, dtype=np.uint64).reshape(3, 4).T
    assert np.array_equal(bits._popcount_by_table(words), bits.popcount(words))


@given(st.lists(INT64))
def test_the_node_id_of_one_view_is_the_fingerprint(values):
    words = np.array(values, dtype=np.int64).view(np.uint64).reshape(-1, 1)
    assert bits.node_ids(words).tolist() == values


@pytest.mark.parametrize("num_views", [2, 3, 4])
def test_different_tuples_have_different_node_ids(num_views):
    words = np.array(list(np.ndindex(*[9] * num_views)), dtype=np.uint64)
    ids = bits.node_ids(words)
    assert len(set(ids.tolist())) == len(words)
    assert np.array_equal(bits.node_ids(words[::-1]), ids[::-1])


def test_the_order_of_views_matters_for_the_node_id():
    words = np.array([[1, 2], [2, 1], [0, 3], [3, 0]], dtype=np.uint64)
    assert len(set(bits.node_ids(words).tolist())) == 4


def test_counting_is_numpys_where_it_has_it_and_by_table_where_not(monkeypatch):
    words = np.array([[0, 1], [2**64 - 1, 2**63]], dtype=np.uint64)
    monkeypatch.setattr(np, "bitwise_count", lambda counted: counted.shape, raising=False)
    assert bits.popcount(words) == (2, 2)
    monkeypatch.delattr(np, "bitwise_count")
    counts = bits.popcount(words)
    assert counts.tolist() == [[0, 1], [64, 1]]
    assert counts.dtype == np.uint8


def split_mix(word):
    """SplitMix64's finaliser on Python numbers, without a limit of their own."""
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
    return word ^ word >> 31


@given(st.lists(st.tuples(INT64, INT64, INT64), min_size=1))
def test_node_ids_are_those_that_stores_already_hold(tuples):
    expected = []
    for words in tuples:
        mixed = 0
        for word in words:
            mixed = split_mix(((mixed ^ word % 2**64) + 0x9E3779B97F4A7C15) % 2**64)
        expected.append(mixed)
    found = bits.node_ids(np.array(tuples, dtype=np.int64).view(np.uint64))
    assert found.view(np.uint64).tolist() == expected
