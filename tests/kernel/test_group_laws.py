"""Laws of groups that hold whatever the documents, on fingerprints alone."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_udf.kernel.bits import node_ids, popcount
from simhash_udf.kernel.candidates import Fragments, next_candidates
from simhash_udf.kernel.edge_rule import EdgeRule
from simhash_udf.kernel.forest import connected_components
from simhash_udf.kernel.leaders import Followers, find_leaders
from simhash_udf.kernel.plan import choose_plan
from simhash_udf.udf.group_batches import leader_batches
from tests.kernel.joining import join

ENDS = [-(2**63), -1, 0, 2**63 - 1]


@st.composite
def fingerprints(draw, largest=60):
    """Rows of 1 to 4 words of which few bits vary, so that chains and crowds are common."""
    views, count = draw(st.integers(1, 4)), draw(st.integers(1, largest))
    bits = draw(st.lists(st.integers(0, 63), min_size=4, max_size=14, unique=True))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    words = np.full((count, views), rng.integers(0, 2**64, dtype=np.uint64))
    for bit in bits:
        words ^= rng.integers(0, 2, words.shape, dtype=np.uint64) << np.uint64(bit)
    return words


def groups_of(words, max_distance, total):
    """Group number of each row: the join and the components of the job."""
    plan = choose_plan(words, len(words), max_distance=max_distance, max_total_distance=total)
    edges = join(words, plan, all_pairs=False)
    nodes, labels = connected_components(edges.src, edges.dst)
    found = dict(zip(nodes.tolist(), labels.tolist(), strict=True))
    return [found.get(node, node) for node in node_ids(words).tolist()]


@given(fingerprints(), st.integers(0, 7), st.integers(0, 40))
def test_raising_k_or_the_sum_never_splits_a_group(words, max_distance, total):
    smaller = groups_of(words, max_distance, total)
    for larger in (groups_of(words, max_distance + 1, total), groups_of(words, max_distance, total + 1)):
        assert len(set(zip(smaller, larger, strict=True))) == len(set(smaller))


@settings(max_examples=40)
@given(fingerprints(40), st.integers(0, 5), st.randoms(use_true_random=False))
def test_pairs_tried_in_place_of_failed_edges_join_nothing_outside_a_component(words, max_distance, random):
    rule = EdgeRule(max_distance, 8 * words.shape[1])
    words = np.unique(words, axis=0)
    groups = np.array(groups_of(words, max_distance, rule.max_total_distance))
    order = np.argsort(groups, kind="stable")
    words, component = words[order], groups[order]
    held = compared = np.empty((2, 0), np.int64)
    for turn in range(4):
        nodes, labels = connected_components(*held)
        fragment = np.arange(len(words))
        fragment[nodes] = labels
        left, right, distance = next_candidates(
            Fragments(component, fragment, words, compared), rule, per_text=3, turn=turn
        )
        # 1 pairs of one component, 2 of different fragments, 3 within the rule, 4 not compared before
        assert (component[left] == component[right]).all()
        assert (fragment[left] != fragment[right]).all()
        assert rule.is_edge(words[left].T, words[right].T).all()
        assert (distance == popcount(words[left] ^ words[right]).min(axis=1)).all()
        assert not set(zip(left.tolist(), right.tolist(), strict=True)) & set(map(tuple, compared.T.tolist()))
        pairs = np.stack([left, right])
        compared = np.concatenate([compared, pairs], axis=1)
        holds = np.array([random.random() < 0.4 for _ in left], dtype=bool)
        held = np.concatenate([held, pairs[:, holds]], axis=1)


@st.composite
def followers(draw):
    words = draw(fingerprints())
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = len(words)
    refused = np.sort(rng.integers(0, n, (2, n)), axis=0)
    return Followers(rng.choice(ENDS, n), words, rng.random(n) < 0.1, refused[:, refused[0] != refused[1]])


@given(followers(), st.integers(0, 8), st.integers(0, 40))
def test_a_member_is_within_the_rule_of_its_leader_which_comes_first(nodes, max_distance, total):
    rule = EdgeRule(max_distance, total)
    leader = find_leaders(nodes, rule)
    follows = np.flatnonzero(leader != np.arange(len(leader)))
    assert (leader[leader] == leader).all()
    assert (leader[follows] < follows).all()
    assert (nodes.component[leader] == nodes.component).all()
    assert not nodes.is_leader[follows].any()
    assert rule.is_edge(nodes.words[follows].T, nodes.words[leader[follows]].T).all()
    refused = set(map(tuple, nodes.refused.T.tolist()))
    assert not refused & set(zip(leader[follows].tolist(), follows.tolist(), strict=True))


def rows_of(nodes: Followers, order: list[int]) -> list[pa.RecordBatch]:
    """What a task of the job is given, in some order and in two batches."""
    columns = {
        "component_id": [int(nodes.component[i]) for i in order],
        "a": [10_000 - i for i in order],
        "b": order,
        "words": [nodes.words[i].view(np.int64).tolist() for i in order],
        "is_leader": [bool(nodes.is_leader[i]) for i in order],
    }
    kinds = pa.schema(
        [("component_id", pa.int64()), ("a", pa.int64()), ("b", pa.int64()), ("words", pa.list_(pa.int64()))]
    ).append(pa.field("is_leader", pa.bool_()))
    batch = pa.RecordBatch.from_pydict(columns, kinds)
    return [batch.slice(0, len(order) // 2), batch.slice(len(order) // 2)]


@settings(max_examples=40)
@given(followers(), st.randoms(use_true_random=False))
def test_leaders_do_not_depend_on_the_order_in_which_rows_arrive(nodes, random):
    order = list(range(len(nodes.component)))
    shuffled = random.sample(order, len(order))
    found = []
    for arrival in (order, shuffled):
        batches = leader_batches(EdgeRule(3, 20))(iter(rows_of(nodes, arrival)))
        found.append(sorted(tuple(row.values()) for batch in batches for row in batch.to_pylist()))
    assert found[0] == found[1]
    assert len(found[0]) == len(order)


@pytest.mark.processes
@pytest.mark.parametrize("kind", ["chain", pytest.param("crowd", marks=pytest.mark.nightly)])
def test_a_component_of_a_million_nodes_is_regrouped_within_k(kind):
    n, max_distance = 1_000_000, 3
    draw = np.random.default_rng(1)
    if kind == "crowd":  # 20 bits: a million near one another
        words = draw.integers(0, 1 << 20, n, dtype=np.uint64)
    else:  # each node differs from the one before in up to 3 bits somewhere
        turned = np.uint64(1) << draw.integers(0, 64, (n, 3), dtype=np.uint64)
        words = np.bitwise_xor.accumulate(np.bitwise_or.reduce(turned, axis=1))
    nodes = Followers(np.zeros(n, int), words[:, None], np.zeros(n, bool), np.empty((2, 0), int))
    leader = find_leaders(nodes, EdgeRule(max_distance, 8))
    assert (leader[leader] == leader).all()
    assert (popcount(words ^ words[leader]) <= max_distance).all()
    assert (leader <= np.arange(n)).all()
    if kind == "chain":  # the crowd takes a minute
        assert np.array_equal(leader, find_leaders(nodes, EdgeRule(max_distance, 8)))
    heads = np.flatnonzero(leader == np.arange(n))
    for head in heads[:: max(len(heads) // 100, 1)]:  # no leader is near an earlier one
        assert (popcount(words[heads[heads < head]] ^ words[head]) > max_distance).all()
