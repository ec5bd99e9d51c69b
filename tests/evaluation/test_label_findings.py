"""What is found within limits: components against networkx, edges against a list of all pairs."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simhash_udf.evaluation.findings import Findings
from simhash_udf.evaluation.labels import JudgedPairs
from simhash_udf.kernel.edge_list import Edges

documents = st.lists(st.tuples(st.integers(-4, 4), st.booleans()), min_size=2, max_size=14)
edges_between = st.dictionaries(
    st.sampled_from(list(itertools.combinations(range(-6, 7), 2))),  # some nodes have no labelled document
    st.tuples(st.integers(0, 6), st.sampled_from([0.2, 0.5, 0.9])),
    max_size=14,
)


def found(rows: list[tuple[int, bool]], edges: dict[tuple[int, int], tuple[int, float]]) -> Findings:
    src, dst = (np.array([pair[end] for pair in edges], dtype=np.int64) for end in (0, 1))
    distance = np.array([value[0] for value in edges.values()], dtype=np.uint8)
    node, is_text = (np.array([row[at] for row in rows]) for at in (0, 1))
    return Findings(node, is_text, Edges(src, dst, distance), np.array([value[1] for value in edges.values()]))


@given(documents, edges_between, st.integers(0, 6), st.sampled_from([None, 0.5]))
def test_groups_and_links_within_limits_are_those_of_a_graph_of_documents(
    rows: list[tuple[int, bool]], edges: dict[tuple[int, int], tuple[int, float]], k: int, least: float | None
) -> None:
    within = found(rows, edges).within(k, least)
    kept = [pair for pair, (distance, alike) in edges.items() if distance <= k and alike >= (least or 0)]
    graph = nx.Graph(kept)
    graph.add_nodes_from(node for node, _ in rows)
    pairs = list(itertools.combinations(range(len(rows)), 2))
    judged = JudgedPairs(*np.array(pairs, dtype=np.int64).T, np.ones(len(pairs), dtype=bool))
    linked, grouped = within.are_linked(judged), within.are_grouped(judged)
    for at, (i, j) in enumerate(pairs):
        (one, is_text), (other, is_other_text) = rows[i], rows[j]
        same_text = is_text and is_other_text and one == other
        both_nodes = not is_text and not is_other_text
        assert linked[at] == (same_text or (both_nodes and (one == other or graph.has_edge(one, other))))
        assert grouped[at] == (same_text or (both_nodes and nx.has_path(graph, one, other)))


def test_nothing_found_leaves_every_document_alone() -> None:
    nothing = Findings(
        np.array([3, 3, 5]), np.array([False, True, True]), Edges(*np.zeros((2, 0), np.int64), np.zeros(0, np.uint8))
    )
    assert len(set(nothing.groups.tolist())) == 3
    assert len(set(nothing.units[0].tolist())) == 3
