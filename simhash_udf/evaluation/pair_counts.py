"""Pairs of documents counted from contingency tables: right ones, found ones, true ones, by true cluster.

No list of pairs is ever made: a group of a million documents costs as much as its number of clusters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Counts = NDArray[np.int64]
Labels = NDArray[Any]

CHUNK_CELLS = 1 << 22
"""Weights of clusters or units that are multiplied at a time: 32 MB a matrix."""


@dataclass(frozen=True)
class PairCounts:
    """What the counts of pairs are made of, so that they can be had for any weight of the true clusters.

    Attributes
    ----------
    right, true : ndarray of int64, shape (c,)
        Pairs of each true cluster that were found, and all its pairs.
    wrong_within : ndarray of int64, shape (c,)
        Pairs of each cluster that were found and are judged different; only judged pairs can contradict one another.
    wrong_between : csr_matrix of int64, shape (c, c)
        Pairs that were found between two clusters; a pair of clusters stands on one side of the diagonal or on both.
    mixed : csr_matrix of int64, shape (u, c)
        Documents of each cluster in each unit (a group or a node) that holds several clusters. Any two documents of a
        unit are found.
    """

    right: Counts
    true: Counts
    wrong_within: Counts
    wrong_between: sparse.csr_matrix
    mixed: sparse.csr_matrix

    def totals(self) -> tuple[int, int, int]:
        """Return the numbers of right, found and true pairs."""
        right, found, true = self.weighted(np.ones((len(self.true), 1), dtype=np.int64))
        return int(right[0]), int(found[0]), int(true[0])

    def weighted(self, weights: Counts) -> tuple[Counts, Counts, Counts]:
        """Return right, found and true pairs where clusters stand several times.

        The copies of a cluster count as different clusters of which no pair is found.

        Parameters
        ----------
        weights : ndarray of int64, shape (c, b)
            How many times each cluster stands, in b cases.

        Returns
        -------
        tuple of ndarray of int64, shape (b,)
        """
        right, true = self.right @ weights, self.true @ weights
        wrong = self.wrong_within @ weights + _between(self.wrong_between, weights) + _inside(self.mixed, weights)
        return right, right + wrong, true

    def affected(self) -> NDArray[np.bool_]:
        """Say which clusters have a pair that is true or found; the others change nothing."""
        between = self.wrong_between
        touched = np.zeros(len(self.true), dtype=bool)
        touched[between.indices] = True
        touched |= np.diff(between.indptr) > 0
        touched[self.mixed.indices] = True
        return touched | (self.true > 0) | (self.wrong_within > 0)

    def take(self, clusters: NDArray[np.bool_]) -> PairCounts:
        """Return the counts of some clusters, those that `affected` names at least."""
        between = self.wrong_between[clusters][:, clusters].tocsr()
        return PairCounts(
            self.right[clusters],
            self.true[clusters],
            self.wrong_within[clusters],
            between,
            self.mixed[:, clusters].tocsr(),
        )


def count_group_pairs(true_labels: Labels, found_labels: Labels) -> PairCounts:
    """Count the pairs of documents in one group.

    Parameters
    ----------
    true_labels, found_labels : ndarray, shape (n,)
        Each document's true cluster and the group it was found in, as values that can be sorted. A document that is in
        no group has a label of its own.
    """
    clusters, true = _numbered(true_labels)
    units, found = _numbered(found_labels)
    return _counted(_contingency(found, true, units, clusters), None)


def count_edge_pairs(true_labels: Labels, nodes: Labels, src: Labels, dst: Labels) -> PairCounts:
    """Count the pairs of documents in one node or at the ends of an edge.

    Parameters
    ----------
    true_labels, nodes : ndarray, shape (n,)
        Each document's true cluster and node; a document without a node has one of its own.
    src, dst : ndarray, shape (m,)
        Edges between nodes, each pair once. Nodes that hold no document of these are passed over.
    """
    clusters, true = _numbered(true_labels)
    names, found = np.unique(nodes, return_inverse=True)
    table = _contingency(found.reshape(-1), true, len(names), clusters)
    left, right = (np.minimum(np.searchsorted(names, ends), len(names) - 1) for ends in (src, dst))
    is_known = (names[left] == src) & (names[right] == dst) if len(names) else np.zeros(len(src), dtype=bool)
    left, right = left[is_known], right[is_known]
    ones = np.ones(len(left), dtype=np.int64)
    return _counted(table, sparse.csr_matrix((ones, (left, right)), shape=(len(names), len(names))))


def count_judged_pairs(
    left: Labels, right: Labels, is_duplicate: NDArray[np.bool_], is_found: NDArray[np.bool_]
) -> PairCounts:
    """Count pairs that were judged one by one; all other pairs are unknown and count for nothing.

    Parameters
    ----------
    left, right : ndarray, shape (p,)
        The true clusters of the two documents of each pair: what duplicates make, taken together.
    is_duplicate, is_found : ndarray of bool, shape (p,)
        What the judge says of each pair and what the search says.
    """
    clusters, ends = _numbered(np.concatenate([left, right]))
    first, second = ends[: len(left)], ends[len(left) :]
    wrong = is_found & ~is_duplicate
    is_within = first == second
    between = wrong & ~is_within
    cells = (np.ones(int(between.sum()), dtype=np.int64), (first[between], second[between]))
    return PairCounts(
        right=np.bincount(first[is_duplicate & is_found], minlength=clusters),
        true=np.bincount(first[is_duplicate], minlength=clusters),
        wrong_within=np.bincount(first[wrong & is_within], minlength=clusters),
        wrong_between=sparse.csr_matrix(cells, shape=(clusters, clusters)),
        mixed=sparse.csr_matrix((0, clusters), dtype=np.int64),
    )


def pairs_of(sizes: Counts) -> Counts:
    """Return the number of pairs in sets of these sizes.

    Examples
    --------
    >>> pairs_of(np.array([0, 1, 2, 5])).tolist()
    [0, 0, 1, 10]
    """
    return sizes * (sizes - 1) // 2


def contingency_table(true_labels: Labels, found_labels: Labels) -> sparse.csr_matrix:
    """Return the documents in each pair of group (row) and cluster (column), both in the order of their labels."""
    clusters, true = _numbered(true_labels)
    units, found = _numbered(found_labels)
    return _contingency(found, true, units, clusters)


def _counted(table: sparse.csr_matrix, edges: sparse.csr_matrix | None) -> PairCounts:
    clusters = table.shape[1]
    right = np.bincount(table.indices, weights=pairs_of(table.data), minlength=clusters).astype(np.int64)
    between = sparse.csr_matrix((clusters, clusters), dtype=np.int64)
    if edges is not None and edges.nnz:
        linked = (table.T @ edges @ table).tocoo()
        on_diagonal = linked.row == linked.col
        np.add.at(right, linked.row[on_diagonal], linked.data[on_diagonal])
        off = (linked.data[~on_diagonal], (linked.row[~on_diagonal], linked.col[~on_diagonal]))
        between = sparse.csr_matrix(off, shape=between.shape)
    true = pairs_of(np.asarray(table.sum(axis=0), dtype=np.int64).reshape(-1))
    return PairCounts(right, true, np.zeros(clusters, dtype=np.int64), between, table[np.diff(table.indptr) > 1])


def _between(wrong: sparse.csr_matrix, weights: Counts) -> Counts:
    """Pairs between clusters: each pair of clusters stands once for every pair of their copies."""
    total = np.zeros(weights.shape[1], dtype=np.int64)
    if wrong.nnz:
        for part in _column_chunks(weights, wrong.shape[0]):
            total[part] = (weights[:, part] * (wrong @ weights[:, part])).sum(axis=0)
    return total


def _inside(mixed: sparse.csr_matrix, weights: Counts) -> Counts:
    """Pairs of different clusters in one unit: half of what the square of its size has beyond its own clusters'."""
    total = np.zeros(weights.shape[1], dtype=np.int64)
    if not mixed.nnz:
        return total
    own = np.bincount(mixed.indices, weights=mixed.data.astype(np.float64) ** 2, minlength=mixed.shape[1])
    squares = own.astype(np.int64)
    for part in _column_chunks(weights, mixed.shape[0]):
        sizes = mixed @ weights[:, part]
        total[part] = ((sizes * sizes).sum(axis=0) - squares @ (weights[:, part] ** 2)) // 2
    return total


def _column_chunks(weights: Counts, rows: int) -> list[slice]:
    step = max(CHUNK_CELLS // max(rows, len(weights), 1), 1)
    return [slice(start, start + step) for start in range(0, weights.shape[1], step)]


def _numbered(labels: Labels) -> tuple[int, Counts]:
    """Number of different labels, and each label's number in their order."""
    names, numbers = np.unique(labels, return_inverse=True)
    return len(names), numbers.reshape(-1).astype(np.int64)


def _contingency(found: Counts, true: Counts, units: int, clusters: int) -> sparse.csr_matrix:
    table = sparse.csr_matrix((np.ones(len(true), dtype=np.int64), (found, true)), shape=(units, clusters))
    table.sum_duplicates()
    return table
