"""Joining the records of one slot: close pairs of equal key, checked and made into edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.band_plan import BandPlan
from simhash_udf.kernel.bits import node_ids, popcount
from simhash_udf.kernel.cells import Cell
from simhash_udf.kernel.close_pairs import close_pairs, gather_pairs
from simhash_udf.kernel.crowd_join import crowd_forest
from simhash_udf.kernel.edge_list import Edges, join_edges
from simhash_udf.kernel.forest import forest_of_numbers, spanning_forest
from simhash_udf.kernel.join_counts import JoinCounts
from simhash_udf.kernel.layout import from_layout
from simhash_udf.kernel.pair_search import PairSearch, Part
from simhash_udf.kernel.records import distinct_rows
from simhash_udf.kernel.runs import Runs

Words = NDArray[np.uint64]
Index = NDArray[np.int64]
Distances = NDArray[np.uint8]
Pairs = tuple[Index, Index, Distances]

# Pairs are checked about this many at a time; an array of them is 512 KB.
_BATCH_PAIRS = 1 << 16
# 2**20 pairs and the arrays that contract them are about 150 MB.
_MAX_PAIRS = 1 << 20
# Close pairs for each record of a large bucket at which it counts as a crowd: about what the search by distances costs.
_CROWDED = 16


class _Crowded(Exception):  # noqa: N818  (a signal to change method, no error)
    """More close pairs than it is worth looking at one by one."""


class SlotJoin(PairSearch):
    """One slot's join; collects its edges.

    Parameters
    ----------
    plan : BandPlan
    cell : Cell
        The cell of the slot.
    all_pairs : bool
        Keep every edge, not only a spanning forest.
    counts : JoinCounts
        Takes the number of comparisons.
    """

    def __init__(self, plan: BandPlan, cell: Cell, *, all_pairs: bool, counts: JoinCounts) -> None:
        super().__init__(plan.max_distance, counts)
        self._plan = plan
        self._radius = min(plan.max_distance, plan.max_total_distance)
        self._cell = cell
        self._all_pairs = all_pairs
        self._records: Words = np.empty((0, plan.num_views), dtype=np.uint64)
        self._edges: list[Edges] = []
        self._num_edges = 0
        self._limit = _MAX_PAIRS
        self._pairs_left: int | None = None

    def run(self, records: Words) -> Edges:
        """Return the edges among records of the slot, in any order and repeated or not."""
        column, rows = distinct_rows(records, self._cell.view)
        self._records = records
        self.search(Part(self._cell.layout, column, rows))
        edges = join_edges(self._edges)
        return edges if self._all_pairs else spanning_forest(edges)

    def split(self, part: Part, runs: Runs) -> None:
        """Search long runs by bands of their own; a crowd by distances, where a forest is all that is wanted."""
        if self._all_pairs or len(part.rows) or self._pairs_left is not None:
            super().split(part, runs)
            return
        self._pairs_left = _CROWDED * int(runs.length.sum()) + _BATCH_PAIRS
        try:
            super().split(part, runs)
        except _Crowded:
            crowd = from_layout(part.words[runs.positions()], part.layout)
            self._keep(crowd_forest(crowd, part.layout, self._radius, self._counts))
        finally:
            self._pairs_left = None

    def compare(self, part: Part, runs: Runs) -> None:
        """Compare all pairs inside the runs and keep the edges; in bounded memory unless all pairs are wanted."""
        found: list[Pairs] = []
        limit = max(_MAX_PAIRS, 2 * len(part.words))
        for left, right in gather_pairs(close_pairs(part.words, runs, self._radius), _BATCH_PAIRS):
            found.append(self._check(part, left, right))
            if self._pairs_left is not None:
                self._pairs_left -= len(left)
                if self._pairs_left < 0:
                    raise _Crowded
            if not self._all_pairs and sum(len(pairs[0]) for pairs in found) > limit:
                found = [self._contract(part, _concatenate(found))]
        if found:
            pairs = _concatenate(found)
            # Numbering the part costs a sort of its records, numbering edges one of twice the pairs.
            is_crowded = not self._all_pairs and len(pairs[0]) > len(part.words) // 2
            left, right, distance = self._contract(part, pairs) if is_crowded else pairs
            ends = self._node_ids(part, left), self._node_ids(part, right)
            # src < dst as signed numbers
            self._keep(Edges(np.minimum(*ends), np.maximum(*ends), distance))

    def _check(self, part: Part, left: Index, right: Index) -> Pairs:
        """Return the pairs that belong to the part's layout and are edges, with their distance."""
        difference = part.words[left] ^ part.words[right]
        belongs = np.ones(len(left), dtype=np.bool_)
        for mask in part.layout.masks:
            belongs &= (difference & np.uint64(mask)) != 0
        left, right, difference = left[belongs], right[belongs], difference[belongs]
        if not len(part.rows):
            return left, right, popcount(difference)
        distance = popcount(self._fingerprints(part.rows[left]) ^ self._fingerprints(part.rows[right]))
        is_edge = distance.sum(axis=1, dtype=np.int64) <= self._plan.max_total_distance
        # A pair within the distance in several views comes out of the first of them.
        is_edge &= np.all(distance[:, : self._cell.view] > self._plan.max_distance, axis=1)
        return left[is_edge], right[is_edge], distance[is_edge].min(axis=1, initial=64)

    def _contract(self, part: Part, pairs: Pairs) -> Pairs:
        """Return the minimum spanning forest of pairs of places; places are numbered in the order of their node ids."""
        order = np.argsort(self._node_ids(part, np.arange(len(part.words))))
        number = np.empty(len(order), dtype=np.int64)
        number[order] = np.arange(len(order))
        ends = number[pairs[0]], number[pairs[1]]
        src, dst, distance = forest_of_numbers(np.minimum(*ends), np.maximum(*ends), pairs[2], len(order))
        return order[src], order[dst], distance

    def _node_ids(self, part: Part, places: Index) -> Index:
        """Return the node ids of the records at these places of a part."""
        if len(part.rows):
            return node_ids(self._fingerprints(part.rows[places]))
        return node_ids(from_layout(part.words[places], part.layout).reshape(-1, 1))

    def _fingerprints(self, rows: Index) -> Words:
        """Return the fingerprints of these records, all views in their own bit order."""
        words = self._records[rows]
        words[:, self._cell.view] = from_layout(words[:, self._cell.view], self._cell.layout)
        return words

    def _keep(self, edges: Edges) -> None:
        """Add edges; contract to a forest when there are many."""
        self._edges.append(edges)
        self._num_edges += len(edges)
        if not self._all_pairs and self._num_edges > self._limit:
            forest = spanning_forest(join_edges(self._edges))
            self._edges, self._num_edges = [forest], len(forest)
            # At least half of what is contracted next is new, however large the forest has grown.
            self._limit = max(_MAX_PAIRS, 2 * len(forest))


def _concatenate(found: list[Pairs]) -> Pairs:
    """Join lists of pairs into one."""
    left, right, distance = zip(*found, strict=True)
    return np.concatenate(left), np.concatenate(right), np.concatenate(distance)
