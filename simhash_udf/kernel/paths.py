"""The way between two nodes along edges."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_matrix, csgraph

from simhash_udf.kernel.edge_list import Edges
from simhash_udf.kernel.forest import number_nodes, spanning_forest


def forest_path(edges: Edges, start: int, end: int) -> list[int]:
    """Return the nodes from start to end along the minimum spanning forest: the longest step is as short as can be.

    Parameters
    ----------
    edges
        In any order.
    start, end
        Node ids.

    Returns
    -------
    list of int
        Node ids, both ends included; empty if no way leads from one to the other.

    Examples
    --------
    >>> triangle = Edges(np.array([1, 1, 2]), np.array([2, 3, 3]), np.array([3, 1, 2], np.uint8))
    >>> forest_path(triangle, 1, 2)
    [1, 3, 2]
    """
    if start == end:
        return [start]
    forest = spanning_forest(edges)
    nodes, src, dst = number_nodes(forest.src, forest.dst)
    first, last = (int(np.searchsorted(nodes, node)) for node in (start, end))
    if any(place == len(nodes) or nodes[place] != node for place, node in ((first, start), (last, end))):
        return []
    graph = coo_matrix((np.ones(len(src)), (src, dst)), shape=(len(nodes), len(nodes)))
    _, before = csgraph.breadth_first_order(graph.tocsr(), first, directed=False)
    path = [last]
    while path[-1] != first:
        if before[path[-1]] < 0:
            return []
        path.append(int(before[path[-1]]))
    return [int(nodes[place]) for place in reversed(path)]
