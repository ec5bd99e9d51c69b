from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_udf.kernel import forest
from simhash_udf.kernel.edge_list import Edges, join_edges, no_edges
from simhash_udf.kernel.forest import connected_components, spanning_forest

IDS = st.one_of(st.integers(-8, 8), st.sampled_from([-(2**63), -(2**63) + 1, 2**63 - 1, 2**63 - 2]))


def edges_of(rows):
    rows = [(min(a, b), max(a, b), d) for a, b, d in rows if a != b]
    src, dst, distance = zip(*rows, strict=True) if rows else ((), (), ())
    return Edges(np.array(src, np.int64), np.array(dst, np.int64), np.array(distance, np.uint8))


def rows_of(edges):
    return list(zip(edges.src.tolist(), edges.dst.tolist(), edges.distance.tolist(), strict=True))


def kruskal(rows):
    """Oracle: networkx with the rank of (distance, src, dst) as weight."""
    graph = nx.Graph()
    for rank, (distance, src, dst) in enumerate(sorted({(d, a, b) for a, b, d in rows})):
        if not graph.has_edge(src, dst):
            graph.add_edge(src, dst, rank=rank, distance=distance)
    tree = nx.minimum_spanning_edges(graph, weight="rank", data=True)
    return sorted((data["distance"], min(a, b), max(a, b)) for a, b, data in tree)


@st.composite
def edge_lists(draw):
    # The distance of a pair is a fact about it, so it is the same wherever the pair appears.
    rows = draw(st.lists(st.tuples(IDS, IDS), max_size=60))
    return edges_of([(a, b, 1 + hash((min(a, b), max(a, b))) % 3) for a, b in rows])


@given(edge_lists())
def test_forest_is_the_minimum_spanning_forest_of_networkx(edges):
    found = [(d, a, b) for a, b, d in rows_of(spanning_forest(edges))]
    assert found == kruskal(rows_of(edges))


@given(edge_lists(), st.integers(1, 5), st.randoms(use_true_random=False))
def test_forest_of_the_forests_of_parts_is_the_forest_of_all(edges, num_parts, random):
    part = np.array([random.randrange(num_parts) for _ in range(len(edges))], dtype=int)
    parts = [spanning_forest(edges.take(part == index)) for index in range(num_parts)]
    assert rows_of(spanning_forest(join_edges(parts))) == rows_of(spanning_forest(edges))


@given(edge_lists())
def test_forest_neither_depends_on_order_nor_changes_when_taken_again(edges):
    once = rows_of(spanning_forest(edges))
    assert rows_of(spanning_forest(edges.take(np.arange(len(edges))[::-1]))) == once
    assert rows_of(spanning_forest(spanning_forest(edges))) == once


def test_forest_is_the_same_when_the_node_numbers_do_not_fit_one_word(monkeypatch):
    rng = np.random.default_rng(1)
    ends = np.sort(rng.integers(-300, 300, (2000, 2)), axis=1)
    ends = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    edges = Edges(ends[:, 0], ends[:, 1], (1 + (ends.sum(axis=1) % 4)).astype(np.uint8))
    packed = rows_of(spanning_forest(edges))
    monkeypatch.setattr(forest, "_NODE_BITS", 3)
    assert rows_of(spanning_forest(edges)) == packed


def test_no_edges_make_no_forest_and_no_components():
    assert len(spanning_forest(no_edges())) == 0
    assert len(join_edges([])) == 0
    node, component = connected_components(np.empty(0, np.int64), np.empty(0, np.int64))
    assert (len(node), len(component)) == (0, 0)


def components_of(pairs):
    pairs = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    node, component = connected_components(pairs[:, 0], pairs[:, 1])
    assert np.array_equal(node, np.unique(node))
    return dict(zip(node.tolist(), component.tolist(), strict=True))


def labels_by_networkx(pairs):
    graph = nx.Graph()
    graph.add_edges_from(pairs)
    return {node: min(group) for group in nx.connected_components(graph) for node in group}


@given(st.lists(st.tuples(IDS, IDS), max_size=60))
def test_components_equal_networkx_with_the_smallest_id_as_label(pairs):
    assert components_of(pairs) == labels_by_networkx(pairs)


def test_components_of_a_short_chain_are_not_split():
    pairs = [(121, 128), (135, 142), (107, 114), (163, 170), (156, 163), (149, 156), (142, 149)]
    groups = {107: [107, 114], 121: [121, 128], 135: [135, 142, 149, 156, 163, 170]}
    assert components_of(pairs) == {node: label for label, nodes in groups.items() for node in nodes}


@pytest.mark.parametrize("seed", [None, 3])
def test_a_chain_of_two_thousand_is_one_component(seed):
    ids = np.arange(2001) if seed is None else np.random.default_rng(seed).permutation(2001)
    pairs = np.stack([ids[:-1], ids[1:]], axis=1).tolist()
    assert components_of(pairs) == dict.fromkeys(range(2001), 0)


def test_a_star_is_one_component_whatever_the_centre():
    for centre in (-(2**63), 0, 2**63 - 1):
        leaves = [leaf for leaf in range(-500, 500) if leaf != centre]
        assert set(components_of([(centre, leaf) for leaf in leaves]).values()) == {min(centre, -500)}


def test_a_pair_given_many_times_is_still_a_pair():
    assert components_of([(1, 2)] * 300 + [(4, 3)] * 256) == {1: 1, 2: 1, 3: 3, 4: 3}


@pytest.mark.parametrize("num_edges", [300, 1000, 3000])
def test_components_and_forest_of_random_graphs_equal_networkx(num_edges):
    rng = np.random.default_rng(num_edges)
    ids = rng.integers(-(2**63), 2**63 - 1, 1000, dtype=np.int64)
    pairs = ids[rng.integers(0, 1000, (num_edges, 2))]
    assert components_of(pairs) == labels_by_networkx(pairs.tolist())
    edges = edges_of([(a, b, 1 + (a ^ b) % 3) for a, b in pairs.tolist()])
    assert [(d, a, b) for a, b, d in rows_of(spanning_forest(edges))] == kruskal(rows_of(edges))
