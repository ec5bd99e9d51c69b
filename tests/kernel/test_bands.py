from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_udf.errors import SettingError
from simhash_udf.kernel.bands import MAX_BANDS, build_bands, cut_blocks
from simhash_udf.kernel.bits import hamming_distance
from simhash_udf.kernel.layout import from_layout, to_layout

LEGAL = [(k, b) for k in range(9) for b in range(k + 1, 65) if comb(b, k) <= MAX_BANDS and not (k == 1 and b > 12)]
WORDS = st.integers(0, 2**64 - 1)


def agreeing(bands, a, b):
    return [band.band_id for band in bands if (a ^ b) & band.mask == 0]


@given(st.sampled_from(LEGAL), WORDS, st.data())
def test_pairs_within_k_share_a_band_key(case, word, data):
    k, num_blocks = case
    flips = data.draw(st.sets(st.integers(0, 63), max_size=k))
    other = word ^ sum(1 << bit for bit in flips)
    assert agreeing(build_bands(num_blocks, k), word, other)


@given(st.sampled_from(LEGAL), WORDS, st.data())
def test_a_pair_belongs_to_the_first_band_in_which_it_agrees_and_to_no_other(case, word, data):
    k, num_blocks = case
    bands = build_bands(num_blocks, k)
    flips = data.draw(st.sets(st.integers(0, 63), max_size=k + 2))
    difference = sum(1 << bit for bit in flips)
    agrees = agreeing(bands, word, word ^ difference)
    belongs = [
        band.band_id
        for band in bands
        if difference & band.mask == 0 and all(difference & mask for mask in band.layout.must_differ)
    ]
    assert belongs == agrees[:1]


@pytest.mark.parametrize(("k", "num_blocks"), LEGAL)
def test_every_choice_of_blocks_is_one_band(k, num_blocks):
    bands = build_bands(num_blocks, k)
    assert {band.blocks for band in bands} == set(combinations(range(num_blocks), num_blocks - k))
    assert len(bands) == comb(num_blocks, k)
    assert all(band.mask.bit_count() == band.key_bits for band in bands)


@pytest.mark.parametrize("num_blocks", range(1, 65))
def test_blocks_are_contiguous_cover_all_bits_and_differ_in_size_by_one_at_most(num_blocks):
    blocks = cut_blocks(num_blocks)
    assert [bit for block in blocks for bit in block] == list(range(63, -1, -1))
    assert max(map(len, blocks)) - min(map(len, blocks)) <= 1


def test_distance_zero_has_one_band_of_all_bits():
    (band,) = build_bands(1, 0)
    assert (band.mask, band.key_bits) == (2**64 - 1, 64)


@pytest.mark.parametrize("num_views", [1, 2, 3, 4])
def test_every_view_has_the_same_bands(num_views):
    bands = build_bands(5, 3, num_views)
    assert [band.view for band in bands] == [view for view in range(num_views) for _ in range(10)]
    assert {(band.band_id, band.mask) for band in bands} == {(band.band_id, band.mask) for band in build_bands(5, 3)}


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=20), st.sampled_from(LEGAL), st.data())
def test_a_layout_puts_the_key_first_keeps_distances_and_can_be_undone(pairs, case, data):
    k, num_blocks = case
    band = data.draw(st.sampled_from(build_bands(num_blocks, k)))
    a, b = (np.array(column, dtype=np.uint64) for column in zip(*pairs, strict=True))
    moved_a, moved_b = to_layout(a, band.layout), to_layout(b, band.layout)
    assert np.array_equal(from_layout(moved_a, band.layout), a)
    assert np.array_equal(hamming_distance(moved_a, moved_b), hamming_distance(a, b))
    same_key = [(x ^ y) >> (64 - band.key_bits) == 0 for x, y in zip(moved_a.tolist(), moved_b.tolist(), strict=True)]
    assert same_key == [(x ^ y) & band.mask == 0 for x, y in pairs]


def test_a_layout_works_on_more_words_than_one_piece():
    words = np.random.default_rng(0).integers(0, 2**64, 100_001, dtype=np.uint64)
    layout = build_bands(6, 3)[7].layout
    assert np.array_equal(from_layout(to_layout(words, layout), layout), words)


@pytest.mark.parametrize(
    ("num_blocks", "k", "views", "words"),
    [
        (3, 3, 1, "max_distance=3 needs num_blocks >= 4, got 3; set num_blocks to 4 or more, or to auto"),
        (4, 4, 1, "max_distance=4 needs num_blocks >= 5, got 4"),
        (0, 0, 1, "max_distance=0 needs num_blocks >= 1, got 0"),
        (65, 1, 1, "num_blocks=65"),
        (40, 3, 1, "makes 9880 bands, the most is 300"),
        (10, 9, 1, "max_distance=9 is outside 0 to 8"),
        (4, -1, 1, "max_distance=-1"),
        (4, 3, 5, "5 views"),
        (4, 3, 0, "0 views"),
    ],
)
def test_settings_that_would_miss_pairs_or_cost_too_much_are_refused(num_blocks, k, views, words):
    with pytest.raises(SettingError, match=words):
        build_bands(num_blocks, k, views)
