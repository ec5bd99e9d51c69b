"""The spanning forest of a crowd: a bucket with so many close pairs that looking at each is out of the question.

Distances are taken in turn, 1 to k. Records that smaller distances have already connected need no comparing: an edge
between them is the longest in a cycle, so no minimum spanning forest holds it. In a crowd that is nearly every pair.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.bits import popcount
from simhash_udf.kernel.close_pairs import close_pairs, gather_pairs
from simhash_udf.kernel.edge_list import Edges
from simhash_udf.kernel.forest import forest_of_numbers, trees_of_numbers
from simhash_udf.kernel.join_counts import JoinCounts
from simhash_udf.kernel.layout import Layout, to_layout
from simhash_udf.kernel.pair_search import PairSearch, Part
from simhash_udf.kernel.runs import Runs

Words = NDArray[np.uint64]
Index = NDArray[np.int64]

# 2**20 pairs and the arrays that contract them are about 150 MB.
_MAX_PAIRS = 1 << 20
_BATCH_PAIRS = 1 << 16


def crowd_forest(fingerprints: Words, layout: Layout, max_distance: int, counts: JoinCounts) -> Edges:
    """Return the minimum spanning forest of all pairs within the distance that share the layout's key.

    Parameters
    ----------
    fingerprints : ndarray of uint64, shape (n,)
        Distinct, in their own bit order.
    layout : Layout
        Only its key counts here; which pairs belong to it does not.
    max_distance : int
        k.
    counts : JoinCounts
        Takes the number of comparisons.
    """
    nodes = np.sort(fingerprints.view(np.int64))
    words = nodes.view(np.uint64)
    src = dst = np.empty(0, dtype=np.int64)
    distance = np.empty(0, dtype=np.uint8)
    tree = np.arange(len(nodes))
    column = to_layout(words, layout)
    order = np.argsort(column)
    whole = Part(Layout(layout.order, layout.key_bits), column[order], order)
    for level in range(1, max_distance + 1):
        search = _LevelSearch(level, words, tree, counts)
        search.search(whole)
        src, dst, distance = search.forest(src, dst, distance)
        tree = trees_of_numbers(src, dst, len(nodes))
    return Edges(nodes[src], nodes[dst], distance)


class _LevelSearch(PairSearch):
    """Finds the pairs within one distance that smaller distances have not connected.

    Parameters
    ----------
    max_distance : int
        The distance of this level.
    words : ndarray of uint64, shape (n,)
        Fingerprints in the order of their node ids; a record's number is its place here.
    tree : ndarray of int64, shape (n,)
        Which tree of the smaller distances' forest each is in.
    counts : JoinCounts
        Takes the number of comparisons.
    """

    def __init__(self, max_distance: int, words: Words, tree: Index, counts: JoinCounts) -> None:
        super().__init__(max_distance, counts)
        self._words = words
        self._tree = tree
        self._pairs = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint8))]
        self._num_pairs = 0

    def open_runs(self, part: Part, runs: Runs) -> Runs:
        """Return the runs with records of more than one tree."""
        tree = self._tree[part.rows]
        changes = np.append(0, np.cumsum(tree[1:] != tree[:-1]))
        return runs.take(changes[runs.start] != changes[runs.start + runs.length - 1])

    def compare(self, part: Part, runs: Runs) -> None:
        """Keep the pairs between two trees, contracted when there are many."""
        for left, right in gather_pairs(close_pairs(part.words, runs, self._max_distance), _BATCH_PAIRS):
            one, other = part.rows[left], part.rows[right]
            is_between = self._tree[one] != self._tree[other]
            one, other = one[is_between], other[is_between]
            distance = popcount(self._words[one] ^ self._words[other])
            self._pairs.append((np.minimum(one, other), np.maximum(one, other), distance))
            self._num_pairs += len(one)
            if self._num_pairs > max(_MAX_PAIRS, 2 * len(self._words)):
                self._pairs = [self._contracted()]
                self._num_pairs = len(self._pairs[0][0])

    def forest(self, src: Index, dst: Index, distance: NDArray[np.uint8]) -> tuple[Index, Index, NDArray[np.uint8]]:
        """Return the forest of the pairs found and of these, which are smaller distances' forest."""
        self._pairs.append((src, dst, distance))
        return self._contracted()

    def _contracted(self) -> tuple[Index, Index, NDArray[np.uint8]]:
        """Return the forest of the pairs so far."""
        src, dst, distance = (np.concatenate(column) for column in zip(*self._pairs, strict=True))
        return forest_of_numbers(src, dst, distance, len(self._words))
