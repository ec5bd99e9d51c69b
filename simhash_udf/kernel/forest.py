"""Minimum spanning forests and connected components of edge lists.

Edges are ordered by (distance, src, dst). No two edges are equal in that order, so the minimum spanning forest is
unique, and the forest of the union of the parts' forests is the forest of the whole: parts may be contracted anywhere,
in any order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csgraph

from simhash_udf.kernel.edge_list import Edges, no_edges

# Two node numbers of 28 bits and a distance of 8 share one sortable 64-bit word.
_NODE_BITS = 28
_NODE_MASK = np.uint64((1 << _NODE_BITS) - 1)

Index = NDArray[np.int64]
Distances = NDArray[np.uint8]


def spanning_forest(edges: Edges) -> Edges:
    """Return the minimum spanning forest, ordered by (distance, src, dst).

    Parameters
    ----------
    edges : Edges
        In any order; a pair may stand in it more than once.

    Returns
    -------
    Edges
        The same components with the fewest edges and the smallest distances. Applied to its own result it changes
        nothing.
    """
    if not len(edges):
        return no_edges()
    nodes, src, dst = number_nodes(edges.src, edges.dst)
    src, dst, distance = forest_of_numbers(src, dst, edges.distance, len(nodes))
    return Edges(nodes[src], nodes[dst], distance)


def forest_of_numbers(src: Index, dst: Index, distance: Distances, num_nodes: int) -> tuple[Index, Index, Distances]:
    """Return the minimum spanning forest of edges between numbers 0 to num_nodes - 1; src < dst.

    The same as `spanning_forest` for nodes that are already numbered, in the order of their ids.
    """
    src, dst, distance = _sort_edges(src, dst, distance, num_nodes)
    kept = _boruvka(src, dst, num_nodes)
    return src[kept], dst[kept], distance[kept]


def number_nodes(src: Index, dst: Index) -> tuple[Index, Index, Index]:
    """Return the sorted node ids and both columns as positions among them."""
    ends = np.concatenate([src, dst])
    order = np.argsort(ends)
    ranked = ends[order]
    is_first = np.empty(len(ranked), dtype=np.bool_)
    is_first[:1] = True
    np.not_equal(ranked[1:], ranked[:-1], out=is_first[1:])
    position = np.empty(len(ends), dtype=np.int64)
    position[order] = np.cumsum(is_first) - 1
    return ranked[is_first], position[: len(src)], position[len(src) :]


def trees_of_numbers(src: Index, dst: Index, num_nodes: int) -> Index:
    """Return for each number from 0 to num_nodes - 1 the label of its component; labels are in no order."""
    graph = coo_matrix((np.ones(len(src)), (src, dst)), shape=(num_nodes, num_nodes))
    labels: Index = csgraph.connected_components(graph, directed=False)[1].astype(np.int64)
    return labels


def _sort_edges(src: Index, dst: Index, distance: Distances, num_nodes: int) -> tuple[Index, Index, Distances]:
    """Order edges by (distance, src, dst); packed into one word each while the numbers fit."""
    if num_nodes > 1 << _NODE_BITS:
        order = np.lexsort((dst, src, distance))
        return src[order], dst[order], distance[order]
    shift = np.uint64(_NODE_BITS)
    packed = (distance.astype(np.uint64) << shift | src.astype(np.uint64)) << shift | dst.astype(np.uint64)
    packed.sort()
    source = (packed >> shift & _NODE_MASK).astype(np.int64)
    return source, (packed & _NODE_MASK).astype(np.int64), (packed >> shift + shift).astype(np.uint8)


def _boruvka(src: Index, dst: Index, num_nodes: int) -> Index:
    """Return the positions of the forest's edges among edges that are sorted by rank (Borůvka 1926)."""
    tree = np.arange(num_nodes)
    alive = np.arange(len(src))
    kept = []
    while len(alive):
        # 1 Every tree takes the first edge that leaves it: written backwards, the first edge is written last.
        left, right = tree[src], tree[dst]
        best = np.full(num_nodes, -1)
        ends = np.stack([left, right], axis=1).ravel()[::-1]
        best[ends] = np.arange(len(ends))[::-1] >> 1
        roots = np.flatnonzero(best >= 0)
        chosen = best[roots]
        kept.append(alive[chosen])
        # 2 Trees that took an edge become one; the only cycles are two trees that took the same edge.
        other = left[chosen] + right[chosen] - roots
        tree = _merge(tree, roots, other)
        # 3 Edges inside a tree can never be taken again.
        crossing = np.flatnonzero(tree[src] != tree[dst])
        alive, src, dst = alive[crossing], src[crossing], dst[crossing]
    taken = np.sort(np.concatenate(kept)) if kept else alive
    return taken[np.append(True, taken[1:] != taken[:-1])] if len(taken) else taken


def _merge(tree: Index, roots: Index, other: Index) -> Index:
    """Point each root at the tree it joins, and every node at its new root."""
    parent = np.arange(len(tree))
    parent[roots] = other
    mutual = (parent[parent[roots]] == roots) & (roots < parent[roots])
    parent[roots[mutual]] = roots[mutual]
    while True:
        above = parent[parent]
        if np.array_equal(above, parent):
            return parent[tree]
        parent = above


def connected_components(src: Index, dst: Index) -> tuple[Index, Index]:
    """Return every node with the smallest node id of its component.

    Parameters
    ----------
    src, dst : ndarray of int64, shape (m,)
        Edges in any order and direction; repeats and loops are allowed.

    Returns
    -------
    node : ndarray of int64, shape (n,)
        Each node once, ascending.
    component_id : ndarray of int64, shape (n,)
        The smallest node id (signed) of the node's component.
    """
    nodes, left, right = number_nodes(src, dst)
    label = trees_of_numbers(left, right, len(nodes))
    smallest = np.empty(len(nodes), dtype=np.int64)
    # Nodes ascend, so written backwards the smallest of a component is written last.
    smallest[label[::-1]] = nodes[::-1]
    return nodes, smallest[label]
