"""What a search found of the labelled documents, at every limit: edges, and the groups that they make."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simhash_udf.evaluation.labels import JudgedPairs
from simhash_udf.kernel.edge_list import Edges
from simhash_udf.kernel.forest import connected_components

Index = NDArray[np.int64]


@dataclass(frozen=True)
class Findings:
    """Where the labelled documents are, and all edges up to the largest k; one limit more makes fewer of both.

    Attributes
    ----------
    node, is_text
        ``int64`` and ``bool`` ``(n,)``: each document's node. Without a fingerprint it is the digest of its text, a
        number of another kind, which has no edge.
    edges
        All pairs of nodes within the largest k, those of documents that have no label included.
    similarity
        ``float64`` ``(m,)``: how alike the texts of each edge are; None where fingerprints decide.
    """

    node: Index
    is_text: NDArray[np.bool_]
    edges: Edges
    similarity: NDArray[np.float64] | None = None

    def within(self, max_distance: int, min_similarity: float | None = None) -> Findings:
        """Return what is found at a smaller k, and of it what is alike enough."""
        holds = self.edges.distance <= max_distance
        if self.similarity is not None and min_similarity is not None:
            holds &= self.similarity >= min_similarity
        similarity = None if self.similarity is None else self.similarity[holds]
        return Findings(self.node, self.is_text, self.edges.take(holds), similarity)

    @cached_property
    def units(self) -> tuple[Index, Index, Index]:
        """Number of each document's node, and the two ends of the edges between such nodes."""
        names = np.unique(self.node[~self.is_text])
        number = np.unique(self.node[self.is_text], return_inverse=True)[1]
        unit = np.empty(len(self.node), dtype=np.int64)
        unit[~self.is_text] = np.searchsorted(names, self.node[~self.is_text])
        unit[self.is_text] = len(names) + number.reshape(-1)  # numbers that no edge has
        if not len(names):
            return unit, np.empty(0, np.int64), np.empty(0, np.int64)
        ends = [np.minimum(np.searchsorted(names, side), len(names) - 1) for side in (self.edges.src, self.edges.dst)]
        is_known = (names[ends[0]] == self.edges.src) & (names[ends[1]] == self.edges.dst)
        return unit, ends[0][is_known], ends[1][is_known]

    @cached_property
    def groups(self) -> Index:
        """Number of each document's group: connected components, those of equal text without a fingerprint."""
        nodes, labels = connected_components(self.edges.src, self.edges.dst)
        group = self.node.copy()
        if len(nodes):
            place = np.minimum(np.searchsorted(nodes, self.node), len(nodes) - 1)
            group = np.where((nodes[place] == self.node) & ~self.is_text, labels[place], group)
        keys = np.stack([group, self.is_text.astype(np.int64)])
        return np.unique(keys, axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def are_linked(self, pairs: JudgedPairs) -> NDArray[np.bool_]:
        """Say which pairs of documents are in one node or at the ends of an edge."""
        unit, src, dst = self.units
        ends = np.sort(np.stack([unit[pairs.left], unit[pairs.right]]), axis=0)
        n = len(unit) + 1
        edges = np.minimum(src, dst) * n + np.maximum(src, dst)
        return np.asarray((ends[0] == ends[1]) | np.isin(ends[0] * n + ends[1], edges))

    def are_grouped(self, pairs: JudgedPairs) -> NDArray[np.bool_]:
        """Say which pairs of documents are in one group."""
        return np.asarray(self.groups[pairs.left] == self.groups[pairs.right])
