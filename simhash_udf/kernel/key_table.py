"""One band of an index: words ordered by the hash of their band key, and the search for those near a query.

The hash of a key is the masked word times an odd constant: one to one on 64-bit words, so equal hashes are equal keys,
and its leading bits are spread evenly however unevenly the key's bits are. Three array operations make it, whatever
blocks the key consists of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.bits import popcount
from simhash_udf.kernel.layout import BITS
from simhash_udf.kernel.ranges import expand_ranges

Words = NDArray[np.uint64]
Index = NDArray[np.int64]
Rows = NDArray[np.uint32]
Hits = tuple[Index, Index, NDArray[np.uint8]]

# 2**64 divided by the golden ratio, made odd (Knuth 1973, section 6.4: multiplicative hashing).
MULTIPLIER = 0x9E3779B97F4A7C15
# 2**15 queries and their temporaries stay in a core's second-level cache; the filter, 8 MB at most, in the third.
_PIECE = 1 << 15
# Pairs compared at a time; more no longer fit in the second-level cache, fewer are too many array calls.
_MAX_PAIRS = 1 << 17
# Words of one bucket compared at a time: 2 MB of differences, so that a hot key takes no more.
_MAX_WORDS = 1 << 18
# From this length on, an array call for a bucket costs less than laying its pairs side by side with others.
_LONG_BUCKET = 256


@dataclass(frozen=True)
class KeyTable:
    """Words by the hash of their key.

    Attributes
    ----------
    mask : int
        The bits of the key.
    must_differ : tuple of int
        A pair belongs to this table only if it differs in every one of these masks (see `layout.Layout`).
    words : ndarray of uint64, shape (n,)
        Ascending by hash.
    rows : ndarray of uint32, shape (n,)
        Number of each word, which is what a hit names.
    starts : ndarray of uint32, shape (2**t + 1,)
        Place of the first word of each bucket; a bucket is t leading bits of the hash.
    passes : ndarray of uint8
        One bit for each value of more leading bits of the hash, set if any word has it; empty where most would be set.
    hot_keys : ndarray of uint64, shape (h,)
        Keys, ascending, whose words are not here but in tables of their own.
    hot_tables : tuple of tuple of KeyTable
        Those of each such key.
    """

    mask: int
    must_differ: tuple[int, ...]
    words: Words
    rows: Rows
    starts: Rows
    passes: NDArray[np.uint8]
    hot_keys: Words
    hot_tables: tuple[tuple[KeyTable, ...], ...] = ()

    @cached_property
    def bucket_shift(self) -> int:
        """By how many places the hash is shifted to give the bucket."""
        return BITS + 1 - len(self.starts).bit_length()  # 2**t + 1 starts, a number of t + 1 bits

    @cached_property
    def filter_shift(self) -> int:
        """By how many places the hash is shifted to give the bit of `passes`."""
        return BITS + 1 - (8 * len(self.passes)).bit_length()

    def search(self, queries: Words, radius: int) -> Iterator[Hits]:
        """Yield the pairs of a query and a word that belong to this table and are within the radius.

        Parameters
        ----------
        queries : ndarray of uint64, shape (m,)
        radius : int

        Yields
        ------
        query, row : ndarray of int64
            Position in `queries`, number of the word.
        distance : ndarray of uint8
        """
        places = self._occupied(queries)
        passing = queries[places]
        buckets = leading_bits(passing, self.mask, self.bucket_shift)
        start = self.starts[buckets].astype(np.int64)
        length = self.starts[buckets + 1] - start
        is_long = length > _LONG_BUCKET
        for chosen, search in ((~is_long, self._search_side_by_side), (is_long, self._search_one_by_one)):
            asked = places[chosen]
            for which, place, difference in search(passing[chosen], start[chosen], length[chosen], radius):
                belongs = self._belongs(difference)
                row = self.rows[place[belongs]].astype(np.int64)
                yield asked[which[belongs]], row, popcount(difference[belongs])
        if len(self.hot_keys):
            yield from self._search_hot(places, passing, radius)

    def _occupied(self, queries: Words) -> Index:
        """Return the places of the queries whose hash may be that of a word."""
        if not len(self.passes):
            return np.arange(len(queries))
        found = []
        for begin in range(0, len(queries), _PIECE):
            bits = leading_bits(queries[begin : begin + _PIECE], self.mask, self.filter_shift)
            octets = np.take(self.passes, bits >> 3, mode="clip")  # no index is out of range; clip does not check
            octets >>= bits.astype(np.uint8) & np.uint8(7)
            found.append(np.flatnonzero(octets & np.uint8(1)) + begin)
        return np.concatenate(found) if found else np.empty(0, dtype=np.int64)

    def _search_side_by_side(
        self, queries: Words, start: Index, length: Index, radius: int
    ) -> Iterator[tuple[Index, Index, Words]]:
        """Compare each query with the words of its bucket, many queries at once."""
        for which, place in expand_ranges(start, length, _MAX_PAIRS):
            difference = self.words[place] ^ queries[which]
            close = (popcount(difference) <= radius).nonzero()[0]
            yield which[close], place[close], difference[close]

    def _search_one_by_one(
        self, queries: Words, start: Index, length: Index, radius: int
    ) -> Iterator[tuple[Index, Index, Words]]:
        """Compare each query with the words of its bucket, one query after another, where buckets are long."""
        numbers, places, differences, num_found = [], [], [], 0
        for number, (query, first, size) in enumerate(zip(queries, start.tolist(), length.tolist(), strict=True)):
            for begin in range(first, first + size, _MAX_WORDS):
                difference = self.words[begin : min(begin + _MAX_WORDS, first + size)] ^ query
                close = (popcount(difference) <= radius).nonzero()[0]
                if len(close):
                    numbers.append(number)
                    places.append(close + begin)
                    differences.append(difference[close])
                    num_found += len(close)
                if num_found > _MAX_PAIRS:
                    yield _gathered(numbers, places, differences)
                    numbers, places, differences, num_found = [], [], [], 0
        if num_found:
            yield _gathered(numbers, places, differences)

    def _belongs(self, difference: Words) -> NDArray[np.bool_]:
        """Return which pairs have the same key and belong to no earlier table."""
        belongs: NDArray[np.bool_] = (difference & np.uint64(self.mask)) == 0
        for mask in self.must_differ:
            belongs &= (difference & np.uint64(mask)) != 0
        return belongs

    def _search_hot(self, places: Index, queries: Words, radius: int) -> Iterator[Hits]:
        """Search the tables of hot keys for the queries that have one."""
        keys = queries & np.uint64(self.mask)
        number = np.searchsorted(self.hot_keys, keys).clip(max=len(self.hot_keys) - 1)
        hot = np.flatnonzero(self.hot_keys[number] == keys)
        order = hot[np.argsort(number[hot], kind="stable")]
        cuts = np.searchsorted(number[order], np.arange(len(self.hot_keys) + 1)).tolist()
        for tables, first, last in zip(self.hot_tables, cuts, cuts[1:], strict=False):
            chosen = order[first:last]
            for table in tables if len(chosen) else ():
                for query, row, distance in table.search(queries[chosen], radius):
                    yield places[chosen[query]], row, distance


def _gathered(numbers: list[int], places: list[Index], differences: list[Words]) -> tuple[Index, Index, Words]:
    """Join what was found for single queries; each has found something."""
    which = np.repeat(numbers, [len(found) for found in places])
    return which, np.concatenate(places), np.concatenate(differences)


def hash_keys(words: Words, mask: int) -> Words:
    """Return the hash of each word's key; equal only for equal keys."""
    hashed = words & np.uint64(mask)
    hashed *= np.uint64(MULTIPLIER)
    return hashed


def leading_bits(words: Words, mask: int, shift: int) -> Index:
    """Return the hash of each word's key without so many trailing bits, at least one."""
    hashed = hash_keys(words, mask)
    hashed >>= np.uint64(shift)
    return hashed.view(np.int64)
