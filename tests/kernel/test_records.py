"""Records of a band against plain Python: sorted, distinct, and a column changed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_udf.kernel.records import distinct_rows, replace_column, sort_by, sort_distinct

FEW = st.sampled_from([0, 1, 2, 2**63, 2**64 - 1])


def tables(width):
    return st.lists(st.tuples(*[FEW] * width), max_size=12).map(
        lambda rows: np.array(rows, dtype=np.uint64).reshape(-1, width)
    )


TABLES = st.integers(1, 4).flatmap(tables)


@given(TABLES, st.data())
def test_repeated_rows_go_and_each_word_knows_its_row(words, data):
    view = data.draw(st.integers(0, words.shape[1] - 1))
    column, rows = distinct_rows(words, view)
    assert column.tolist() == sorted(row[view] for row in set(map(tuple, words.tolist())))
    if words.shape[1] == 1:
        assert (len(rows), rows.dtype) == (0, np.int64)
    else:
        assert words[rows, view].tolist() == column.tolist()
        assert sorted(map(tuple, words[rows].tolist())) == sorted(set(map(tuple, words.tolist())))


@given(TABLES)
def test_distinct_rows_stand_in_the_order_of_the_first_column(words):
    found = sort_distinct(words)
    assert found.shape[1] == words.shape[1]
    assert sorted(map(tuple, found.tolist())) == sorted(set(map(tuple, words.tolist())))
    assert found[:, 0].tolist() == sorted(found[:, 0].tolist())


@given(TABLES, st.data())
def test_rows_are_sorted_by_one_column_and_stay_whole(words, data):
    view = data.draw(st.integers(0, words.shape[1] - 1))
    before = words.copy()
    found = sort_by(words, view)
    assert found[:, view].tolist() == sorted(words[:, view].tolist())
    assert sorted(map(tuple, found.tolist())) == sorted(map(tuple, words.tolist()))
    assert np.array_equal(words, before)


@pytest.mark.parametrize("width", [1, 2, 4])
def test_a_column_is_replaced_and_the_rows_before_stay(width):
    words = np.arange(3 * width, dtype=np.uint64).reshape(3, width)
    before, column = words.copy(), np.array([7, 8, 9], dtype=np.uint64)
    for view in range(width):
        found = replace_column(words, view, column)
        expected = before.copy()
        expected[:, view] = column
        assert np.array_equal(found, expected)
        assert np.array_equal(words, before)
