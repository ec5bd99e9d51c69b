from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_udf.kernel.contraction import contract_edges, mix_ids, settle_nodes, unmix_ids

IDS = st.one_of(st.integers(-8, 8), st.sampled_from([-(2**63), -(2**63) + 1, 2**63 - 1, 2**63 - 2]))
EMPTY = np.empty((0, 2), np.int64)


def components_of(edges, *, pieces, places):
    """Components by rounds of that many pieces and places; and the number of rounds."""
    edges = np.array(edges, np.int64).reshape(-1, 2)
    sent = [contract_edges(mix_ids(part[:, 0]), mix_ids(part[:, 1])) for part in np.array_split(edges, pieces)]
    smallest, pointers, found, rounds = [EMPTY], [], {}, 0
    while sum(map(len, sent)) + sum(map(len, smallest)):
        rounds += 1
        pairs, values = np.concatenate(sent), np.concatenate(smallest)
        settled = [
            settle_nodes(pairs[pairs[:, 0] % places == place], values[values[:, 0] % places == place])
            for place in range(places)
        ]
        pointers += [pointer for place in settled for pointer in place.pointers.tolist()]
        for place in settled:
            found.update(place.roots.tolist())
        sent, smallest = [place.pairs for place in settled], [place.smallest for place in settled]
    for node, target in reversed(pointers):
        assert node not in found
        found[node] = found[target]
    return found, rounds


def labels_by_networkx(edges):
    graph = nx.Graph()
    graph.add_edges_from(map(tuple, edges))
    return {node: min(group) for group in nx.connected_components(graph) for node in group}


@given(st.lists(IDS, min_size=1))
def test_mixing_is_one_to_one(ids):
    ids = np.array(ids, np.int64)
    assert np.array_equal(unmix_ids(mix_ids(ids)), ids)


def test_mixed_ids_keep_no_order():
    mixed = mix_ids(np.arange(10_000))
    assert 0.45 < np.mean(mixed[1:] > mixed[:-1]) < 0.55
    assert abs(np.mean(mixed > 0) - 0.5) < 0.05


@given(st.lists(st.tuples(IDS, IDS), max_size=60), st.integers(1, 9), st.integers(1, 5))
def test_components_equal_networkx_however_the_work_is_shared_out(edges, pieces, places):
    assert components_of(edges, pieces=pieces, places=places)[0] == labels_by_networkx(edges)


@pytest.mark.parametrize("shape", ["chain", "shuffled chain", "star", "random"])
def test_rounds_grow_with_the_logarithm_even_in_pieces_of_one_edge(shape):
    draw = np.random.default_rng(1)
    names = np.arange(3001) if shape == "chain" else draw.permutation(3001)
    edges = np.column_stack([names[:-1], names[1:]])
    if shape == "star":
        edges[:, 0] = names[-1]
    if shape == "random":
        edges = draw.integers(-(2**63), 2**63 - 1, 6000, dtype=np.int64)[draw.integers(0, 6000, (3000, 2))]
    found, rounds = components_of(edges, pieces=len(edges), places=50)
    assert found == labels_by_networkx(edges.tolist())
    assert rounds <= 30


def test_nothing_to_settle_gives_nothing():
    settled = settle_nodes(EMPTY, EMPTY)
    assert [part.shape for part in (settled.pointers, settled.roots, settled.pairs, settled.smallest)] == [(0, 2)] * 4
