"""The search for close pairs among records that share a key: compare short runs, split long ones again.

A run that is too long to compare pair by pair is split by the pigeonhole on the bits behind its key, as often as that
pays; the key grows each time, so it ends. Nothing is left out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.block_choice import Bucket, choose_blocks
from simhash_udf.kernel.join_counts import JoinCounts
from simhash_udf.kernel.layout import Layout, can_hold_pairs, from_layout, move_bits, moves_between, split_layout
from simhash_udf.kernel.runs import Runs, find_runs, sample_differences, varying_bits

Words = NDArray[np.uint64]
Index = NDArray[np.int64]

# A run up to this length is compared pair by pair in any case: splitting it costs as much in array calls alone.
SHORT_RUN = 256


@dataclass(frozen=True)
class Part:
    """Records while they are joined in one layout.

    Attributes
    ----------
    layout : Layout
    words : ndarray of uint64, shape (n,)
        The compared view in that layout, ascending.
    rows : ndarray of int64, shape (n,)
        Which record each word belongs to; empty when the word is the whole record.
    """

    layout: Layout
    words: Words
    rows: Index

    def take(self, places: Index) -> Part:
        """Return the records at these places."""
        return replace(self, words=self.words[places], rows=self.rows[places] if len(self.rows) else self.rows)

    def moved(self, layout: Layout) -> Part:
        """Return the same records in another layout."""
        words = move_bits(self.words, moves_between(self.layout.order, layout.order))
        if not len(self.rows):
            words.sort()
            return Part(layout, words, self.rows)
        order = np.argsort(words)
        return Part(layout, words[order], self.rows[order])


class PairSearch(ABC):
    """Finds all pairs within a distance that share a key; what becomes of them is up to the subclass.

    Parameters
    ----------
    max_distance : int
        k of the pigeonhole: every pair within it meets in one of the layouts that are searched.
    counts : JoinCounts
        Takes the number of comparisons.
    """

    def __init__(self, max_distance: int, counts: JoinCounts) -> None:
        self._max_distance = max_distance
        self._counts = counts

    def search(self, part: Part) -> None:
        """Search the runs of equal key of a part."""
        runs = self.open_runs(part, find_runs(part.words, part.layout.key_bits))
        is_long = runs.length > SHORT_RUN
        self._compare_counted(part, runs.take(~is_long))
        if np.any(is_long):
            self.split(part, runs.take(is_long))

    def split(self, part: Part, runs: Runs) -> None:
        """Search long runs by bands of their own, or pair by pair where that is cheaper."""
        differences = from_layout(sample_differences(part.words, runs), part.layout)
        bucket = Bucket(part.layout, float(runs.length.sum()), runs.comparisons, differences)
        blocks = choose_blocks(bucket, self._max_distance)
        if blocks is None:
            self._compare_counted(part, runs)
            return
        part = part.take(runs.positions())
        varying = varying_bits(part.words, part.layout.key_bits)
        varying = int(from_layout(np.array([varying], dtype=np.uint64), part.layout)[0])
        for layout in split_layout(part.layout, blocks, self._max_distance):
            if can_hold_pairs(layout, varying):
                self.search(part.moved(layout))

    def open_runs(self, part: Part, runs: Runs) -> Runs:
        """Return the runs that are worth looking into: all of them."""
        del part
        return runs

    def _compare_counted(self, part: Part, runs: Runs) -> None:
        self.compare(part, runs)
        self._counts.comparisons += runs.comparisons

    @abstractmethod
    def compare(self, part: Part, runs: Runs) -> None:
        """Compare all pairs inside the runs."""
