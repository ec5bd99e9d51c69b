"""Bands: every choice of blocks of a fingerprint that has to agree (Manku, Jain, Das Sarma 2007, section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import comb

from simhash_udf.errors import SettingError
from simhash_udf.kernel.layout import BITS, Layout, bit_mask, split_layout

MAX_DISTANCE = 8
MAX_VIEWS = 4
# Each band sorts every fingerprint once; 300 are far above what any distance up to 8 needs (k = 8, b = 11: 165).
MAX_BANDS = 300


@dataclass(frozen=True)
class Band:
    """One choice of blocks that must agree, in one view.

    Attributes
    ----------
    view : int
        Which of the fingerprints of a document, from 0.
    band_id : int
        Number within the view. A pair that agrees in several bands comes out of the one with the smallest number.
    blocks : tuple of int
        The blocks of the key; block 0 holds the most significant bits.
    mask : int
        The bits of the key, unsigned. `fingerprint & mask` is the band key.
    key_bits : int
        How many bits that is.
    layout : Layout
        The order of bits in which the key leads.
    """

    view: int
    band_id: int
    blocks: tuple[int, ...]
    mask: int
    key_bits: int
    layout: Layout


def cut_blocks(num_blocks: int) -> tuple[tuple[int, ...], ...]:
    """Return the bit numbers of each block, most significant first; sizes differ by at most one.

    Examples
    --------
    >>> [len(block) for block in cut_blocks(5)]
    [13, 13, 13, 13, 12]
    """
    size, longer = divmod(BITS, num_blocks)
    ends = [index * size + min(index, longer) for index in range(num_blocks + 1)]
    return tuple(tuple(BITS - 1 - place for place in range(*pair)) for pair in pairwise(ends))


def check_distance(max_distance: int, num_views: int) -> None:
    """Refuse a distance or a number of views outside what the join is built for."""
    if not 0 <= max_distance <= MAX_DISTANCE:
        raise SettingError(
            f"max_distance={max_distance} is outside 0 to {MAX_DISTANCE}: beyond it the bands outnumber what they "
            f"save; set max_distance to {MAX_DISTANCE} or less, or use more views"
        )
    if not 1 <= num_views <= MAX_VIEWS:
        raise SettingError(f"{num_views} views, allowed are 1 to {MAX_VIEWS}; set views to 1 to {MAX_VIEWS} tokenizers")


def check_blocks(num_blocks: int, max_distance: int) -> None:
    """Refuse a number of blocks that would miss pairs, or that makes too many bands."""
    if num_blocks <= max_distance:
        needed = max_distance + 1
        raise SettingError(
            f"max_distance={max_distance} needs num_blocks >= {needed}, got {num_blocks}; "
            f"set num_blocks to {needed} or more, or to auto"
        )
    if num_blocks > BITS:
        raise SettingError(f"num_blocks={num_blocks} is more than the {BITS} bits of a fingerprint; set it to auto")
    num_bands = comb(num_blocks, max_distance)
    if num_bands > MAX_BANDS:
        raise SettingError(
            f"num_blocks={num_blocks} with max_distance={max_distance} makes {num_bands} bands, the most is "
            f"{MAX_BANDS}; set num_blocks lower, or to auto"
        )


def build_bands(num_blocks: int, max_distance: int, num_views: int = 1) -> tuple[Band, ...]:
    """Return the bands of all views, C(num_blocks, max_distance) each; a pair comes out of the first that it agrees in.

    Parameters
    ----------
    num_blocks : int
        b: into how many contiguous blocks the 64 bits are cut.
    max_distance : int
        k, 0 to 8: the largest Hamming distance that has to be found. With 0 there is one band, of all 64 bits.
    num_views : int
        r, 1 to 4: how many fingerprints a document has.

    Raises
    ------
    SettingError
        When blocks are too few to find every pair, or the bands too many.

    Examples
    --------
    >>> bands = build_bands(5, 3)
    >>> len(bands), bands[0].blocks, bands[0].key_bits
    (10, (3, 4), 25)
    """
    check_distance(max_distance, num_views)
    check_blocks(num_blocks, max_distance)
    blocks = cut_blocks(num_blocks)
    layouts = tuple(split_layout(Layout(), blocks, max_distance))
    return tuple(
        _band(view, band_id, layout, blocks) for view in range(num_views) for band_id, layout in enumerate(layouts)
    )


def _band(view: int, band_id: int, layout: Layout, blocks: tuple[tuple[int, ...], ...]) -> Band:
    """Name the blocks and the mask of a layout's key."""
    mask = bit_mask(layout.order[: layout.key_bits])
    kept = tuple(index for index, block in enumerate(blocks) if mask >> block[0] & 1)
    return Band(view, band_id, kept, mask, layout.key_bits, layout)
