"""The batch query against a comparison of all pairs."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from simhash_udf.kernel import batch_query
from simhash_udf.kernel.batch_query import Batch, BatchQuery
from simhash_udf.kernel.bits import node_ids, popcount
from simhash_udf.kernel.edge_rule import EdgeRule

Words = NDArray[np.uint64]


def near_pairs(batch: Words, stored: Words, rule: EdgeRule) -> dict[tuple[int, int], int]:
    """Oracle: distance of every pair within the rule, by row in the batch and id of the stored node."""
    found = {}
    ids = node_ids(stored).tolist()
    for row, one in enumerate(batch):
        for place, other in enumerate(stored):
            distances = popcount(one ^ other).tolist()
            if min(distances) <= rule.max_distance and sum(distances) <= rule.max_total_distance:
                found[row, ids[place]] = min(distances)
    return found


def components(pairs: dict[tuple[int, int], int]) -> set[frozenset[tuple[str, int]]]:
    graph = nx.Graph([(("batch", row), ("stored", node)) for row, node in pairs])
    return {frozenset(component) for component in nx.connected_components(graph)}


def crowded(draw: np.random.Generator, n: int, views: int) -> Words:
    """Words around few centres, with repeats."""
    centres = draw.integers(0, 2**64, (4, views), dtype=np.uint64)
    words = centres[draw.integers(0, 4, n)]
    for _ in range(3):
        words = words ^ (np.uint64(1) << draw.integers(0, 8, words.shape, dtype=np.uint64))
    return words


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(0, 12),
    m=st.integers(0, 40),
    views=st.integers(1, 3),
    k=st.integers(0, 4),
    held=st.sampled_from([1, 20, 4_000_000]),
)
def test_a_forest_of_all_near_pairs_is_found(seed: int, n: int, m: int, views: int, k: int, held: int) -> None:
    draw = np.random.default_rng(seed)
    both = crowded(draw, n + m, views)
    batch, stored, rule = both[:n], both[n:], EdgeRule(k, 2 * k * views)
    query = BatchQuery(Batch(batch, np.empty(0, np.int64), rule, 1000))
    before, batch_query._PAIRS_HELD = batch_query._PAIRS_HELD, held
    try:
        found = query.near(np.array_split(stored, 3))
    finally:
        batch_query._PAIRS_HELD = before
    expected = near_pairs(batch, stored, rule)
    pairs = {
        (row, node): distance
        for row, node, distance in zip(
            found.entry.tolist(), found.stored.tolist(), found.distance.tolist(), strict=True
        )
    }
    assert pairs.items() <= expected.items()
    assert len(pairs) == len(found.entry)
    assert components(pairs) == components(expected)


def test_many_copies_of_one_stored_page_are_asked_for_once() -> None:
    batch = np.arange(50, dtype=np.uint64)[:, None]
    stored = np.zeros((20_000, 1), dtype=np.uint64)
    found = BatchQuery(Batch(batch, np.empty(0, np.int64), EdgeRule(6, 8), 1000)).near([stored])
    assert sorted(found.entry.tolist()) == list(range(50))
    assert set(found.stored.tolist()) == {0}
    assert found.distance[np.argsort(found.entry)].tolist() == popcount(batch[:, 0]).tolist()


@pytest.mark.parametrize("size", [0, 1, 1000])
def test_ids_that_both_have_are_found_once(size: int) -> None:
    draw = np.random.default_rng(1)
    ids = draw.integers(-(2**63), 2**63 - 1, size, dtype=np.int64)
    query = BatchQuery(Batch(np.empty((0, 1), np.uint64), ids, EdgeRule(3, 8), 1000))
    others = draw.integers(-(2**63), 2**63 - 1, 500, dtype=np.int64)
    asked = np.concatenate([ids[::3], others, ids[::3]])
    assert query.known_ids(asked).tolist() == np.unique(ids[::3]).tolist()
    assert len(query.near([np.empty((0, 1), np.uint64), np.zeros((5, 1), np.uint64)]).entry) == 0
