"""Bit layouts: the order in which the bits of a fingerprint stand while one band is joined.

A layout puts the bits that must agree first, so that sorting brings equal keys together and leading bits cut the
records into ranges. Hamming distance is the same in every layout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

BITS = 64
NATURAL_ORDER = tuple(range(BITS - 1, -1, -1))
# 2**15 words are 256 KB: a piece and its two temporaries stay in a core's second-level cache.
_PIECE = 1 << 15

Moves = tuple[tuple[int, int], ...]
Words = NDArray[np.uint64]


@dataclass(frozen=True)
class Layout:
    """An order of the 64 bits, and which pairs belong to it.

    Attributes
    ----------
    order : tuple of int
        Bit numbers (0 is the least significant) of the fingerprint, from the layout's most significant bit down.
    key_bits : int
        How many leading bits have to agree.
    must_differ : tuple of int
        Masks over the fingerprint. A pair belongs to this layout only if it differs in every one of them; each pair
        within the distance belongs to exactly one of the layouts that `split_layout` returns.
    """

    order: tuple[int, ...] = NATURAL_ORDER
    key_bits: int = 0
    must_differ: tuple[int, ...] = ()

    @property
    def rest_bits(self) -> int:
        """Number of bits after the key."""
        return BITS - self.key_bits

    @property
    def masks(self) -> tuple[int, ...]:
        """`must_differ` in the order of this layout."""
        return tuple(move_mask(mask, self.order) for mask in self.must_differ)


def can_hold_pairs(layout: Layout, varying: int) -> bool:
    """Return whether records that differ in these bits only can have a pair that belongs to the layout."""
    loose = bit_mask(layout.order[layout.key_bits :]) & varying
    return all(mask & loose for mask in layout.must_differ)


def bit_mask(bits: Sequence[int]) -> int:
    """Return the word in which exactly these bit numbers are set."""
    return sum(1 << bit for bit in bits)


def split_layout(layout: Layout, blocks: Sequence[tuple[int, ...]], max_distance: int) -> Iterator[Layout]:
    """Yield one layout for every choice of blocks that may differ, the others lengthening the key.

    Two words that differ in at most k places differ in at most k blocks, so they agree on all blocks but some k.
    A pair that agrees in several layouts belongs to the first. With the choices in lexicographic order that one is
    known from the pair alone: a choice is the first superset of the blocks that differ if and only if all its blocks
    behind its unbroken beginning (0, 1, 2 …) do differ.

    Parameters
    ----------
    layout : Layout
        Where the key so far leads.
    blocks : sequence of tuple of int
        The bit numbers behind the key, cut into blocks; together they hold every one of them.
    max_distance : int
        k, fewer than there are blocks.
    """
    key = layout.order[: layout.key_bits]
    for choice in combinations(range(len(blocks)), max_distance):
        kept = tuple(bit for index, block in enumerate(blocks) if index not in choice for bit in block)
        loose = tuple(bit for index in choice for bit in blocks[index])
        unbroken = next((place for place, index in enumerate(choice) if place != index), len(choice))
        must_differ = tuple(bit_mask(blocks[index]) for index in choice[unbroken:])
        yield Layout(key + kept + loose, len(key) + len(kept), layout.must_differ + must_differ)


@lru_cache(maxsize=4096)
def moves_between(source: tuple[int, ...], target: tuple[int, ...]) -> Moves:
    """Return the (mask, left shift) steps that carry a word from one order to another.

    All bits that move by the same number of places move in one step, so b blocks take at most b steps.
    """
    place = {bit: BITS - 1 - index for index, bit in enumerate(source)}
    masks: dict[int, int] = {}
    for index, bit in enumerate(target):
        shift = BITS - 1 - index - place[bit]
        masks[shift] = masks.get(shift, 0) | 1 << place[bit]
    return tuple((mask, shift) for shift, mask in masks.items())


def move_bits(words: Words, moves: Moves) -> Words:
    """Return the words with their bits carried to another order; a new array of the same length."""
    words = np.ascontiguousarray(words)
    moved = np.zeros(len(words), dtype=np.uint64)
    step = np.empty(min(len(words), _PIECE), dtype=np.uint64)
    for start in range(0, len(words), _PIECE):
        piece, target = words[start : start + _PIECE], moved[start : start + _PIECE]
        part = step[: len(piece)]
        for mask, shift in moves:
            np.bitwise_and(piece, np.uint64(mask), out=part)
            if shift:
                (np.left_shift if shift > 0 else np.right_shift)(part, np.uint64(abs(shift)), out=part)
            np.bitwise_or(target, part, out=target)
    return moved


def to_layout(words: Words, layout: Layout) -> Words:
    """Return fingerprints with their bits in the order of the layout, the key first."""
    return move_bits(words, moves_between(NATURAL_ORDER, layout.order))


def from_layout(words: Words, layout: Layout) -> Words:
    """Return the fingerprints of words in the order of the layout; the inverse of `to_layout`."""
    return move_bits(words, moves_between(layout.order, NATURAL_ORDER))


@lru_cache(maxsize=4096)
def move_mask(mask: int, order: tuple[int, ...]) -> int:
    """Return a mask over the fingerprint as a mask over words in that order."""
    return sum(1 << (BITS - 1 - index) for index, bit in enumerate(order) if mask >> bit & 1)
