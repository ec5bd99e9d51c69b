"""Orders of bits: masks move like words, and a layout without possible pairs is known."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simhash_udf.kernel.layout import (
    NATURAL_ORDER,
    Layout,
    bit_mask,
    can_hold_pairs,
    move_bits,
    move_mask,
    moves_between,
    split_layout,
)

ORDERS = st.permutations(range(64)).map(tuple)
WORD = st.integers(0, 2**64 - 1)


def moved(word, source, target):
    """Oracle: bit by bit."""
    return sum(1 << 63 - target.index(bit) for at, bit in enumerate(source) if word >> 63 - at & 1)


@given(ORDERS, ORDERS, st.lists(WORD, max_size=4))
def test_words_and_masks_move_bit_by_bit(source, target, words):
    found = move_bits(np.array(words, dtype=np.uint64), moves_between(source, target))
    assert found.tolist() == [moved(word, source, target) for word in words]
    for word in words:
        assert move_mask(word, target) == moved(word, NATURAL_ORDER, target)


def test_bits_that_move_equally_far_move_in_one_step():
    turned = NATURAL_ORDER[32:] + NATURAL_ORDER[:32]
    assert sorted(moves_between(NATURAL_ORDER, turned)) == [(2**32 - 1, 32), (2**64 - 2**32, -32)]
    assert moves_between(turned, turned) == ((2**64 - 1, 0),)


@given(ORDERS, st.integers(0, 64), st.lists(WORD, max_size=3), WORD)
def test_a_layout_holds_pairs_where_every_mask_meets_bits_that_vary_behind_the_key(order, key_bits, masks, varying):
    layout = Layout(order, key_bits, tuple(masks))
    loose = set(order[key_bits:]) & {bit for bit in range(64) if varying >> bit & 1}
    assert layout.rest_bits == 64 - key_bits
    assert layout.masks == tuple(moved(mask, NATURAL_ORDER, order) for mask in masks)
    assert can_hold_pairs(layout, varying) == all(any(mask >> bit & 1 for bit in loose) for mask in masks)


@given(st.integers(1, 6), st.data())
def test_of_the_layouts_of_a_split_each_near_pair_belongs_to_one(num_blocks, data):
    k = data.draw(st.integers(0, num_blocks - 1))
    whole = Layout(NATURAL_ORDER, 16, (1 << 3,))
    cuts = sorted(data.draw(st.sets(st.integers(17, 63), min_size=num_blocks - 1, max_size=num_blocks - 1)))
    blocks = [NATURAL_ORDER[a:b] for a, b in zip([16, *cuts], [*cuts, 64], strict=True)]
    layouts = list(split_layout(whole, blocks, k))
    assert len(layouts) == len(list(combinations(range(num_blocks), k)))
    flips = data.draw(st.sets(st.integers(0, 47), max_size=k))
    difference = bit_mask(sorted(flips))
    belongs = [
        layout
        for layout in layouts
        if difference & bit_mask(layout.order[: layout.key_bits]) == 0
        and all(difference & mask for mask in layout.must_differ[1:])
    ]
    assert len(belongs) == 1
    assert all(layout.order[:16] == NATURAL_ORDER[:16] and layout.must_differ[0] == 1 << 3 for layout in layouts)
