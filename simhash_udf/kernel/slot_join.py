"""Joining the records of one slot: runs of equal key, pairs within them, edges from the pairs.

A run that is too long to compare pair by pair is split again by the pigeonhole on the bits behind its key, as often as
that pays; the key grows each time, so it ends. Nothing is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.bits import node_ids, popcount
from simhash_udf.kernel.block_choice import Bucket, choose_blocks
from simhash_udf.kernel.cells import Cell
from simhash_udf.kernel.close_pairs import close_pairs, gather_pairs
from simhash_udf.kernel.edge_list import Edges, join_edges
from simhash_udf.kernel.forest import forest_of_numbers, spanning_forest
from simhash_udf.kernel.layout import Layout, can_hold_pairs, from_layout, move_bits, moves_between, split_layout
from simhash_udf.kernel.plan import BandPlan
from simhash_udf.kernel.records import replace_column
from simhash_udf.kernel.runs import Runs, find_runs, sample_differences, varying_bits

Words = NDArray[np.uint64]
Index = NDArray[np.int64]
Distances = NDArray[np.uint8]
Pairs = tuple[Index, Index, Distances]

# A run up to this length is compared pair by pair in any case: splitting it costs as much in array calls alone.
_SHORT_RUN = 256
# Pairs are checked about this many at a time; an array of them is 512 KB.
_UNCHECKED_PAIRS = 1 << 16
# 2**20 pairs and the arrays that contract them are about 150 MB.
_MAX_PAIRS = 1 << 20


@dataclass(frozen=True)
class Part:
    """Records of a slot while they are joined in one layout.

    Attributes
    ----------
    layout : Layout
    words : ndarray of uint64, shape (n,)
        The compared view in that layout, ascending.
    rows : ndarray of int64, shape (n,)
        Which record of the slot each word belongs to; empty when the word is the whole record (one view).
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


class SlotJoin:
    """One slot's join; collects its edges.

    Parameters
    ----------
    plan : BandPlan
    cell : Cell
        The cell of the slot.
    all_pairs : bool
        Keep every edge, not only a spanning forest.
    """

    def __init__(self, plan: BandPlan, cell: Cell, *, all_pairs: bool) -> None:
        self._plan = plan
        self._cell = cell
        self._all_pairs = all_pairs
        self._records: Words = np.empty((0, plan.num_views), dtype=np.uint64)
        self._edges: list[Edges] = []
        self._num_edges = 0
        self._limit = _MAX_PAIRS

    def run(self, records: Words) -> Edges:
        """Return the edges among distinct records sorted by the cell's view."""
        view, layout = self._cell.view, self._cell.layout
        column = np.ascontiguousarray(records[:, view])
        rows = np.empty(0, dtype=np.int64)
        if self._plan.num_views > 1:
            self._records = replace_column(records, view, from_layout(column, layout))
            rows = np.arange(len(records))
        self._join(Part(layout, column, rows))
        edges = join_edges(self._edges)
        return edges if self._all_pairs else spanning_forest(edges)

    def _join(self, part: Part) -> None:
        """Find the edges of a part that belong to its layout."""
        runs = find_runs(part.words, part.layout.key_bits)
        is_long = runs.length > _SHORT_RUN
        self._compare(part, runs.take(~is_long))
        if np.any(is_long):
            self._split(part, runs.take(is_long))

    def _split(self, part: Part, runs: Runs) -> None:
        """Join long runs by bands of their own, or pair by pair where that is cheaper."""
        differences = from_layout(sample_differences(part.words, runs), part.layout)
        bucket = Bucket(part.layout, float(runs.length.sum()), runs.comparisons, differences)
        blocks = choose_blocks(bucket, self._plan.max_distance)
        if blocks is None:
            self._compare(part, runs)
            return
        part = part.take(runs.positions())
        varying = varying_bits(part.words, part.layout.key_bits)
        varying = int(from_layout(np.array([varying], dtype=np.uint64), part.layout)[0])
        for layout in split_layout(part.layout, blocks, self._plan.max_distance):
            if can_hold_pairs(layout, varying):
                self._join(part.moved(layout))

    def _compare(self, part: Part, runs: Runs) -> None:
        """Compare all pairs inside the runs and keep the edges; in bounded memory unless all pairs are wanted."""
        found: list[Pairs] = []
        limit = max(_MAX_PAIRS, 2 * len(part.words))
        for left, right in gather_pairs(close_pairs(part.words, runs, self._plan.radius), _UNCHECKED_PAIRS):
            found.append(self._check(part, left, right))
            if not self._all_pairs and sum(len(pairs[0]) for pairs in found) > limit:
                found = [self._contract(part, _concatenate(found))]
        if found:
            pairs = _concatenate(found)
            # Numbering the part costs a sort of its records, numbering edges one of twice the pairs.
            is_crowded = not self._all_pairs and len(pairs[0]) > len(part.words) // 2
            left, right, distance = self._contract(part, pairs) if is_crowded else pairs
            self._keep(self._node_ids(part, left), self._node_ids(part, right), distance)

    def _check(self, part: Part, left: Index, right: Index) -> Pairs:
        """Return the pairs that belong to the part's layout and are edges, with their distance."""
        difference = part.words[left] ^ part.words[right]
        belongs = np.ones(len(left), dtype=np.bool_)
        for mask in part.layout.masks:
            belongs &= (difference & np.uint64(mask)) != 0
        left, right, difference = left[belongs], right[belongs], difference[belongs]
        if not len(part.rows):
            return left, right, popcount(difference)
        distance = popcount(self._records[part.rows[left]] ^ self._records[part.rows[right]])
        is_edge = distance.sum(axis=1, dtype=np.int64) <= self._plan.max_total_distance
        # A pair within the distance in several views comes out of the first of them.
        is_edge &= np.all(distance[:, : self._cell.view] > self._plan.max_distance, axis=1)
        return left[is_edge], right[is_edge], distance[is_edge].min(axis=1, initial=64)

    def _contract(self, part: Part, pairs: Pairs) -> Pairs:
        """Return the minimum spanning forest of pairs of places, numbering the places in the order of their node ids."""
        order = np.argsort(self._node_ids(part, np.arange(len(part.words))))
        number = np.empty(len(order), dtype=np.int64)
        number[order] = np.arange(len(order))
        ends = number[pairs[0]], number[pairs[1]]
        src, dst, distance = forest_of_numbers(np.minimum(*ends), np.maximum(*ends), pairs[2], len(order))
        return order[src], order[dst], distance

    def _node_ids(self, part: Part, places: Index) -> Index:
        """Return the node ids of the records at these places of a part."""
        if len(part.rows):
            return node_ids(self._records[part.rows[places]])
        return node_ids(from_layout(part.words[places], part.layout).reshape(-1, 1))

    def _keep(self, one: Index, other: Index, distance: Distances) -> None:
        """Add edges; contract to a forest when there are many."""
        # src < dst as signed numbers
        self._edges.append(Edges(np.minimum(one, other), np.maximum(one, other), distance))
        self._num_edges += len(distance)
        if not self._all_pairs and self._num_edges > self._limit:
            forest = spanning_forest(join_edges(self._edges))
            self._edges, self._num_edges = [forest], len(forest)
            # At least half of what is contracted next is new, however large the forest has grown.
            self._limit = max(_MAX_PAIRS, 2 * len(forest))


def _concatenate(found: list[Pairs]) -> Pairs:
    """Join lists of pairs into one."""
    left, right, distance = zip(*found, strict=True)
    return np.concatenate(left), np.concatenate(right), np.concatenate(distance)
