"""Groups around leaders, against the rule taken word by word."""

from __future__ import annotations

import numpy as np
import pytest

from simhash_udf.kernel import leaders
from simhash_udf.kernel.edge_rule import EdgeRule
from simhash_udf.kernel.leaders import Followers, find_leaders


def one_by_one(nodes: Followers, rule: EdgeRule) -> list[int]:
    """The rule with lists."""
    n = len(nodes.component)
    refused = set(map(tuple, nodes.refused.T.tolist()))
    leader = [i if nodes.is_leader[i] else -1 for i in range(n)]
    for i in range(n):
        if leader[i] not in (-1, i):
            continue
        leader[i] = i
        for j in range(i + 1, n):
            bits = [
                int(a ^ b).bit_count() for a, b in zip(nodes.words[i].tolist(), nodes.words[j].tolist(), strict=True)
            ]
            near = min(bits) <= rule.max_distance and sum(bits) <= rule.max_total_distance
            if near and leader[j] < 0 and nodes.component[i] == nodes.component[j] and (i, j) not in refused:
                leader[j] = i
    return leader


def crowd(seed: int, n: int, views: int, bits: int) -> Followers:
    draw = np.random.default_rng(seed)
    refused = np.sort(draw.choice(n, (2, n)), axis=0) if n else np.empty((2, 0), int)
    return Followers(
        draw.choice(np.array([-(2**63), 4, 2**63 - 1]), n),
        draw.integers(0, 1 << bits, (n, views), dtype=np.uint64),
        draw.random(n) < 0.05,
        refused[:, refused[0] != refused[1]],
    )


@pytest.mark.parametrize(
    ("n", "views", "bits"), [(0, 1, 9), (1, 1, 9), (100, 1, 9), (400, 1, 14), (300, 2, 10), (300, 4, 63)]
)
@pytest.mark.parametrize("batch", [1, 7, 1024])
def test_leaders_are_those_of_the_rule(
    n: int, views: int, bits: int, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaders, "BATCH_NODES", batch)
    monkeypatch.setattr(leaders, "BATCH_PAIRS", 50 * batch)
    nodes, rule = crowd(n + views, n, views, bits), EdgeRule(3, 4 * views)
    assert find_leaders(nodes, rule).tolist() == one_by_one(nodes, rule)


def test_a_chain_is_cut_where_it_leaves_the_representative() -> None:
    values = np.cumsum(
        np.uint64(1) << np.arange(20, dtype=np.uint64), dtype=np.uint64
    )  # each a bit more than the one before
    chain = Followers(np.zeros(20, int), values[:, None], np.zeros(20, bool), np.empty((2, 0), int))
    assert find_leaders(chain, EdgeRule(3, 8)).tolist() == [i - i % 4 for i in range(20)]


@pytest.mark.parametrize("kind", ["crowd", "chain"])
def test_many_nodes_are_grouped_without_all_pairs(kind: str) -> None:
    n = 30_000
    draw = np.random.default_rng(1)
    if kind == "crowd":
        words = draw.integers(0, 1 << 17, n, dtype=np.uint64)
    else:  # each node differs from the one before in 3 bits somewhere
        turned = np.uint64(1) << draw.integers(0, 64, (n, 3), dtype=np.uint64)
        words = np.bitwise_xor.accumulate(np.bitwise_or.reduce(turned, axis=1))
    nodes = Followers(np.zeros(n, int), words[:, None], np.zeros(n, bool), np.empty((2, 0), int))
    leader = find_leaders(nodes, EdgeRule(3, 8))
    assert (leader[leader] == leader).all()
    assert (np.bitwise_count(words ^ words[leader]) <= 3).all()
    heads = np.flatnonzero(leader == np.arange(n))
    for head in heads[:: max(len(heads) // 200, 1)]:  # no leader is near an earlier one
        assert (np.bitwise_count(words[heads[heads < head]] ^ words[head]) > 3).all()
