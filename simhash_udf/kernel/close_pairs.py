"""Pairs of words within a distance, inside runs of equal key: all of them compared, none but those of one run.

Runs of about equal length lie side by side as the columns of a table, one record a row. The table compared with itself
s rows further on is every pair of records s places apart, in one pass over contiguous memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from simhash_udf.kernel.bits import popcount
from simhash_udf.kernel.runs import Runs

Words = NDArray[np.uint64]
Index = NDArray[np.int64]

# 2**15 words are 256 KB: a table and its XOR stay in a core's second-level cache.
_TABLE_WORDS = 1 << 15
# Up to this size an array call costs more than the words in it, so runs of unequal length may share a table.
_SMALL_TABLE = 1 << 12


def close_pairs(words: Words, runs: Runs, max_distance: int) -> Iterator[tuple[Index, Index]]:
    """Yield the positions of all pairs within the distance; each pair inside a run once.

    Parameters
    ----------
    words : ndarray of uint64, shape (n,)
    runs : Runs
        Runs in it, any lengths. Time grows with the sum of their squares, memory with the longest.
    max_distance : int

    Yields
    ------
    left, right : ndarray of int64
        Positions in `words`, left < right.
    """
    order = np.argsort(runs.length)
    start, length = runs.start[order], runs.length[order]
    for first, last in _tables(length):
        yield from _close_in_table(words, start[first:last], length[first:last], max_distance)


def gather_pairs(batches: Iterable[tuple[Index, Index]], size: int) -> Iterator[tuple[Index, Index]]:
    """Yield the same pairs in batches of at least that size, the last one excepted; none is empty."""
    waiting: list[tuple[Index, Index]] = []
    num_waiting = 0
    for batch in batches:
        waiting.append(batch)
        num_waiting += len(batch[0])
        if num_waiting >= size:
            yield _concatenate(waiting)
            waiting, num_waiting = [], 0
    if num_waiting:
        yield _concatenate(waiting)


def _concatenate(batches: list[tuple[Index, Index]]) -> tuple[Index, Index]:
    """Join batches of pairs into one."""
    left, right = zip(*batches, strict=True)
    return np.concatenate(left), np.concatenate(right)


def _tables(length: Index) -> Iterator[tuple[int, int]]:
    """Yield which of the runs, shortest first, share a table: their lengths differ by an eighth at most."""
    first = 0
    while first < len(length):
        shortest = int(length[first])
        last = int(np.searchsorted(length, 2 * shortest, side="right"))
        if 2 * shortest * (last - first) > _SMALL_TABLE:
            longest = shortest + shortest // 8
            last = int(np.searchsorted(length, longest, side="right"))
            last = min(last, first + max(_TABLE_WORDS // longest, 1))
        yield first, last
        first = last


@dataclass(frozen=True)
class _Table:
    """Runs side by side: word and position of row t, run i at index t * num_runs + i."""

    words: Words
    place: Index
    length: Index

    def shifted(self, step: int, num_steps: int, begin: int, width: int) -> Words:
        """Return, as rows of a view, that piece of the table seen `step`, step + 1 … rows further down."""
        start = begin + step * len(self.length)
        if num_steps == 1:  # most calls on long runs, and a slice costs a fifth of a strided view
            return self.words[start : start + width].reshape(1, width)
        row = len(self.length) * self.words.itemsize
        return as_strided(self.words[start:], (num_steps, width), (row, self.words.itemsize), writeable=False)

    def pairs_at(self, hits: Index, steps: Index) -> tuple[Index, Index]:
        """Return the positions of pairs `steps` rows apart, of those that end inside the run they begin in."""
        num_runs = len(self.length)
        row, run = np.divmod(hits, num_runs) if num_runs > 1 else (hits, np.zeros_like(hits))
        is_inside = row + steps < self.length[run]
        hits, steps = hits[is_inside], steps[is_inside]
        return self.place[hits], self.place[hits + steps * num_runs]


def _close_in_table(words: Words, start: Index, length: Index, max_distance: int) -> Iterator[tuple[Index, Index]]:
    """Yield the close pairs of runs of similar length, shortest first."""
    num_runs, num_rows = len(start), int(length[-1])
    most_steps = max(_TABLE_WORDS // (num_runs * num_rows), 1)
    # Below the end of a run stand the records that follow it; `pairs_at` leaves them out.
    place = np.minimum(start + np.arange(num_rows + most_steps)[:, None], len(words) - 1).ravel()
    table = _Table(words[place], place, length)
    for step in range(1, num_rows, most_steps):
        size = (num_rows - step) * num_runs
        for begin in range(0, size, _TABLE_WORDS):
            width = min(_TABLE_WORDS, size - begin)
            later = table.shifted(step, min(most_steps, num_rows - step), begin, width)
            distance = popcount(later ^ table.words[begin : begin + width])
            # most pieces hold no close pair: one pass finds that out
            if np.minimum.reduce(distance, axis=None) <= max_distance:
                which, hits = np.divmod(np.flatnonzero(distance <= max_distance), width)
                yield table.pairs_at(hits + begin, which + step)
