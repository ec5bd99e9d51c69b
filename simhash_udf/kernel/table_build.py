"""Building the tables of an index: one for each band, and tables of their own for keys that very many words have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.block_choice import Blocks, Bucket, choose_blocks
from simhash_udf.kernel.key_table import KeyTable, Rows, hash_keys
from simhash_udf.kernel.layout import BITS, Layout, bit_mask, split_layout
from simhash_udf.kernel.runs import Runs, sample_differences

Words = NDArray[np.uint64]

# Comparing a query with so many words, one after another in memory, takes about as long as ten look-ups of one query.
HOT_KEY_WORDS = 1 << 14
# Tables of hot keys hold no more than this many times the words of all bands; beyond it a hot key is compared in full.
HOT_TABLES_LIMIT = 4
_MAX_FILTER_BITS = 26
# 32 bits for each word: 3 queries in 100 that share no key with any word pass.
_FILTER_BITS_PER_WORD = 32
# Filter and buckets need no more than 8 places for each possible key: then hardly two keys share one.
_SPARE_KEY_BITS = 3


@dataclass
class TableBuilder:
    """Builds the tables of one view.

    Parameters
    ----------
    max_distance : int
        k: two words within it share a key in at least one table, and belong to exactly one.
    words_left : int
        How many words the tables of hot keys may still take.
    """

    max_distance: int
    words_left: int = 0

    def build(self, words: Words, blocks: Blocks) -> tuple[KeyTable, ...]:
        """Return the tables of distinct words for every choice of blocks that must agree."""
        layouts = tuple(split_layout(Layout(), blocks, self.max_distance))
        self.words_left = HOT_TABLES_LIMIT * len(layouts) * len(words)
        rows = np.arange(len(words), dtype=np.uint32)
        return tuple(self._table(words, rows, layout) for layout in layouts)

    def _table(self, words: Words, rows: Rows, layout: Layout) -> KeyTable:
        """Order the words by key, and split off the hot keys."""
        mask = bit_mask(layout.order[: layout.key_bits])
        hashed = hash_keys(words, mask)
        order = np.argsort(hashed)
        hashed, words, rows = hashed[order], words[order], rows[order]
        hot: dict[int, tuple[KeyTable, ...]] = {}
        is_cold = np.ones(len(words), dtype=np.bool_)
        for start, end in _hot_ranges(hashed):
            tables = self._hot_tables(words[start:end], rows[start:end], layout)
            if tables:
                hot[int(words[start]) & mask] = tables
                is_cold[start:end] = False
        if hot:
            hashed, words, rows = hashed[is_cold], words[is_cold], rows[is_cold]
        hot_keys = np.array(sorted(hot), dtype=np.uint64)
        starts = _starts(hashed, layout.key_bits)
        passes = _passes(np.concatenate([hashed, hash_keys(hot_keys, mask)]), layout.key_bits)
        hot_tables = tuple(hot[key] for key in hot_keys.tolist())
        return KeyTable(mask, layout.must_differ, words, rows, starts, passes, hot_keys, hot_tables)

    def _hot_tables(self, words: Words, rows: Rows, layout: Layout) -> tuple[KeyTable, ...]:
        """Return tables of the words that share a key, by the bits behind it; none where that would cost too much."""
        runs = Runs(np.array([0]), np.array([len(words)]))
        bucket = Bucket(layout, float(len(words)), runs.comparisons, sample_differences(words, runs))
        blocks = choose_blocks(bucket, self.max_distance)
        if blocks is None:
            return ()
        layouts = tuple(split_layout(layout, blocks, self.max_distance))
        if len(layouts) * len(words) > self.words_left:
            return ()
        self.words_left -= len(layouts) * len(words)
        return tuple(self._table(words, rows, inner) for inner in layouts)


def _hot_ranges(hashed: Words) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each run of more than `HOT_KEY_WORDS` equal hashes, the longest first."""
    is_inside = hashed[HOT_KEY_WORDS:] == hashed[:-HOT_KEY_WORDS]
    keys = np.unique(hashed[:-HOT_KEY_WORDS][is_inside])
    starts = np.searchsorted(hashed, keys, side="left")
    ends = np.searchsorted(hashed, keys, side="right")
    for number in np.argsort(starts - ends, kind="stable").tolist():
        yield int(starts[number]), int(ends[number])


def _starts(hashed: Words, key_bits: int) -> Rows:
    """Return where each bucket begins, about one word a bucket."""
    num_bits = min(max(round(log2(max(len(hashed), 1))), 1), key_bits + _SPARE_KEY_BITS)
    counts = np.bincount(_leading(hashed, num_bits), minlength=1 << num_bits)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)


def _passes(hashed: Words, key_bits: int) -> NDArray[np.uint8]:
    """Return the bits of the filter, none where it would let too many pass."""
    wanted = ceil(log2(max(len(hashed), 1) * _FILTER_BITS_PER_WORD))
    num_bits = min(wanted, key_bits + _SPARE_KEY_BITS, _MAX_FILTER_BITS)
    if 1 << num_bits < 8 * len(hashed):
        return np.empty(0, dtype=np.uint8)
    is_set = np.zeros(1 << num_bits, dtype=np.bool_)
    is_set[_leading(hashed, num_bits)] = True
    return np.packbits(is_set, bitorder="little")


def _leading(hashed: Words, num_bits: int) -> NDArray[np.int64]:
    return (hashed >> np.uint64(BITS - num_bits)).view(np.int64)
