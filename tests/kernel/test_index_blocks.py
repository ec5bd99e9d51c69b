"""The blocks of an index: all bits, evenly, and as many blocks as pay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_udf.errors import SettingError
from simhash_udf.kernel.index_blocks import index_blocks
from simhash_udf.kernel.ranges import expand_ranges

UNIFORM = np.random.default_rng(0).integers(0, 2**64, 50_000, dtype=np.uint64)


@given(st.integers(0, 200), st.integers(0, 8), st.integers(0, 2**64 - 1), st.sampled_from([None, 9, 10]))
def test_every_bit_is_in_one_block(n, k, mask, num_blocks):
    blocks = index_blocks(UNIFORM[:n] & np.uint64(mask), k, num_blocks, 1000.0)
    assert sorted(bit for block in blocks for bit in block) == list(range(64))
    assert all(blocks)
    assert len(blocks) == num_blocks if num_blocks else len(blocks) > k


def test_bits_that_are_the_same_in_all_words_share_a_block_with_others():
    blocks = index_blocks(UNIFORM & np.uint64(2**32 - 1), 3, 4, 1000.0)
    varying = [sum(bit < 32 for bit in block) for block in blocks]
    assert sum(varying) == 32
    assert max(varying) - min(varying) <= 2


@pytest.mark.parametrize("k", [1, 3, 5])
def test_more_words_or_more_queries_make_no_fewer_blocks(k):
    sizes, counts = [100, 2_000, 50_000], [1e2, 1e5, 1e8]
    chosen = np.array([[len(index_blocks(UNIFORM[:n], k, None, queries)) for queries in counts] for n in sizes])
    assert np.all(np.diff(chosen, axis=0) >= 0)
    assert np.all(np.diff(chosen, axis=1) >= 0)
    assert chosen[0, 0] == k + 1


def test_too_few_blocks_are_refused():
    with pytest.raises(SettingError, match="num_blocks >= 4"):
        index_blocks(UNIFORM, 3, 3, 1.0)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 9))), st.integers(1, 12))
def test_ranges_are_expanded_in_bounded_pieces(ranges, piece):
    start, length = (np.array([pair[at] for pair in ranges], dtype=np.int64) for at in (0, 1))
    pieces = list(expand_ranges(start, length, piece))
    assert all(len(which) == len(place) <= piece for which, place in pieces)
    found = [pair for which, place in pieces for pair in zip(which.tolist(), place.tolist(), strict=True)]
    assert found == [(number, at) for number, (first, size) in enumerate(ranges) for at in range(first, first + size)]
