"""Joining the records of one slot: runs of equal key, pairs within them, edges from the pairs.

A run that is too long to compare pair by pair is split again by the pigeonhole on the bits behind its key, as often as that
pays; the key grows each time, so it ends. Nothing is left out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.bits import node_ids, popcount
from simhash_udf.kernel.block_choice import Bucket, choose_blocks
from simhash_udf.kernel.cells import Cell
from simhash_udf.kernel.edge_list import Edges, join_edges
from simhash_udf.kernel.forest import spanning_forest
from simhash_udf.kernel.layout import Layout, from_layout, move_bits, moves_between, split_layout
from simhash_udf.kernel.plan import BandPlan
from simhash_udf.kernel.records import replace_column
from simhash_udf.kernel.runs import Runs, close_pairs, find_runs, same_key, sample_differences

Words = NDArray[np.uint64]
Index = NDArray[np.int64]

# A run up to this length is compared by shifts in any case: splitting it costs as much in array calls alone.
_SHORT_RUN = 256
# Pairs are checked and turned into edges about this many at a time.
_MAX_PENDING = 1 << 17
# 2**21 edges and the arrays that contract them are about 250 MB.
_MAX_EDGES = 1 << 21


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
        self._words: Words = np.empty((0, plan.num_views), dtype=np.uint64)
        self._edges: list[Edges] = []
        self._num_edges = 0
        self._limit = _MAX_EDGES

    def run(self, records: Words) -> Edges:
        """Return the edges among distinct records sorted by the cell's view."""
        view, layout = self._cell.view, self._cell.layout
        column = np.ascontiguousarray(records[:, view])
        if self._plan.num_views > 1:
            self._words = replace_column(records, view, from_layout(column, layout))
        self._join(column, np.arange(len(column) if self._plan.num_views > 1 else 0), layout)
        edges = join_edges(self._edges)
        return edges if self._all_pairs else spanning_forest(edges)

    def _join(self, words: Words, rows: Index, layout: Layout) -> None:
        """Find the edges among words sorted in this layout; rows says which record each is (empty for one view)."""
        runs = find_runs(words, layout.key_bits)
        is_long = runs.length > _SHORT_RUN
        self._compare(words, rows, layout, runs.take(~is_long))
        if np.any(is_long):
            self._split(words, rows, layout, runs.take(is_long))

    def _split(self, words: Words, rows: Index, layout: Layout, runs: Runs) -> None:
        """Join long runs by bands of their own, or pair by pair where that is cheaper."""
        differences = from_layout(sample_differences(words, runs), layout)
        bucket = Bucket(layout, float(runs.length.sum()), runs.comparisons, differences)
        blocks = choose_blocks(bucket, self._plan.max_distance)
        if blocks is None:
            self._compare(words, rows, layout, runs)
            return
        places = runs.positions()
        words, rows = words[places], rows[places] if len(rows) else rows
        for part in split_layout(layout, blocks, self._plan.max_distance):
            moved = move_bits(words, moves_between(layout.order, part.order))
            if len(rows):
                order = np.argsort(moved)
                self._join(moved[order], rows[order], part)
            else:
                moved.sort()
                self._join(moved, rows, part)

    def _compare(self, words: Words, rows: Index, layout: Layout, runs: Runs) -> None:
        """Compare all pairs inside the runs, handing on those within the distance some at a time."""
        pending: list[tuple[Index, Index]] = []
        num_pending = 0
        for pair in close_pairs(words, runs, self._plan.radius):
            pending.append(pair)
            num_pending += len(pair[0])
            if num_pending > _MAX_PENDING:
                self._check(words, rows, layout, pending)
                pending, num_pending = [], 0
        if pending:
            self._check(words, rows, layout, pending)

    def _check(self, words: Words, rows: Index, layout: Layout, pending: list[tuple[Index, Index]]) -> None:
        """Keep the pairs that belong to this layout and are edges."""
        left, right = (np.concatenate(ends) for ends in zip(*pending, strict=True))
        difference = words[left] ^ words[right]
        belongs = same_key(difference, layout.key_bits)
        for mask in layout.masks:
            belongs &= (difference & np.uint64(mask)) != 0
        left, right, difference = left[belongs], right[belongs], difference[belongs]
        if len(rows):
            self._keep(*self._edges_of_views(rows[left], rows[right]))
        else:
            pair = from_layout(words[left], layout), from_layout(words[right], layout)
            self._keep(pair[0].reshape(-1, 1), pair[1].reshape(-1, 1), popcount(difference))

    def _edges_of_views(self, left: Index, right: Index) -> tuple[Words, Words, NDArray[np.uint8]]:
        """Return the records and distance of pairs whose sum over the views is small enough.

        A pair within the distance in several views comes out of the first of them.
        """
        a, b = self._words[left], self._words[right]
        distance = popcount(a ^ b)
        is_edge = distance.sum(axis=1, dtype=np.int64) <= self._plan.max_total_distance
        is_edge &= np.all(distance[:, : self._cell.view] > self._plan.max_distance, axis=1)
        return a[is_edge], b[is_edge], distance[is_edge].min(axis=1, initial=64)

    def _keep(self, a: Words, b: Words, distance: NDArray[np.uint8]) -> None:
        """Add edges; contract to a forest when there are many."""
        ends = node_ids(a), node_ids(b)
        # src < dst as signed numbers
        self._edges.append(Edges(np.minimum(*ends), np.maximum(*ends), distance))
        self._num_edges += len(distance)
        if not self._all_pairs and self._num_edges > self._limit:
            forest = spanning_forest(join_edges(self._edges))
            self._edges, self._num_edges = [forest], len(forest)
            # Half of what is contracted next time is new, however large the forest has grown.
            self._limit = max(_MAX_EDGES, 2 * len(forest))
