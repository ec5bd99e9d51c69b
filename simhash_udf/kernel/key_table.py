"""One band of an index: words ordered by the hash of their band key, and the search for those near a query.

The hash of a key is the masked word times an odd constant: one to one on 64-bit words, so equal hashes are equal keys,
and its leading bits are spread evenly however unevenly the key's bits are. Three array operations make it, whatever
blocks the key consists of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.bits import popcount
from simhash_udf.kernel.layout import Layout, bit_mask
from simhash_udf.kernel.ranges import expand_ranges

Words = NDArray[np.uint64]
Index = NDArray[np.int64]
Rows = NDArray[np.uint32]
Hits = tuple[Index, Index, NDArray[np.uint8]]

# 2**64 divided by the golden ratio, made odd (Knuth 1973, section 6.4: multiplicative hashing).
MULTIPLIER = 0x9E3779B97F4A7C15
# 2**15 queries and their temporaries stay in a core's second-level cache; the filter, 8 MB at most, in the third.
_PIECE = 1 << 15
_MAX_FILTER_BITS = 26
# 32 bits for each word: 3 queries in 100 that share no key with any word pass.
_FILTER_BITS_PER_WORD = 32
# Filter and buckets need no more than 8 places for each possible key: then hardly two keys share one.
_SPARE_KEY_BITS = 3
# Pairs compared at a time; the arrays of so many are 40 MB.
_MAX_PAIRS = 1 << 20
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
        buckets = bucket_of(passing, self.mask, len(self.starts) - 1)
        start = self.starts[buckets].astype(np.int64)
        length = self.starts[buckets + 1] - start
        is_long = length > _LONG_BUCKET
        for chosen, search in ((~is_long, self._search_side_by_side), (is_long, self._search_one_by_one)):
            ranges = start[chosen], length[chosen]
            for which, place, difference in search(passing[chosen], *ranges, radius):
                belongs = self._belongs(difference)
                row = self.rows[place[belongs]].astype(np.int64)
                yield places[chosen][which[belongs]], row, popcount(difference[belongs])
        if len(self.hot_keys):
            yield from self._search_hot(places, passing, radius)

    def _occupied(self, queries: Words) -> Index:
        """Return the places of the queries whose hash may be that of a word."""
        if not len(self.passes):
            return np.arange(len(queries))
        found = []
        num_bits = 8 * len(self.passes)
        for begin in range(0, len(queries), _PIECE):
            bits = bucket_of(queries[begin : begin + _PIECE], self.mask, num_bits)
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
            close = np.flatnonzero(popcount(difference) <= radius)
            yield which[close], place[close], difference[close]

    def _search_one_by_one(
        self, queries: Words, start: Index, length: Index, radius: int
    ) -> Iterator[tuple[Index, Index, Words]]:
        """Compare each query with the words of its bucket, one query after another, where buckets are long."""
        for which, (query, first, size) in enumerate(zip(queries, start.tolist(), length.tolist(), strict=True)):
            for begin in range(first, first + size, _MAX_PAIRS):
                difference = self.words[begin : min(begin + _MAX_PAIRS, first + size)] ^ query
                close = np.flatnonzero(popcount(difference) <= radius)
                if len(close):
                    yield np.full(len(close), which), close + begin, difference[close]

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


def hash_keys(words: Words, mask: int) -> Words:
    """Return the hash of each word's key; equal only for equal keys."""
    hashed = words & np.uint64(mask)
    hashed *= np.uint64(MULTIPLIER)
    return hashed


def bucket_of(words: Words, mask: int, num_buckets: int) -> Index:
    """Return the leading bits of each word's hash; `num_buckets` is a power of two above 1."""
    hashed = hash_keys(words, mask)
    hashed >>= np.uint64(65 - num_buckets.bit_length())
    return hashed.view(np.int64)


def key_mask(layout: Layout) -> int:
    """Return the bits of the layout's key, as a mask over the fingerprint."""
    return bit_mask(layout.order[: layout.key_bits])


def make_table(
    layout: Layout, hashed: Words, words: Words, rows: Rows, hot: dict[int, tuple[KeyTable, ...]]
) -> KeyTable:
    """Return the table of words that are ordered by hash, and of hot keys that have tables already.

    Parameters
    ----------
    layout : Layout
        Which bits are the key, and which pairs belong to the table.
    hashed, words : ndarray of uint64, shape (n,)
        Hashes, ascending, and the words they are of.
    rows : ndarray of uint32, shape (n,)
    hot : dict of int to tuple of KeyTable
        Tables by key.
    """
    mask = key_mask(layout)
    hot_keys = np.array(sorted(hot), dtype=np.uint64)
    key_places = 1 << min(mask.bit_count() + _SPARE_KEY_BITS, 64)
    size = max(len(words), 1)
    num_buckets = min(1 << max(round(log2(size)), 1), key_places)
    num_bits = min(1 << max(ceil(log2(size * _FILTER_BITS_PER_WORD)), 3), key_places, 1 << _MAX_FILTER_BITS)
    passes = np.empty(0, dtype=np.uint8)
    if num_bits >= 8 * size:
        is_set = np.zeros(num_bits, dtype=np.bool_)
        shift = np.uint64(65 - num_bits.bit_length())
        is_set[(hashed >> shift).view(np.int64)] = True
        is_set[bucket_of(hot_keys, mask, num_bits)] = True
        passes = np.packbits(is_set, bitorder="little")
    counts = np.bincount((hashed >> np.uint64(65 - num_buckets.bit_length())).view(np.int64), minlength=num_buckets)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)
    tables = tuple(hot[key] for key in hot_keys.tolist())
    return KeyTable(mask, layout.must_differ, words, rows, starts, passes, hot_keys, tables)
