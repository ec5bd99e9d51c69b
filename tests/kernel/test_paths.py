"""Ways along the minimum spanning forest against networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from simhash_udf.kernel.edge_list import Edges, no_edges
from simhash_udf.kernel.paths import forest_path


@pytest.mark.parametrize("seed", range(5))
def test_the_longest_step_of_a_way_is_as_short_as_can_be(seed: int) -> None:
    draw = np.random.default_rng(seed)
    ids = draw.integers(-(2**63), 2**63 - 1, 40, dtype=np.int64)
    pairs = np.sort(ids[draw.choice(40, (2, 60))], axis=0)
    pairs = pairs[:, pairs[0] != pairs[1]]
    edges = Edges(*pairs, draw.integers(0, 9, pairs.shape[1]).astype(np.uint8))
    graph = nx.Graph()
    for src, dst, distance in zip(*pairs.tolist(), edges.distance.tolist(), strict=True):
        known = graph.get_edge_data(src, dst, {"distance": distance})["distance"]
        graph.add_edge(src, dst, distance=min(distance, known))
    tree = nx.minimum_spanning_tree(graph, weight="distance")
    for start, end in draw.choice(list(graph), (30, 2)).tolist():
        path = forest_path(edges, start, end)
        assert bool(path) == nx.has_path(graph, start, end)
        if path:
            assert (path[0], path[-1]) == (start, end)
            steps = [graph[a][b]["distance"] for a, b in nx.utils.pairwise(path)]
            best = [tree[a][b]["distance"] for a, b in nx.utils.pairwise(nx.shortest_path(tree, start, end))]
            assert max(steps, default=0) == max(best, default=0)


def test_no_edge_leads_nowhere_but_to_the_node_itself() -> None:
    assert (forest_path(no_edges(), 1, 1), forest_path(no_edges(), 1, 2)) == ([1], [])
