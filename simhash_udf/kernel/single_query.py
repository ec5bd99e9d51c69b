"""One query at a time: what `BandIndex.matches` finds, without the array calls that only pay for many queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.band_index import BandIndex
from simhash_udf.kernel.bits import popcount
from simhash_udf.kernel.key_table import MULTIPLIER, KeyTable
from simhash_udf.kernel.layout import BITS

Words = NDArray[np.uint64]

_ALL_BITS = (1 << BITS) - 1
# Words compared at a time: 2 MB of differences, so that a hot key takes no more.
_MAX_WORDS = 1 << 18
# Up to here Python's own integers are quicker than three array calls.
_FEW_WORDS = 12


def near(index: BandIndex, words: Sequence[int], max_distance: int | None = None) -> list[tuple[int, int]]:
    """Return (entry, distance) of every entry within the distance, each once, in no order.

    Parameters
    ----------
    index : BandIndex
    words : sequence of int
        The query's fingerprint in each view, unsigned.
    max_distance : int, optional
        0 up to the k of the index, which it is unless given.

    Raises
    ------
    SettingError
        For a larger distance, or another number of views.

    Examples
    --------
    >>> entries = np.array([[0b1111], [0b1000], [2**64 - 1]], dtype=np.uint64)
    >>> sorted(near(BandIndex.build(entries, max_distance=3), [0b1011]))
    [(0, 1), (1, 2)]
    """
    radius = index.radius(len(words), max_distance)
    found = []
    for view, (word, view_index) in enumerate(zip(words, index.views, strict=True)):
        for table in view_index.tables:
            for row, distance in _near_in_table(table, word, radius):
                entries = [row]
                if len(view_index.starts):
                    start, end = view_index.starts[row : row + 2].tolist()
                    entries = view_index.members[start:end].tolist()
                if len(words) == 1:
                    found += [(entry, distance) for entry in entries]
                else:
                    found += _checked(index, words, entries, view, radius)
    return found


def _near_in_table(table: KeyTable, word: int, radius: int) -> Iterator[tuple[int, int]]:
    """Yield number and distance of the words that belong to the table and are within the radius."""
    hashed = (word & table.mask) * MULTIPLIER & _ALL_BITS
    if len(table.passes):
        bit = hashed >> table.filter_shift
        if not table.passes.item(bit >> 3) >> (bit & 7) & 1:
            return
    bucket = hashed >> table.bucket_shift
    for place, bits in _close(table.words, word, table.starts.item(bucket), table.starts.item(bucket + 1), radius):
        if not bits & table.mask and all(bits & mask for mask in table.must_differ):
            yield table.rows.item(place), bits.bit_count()
    if len(table.hot_keys):
        key = np.uint64(word & table.mask)
        number = int(np.searchsorted(table.hot_keys, key))
        if number < len(table.hot_keys) and table.hot_keys[number] == key:
            for inner in table.hot_tables[number]:
                yield from _near_in_table(inner, word, radius)


def _close(words: Words, word: int, start: int, end: int, radius: int) -> Iterator[tuple[int, int]]:
    """Yield place and difference of the words from start to end that are within the radius."""
    if end - start <= _FEW_WORDS:
        for place in range(start, end):
            bits = words.item(place) ^ word
            if bits.bit_count() <= radius:
                yield place, bits
        return
    for begin in range(start, end, _MAX_WORDS):
        difference = words[begin : min(begin + _MAX_WORDS, end)] ^ np.uint64(word)
        for place in (popcount(difference) <= radius).nonzero()[0].tolist():
            yield begin + place, difference.item(place)


def _checked(
    index: BandIndex, words: Sequence[int], entries: list[int], view: int, radius: int
) -> Iterator[tuple[int, int]]:
    """Yield the entries that are near enough over all views and in no earlier one, with their smallest distance."""
    distances = popcount(index.words[entries] ^ np.array(words, dtype=np.uint64))
    for entry, distance in zip(entries, distances.tolist(), strict=True):
        if sum(distance) <= index.max_total_distance and all(earlier > radius for earlier in distance[:view]):
            yield entry, min(distance)
