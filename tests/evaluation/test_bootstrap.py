"""Intervals against samples that are drawn document by document, and their coverage."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from simhash_udf.evaluation.bootstrap import bootstrap
from simhash_udf.evaluation.metrics import Scores, pair_scores
from simhash_udf.evaluation.pair_counts import count_edge_pairs, count_group_pairs, count_judged_pairs


def copied(labels: NDArray[np.int64], weights: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Documents of clusters that stand several times, as (document, number of the copy)."""
    return [(i, copy) for i, label in enumerate(labels) for copy in range(weights[label])]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), max_size=14), st.data())
def test_weighted_counts_are_those_of_a_corpus_with_copies_of_clusters(
    documents: list[tuple[int, int]], data: st.DataObject
) -> None:
    true, nodes = (np.array([row[side] for row in documents], dtype=np.int64) for side in (0, 1))
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=6, max_size=6)))
    edges = data.draw(st.lists(st.sampled_from(list(itertools.combinations(range(5), 2))), unique=True))
    names = np.unique(true)
    given_weights = weights[names][:, None]
    src, dst = (np.array([edge[end] for edge in edges], dtype=np.int64) for end in (0, 1))
    for counts, linked in (
        (count_group_pairs(true, nodes), set()),
        (count_edge_pairs(true, nodes, src, dst), set(edges)),
    ):
        right = found = all_true = 0
        for (i, a), (j, b) in itertools.combinations(copied(true, weights), 2):
            if true[i] == true[j] and a != b:
                continue  # two copies of one cluster have nothing to do with one another
            is_true = true[i] == true[j]
            ends = min(nodes[i], nodes[j]), max(nodes[i], nodes[j])
            is_found = nodes[i] == nodes[j] or ends in linked
            right, found, all_true = right + (is_true and is_found), found + is_found, all_true + is_true
        assert [int(part[0]) for part in counts.weighted(given_weights)] == [right, found, all_true]
        small = counts.take(counts.affected())
        assert [int(part[0]) for part in small.weighted(given_weights[counts.affected()])] == [right, found, all_true]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.booleans(), st.booleans()), max_size=12))
def test_judged_pairs_are_weighted_by_both_their_clusters(pairs: list[tuple[int, int, bool, bool]]) -> None:
    left, right, duplicate, found = (np.array([pair[at] for pair in pairs]) for at in range(4))
    duplicate = duplicate.astype(bool) & (left == right)  # duplicates are of one cluster
    counts = count_judged_pairs(left, right, duplicate, found.astype(bool))
    names = np.unique(np.concatenate([left, right]))
    weights = (names + 1)[:, None].astype(np.int64)
    each = np.where(left == right, left + 1, (left + 1) * (right + 1)) if pairs else np.zeros(0)
    expected = [each[duplicate & (found > 0)].sum(), each[found > 0].sum(), each[duplicate].sum()]
    assert [int(part[0]) for part in counts.weighted(weights)] == expected


def noisy_corpus(rng: np.random.Generator, clusters: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of duplicates of which 0.8 are found, and 0.1 of the clusters in a group with the next."""
    true = np.repeat(np.arange(clusters), 2)
    found = np.arange(2 * clusters)
    for cluster in range(clusters):
        if rng.random() < 0.8:
            found[2 * cluster + 1] = found[2 * cluster]
        if rng.random() < 0.1 and cluster:
            found[2 * cluster] = found[2 * cluster - 1]
    return true, found


def test_intervals_hold_the_value_of_a_large_corpus_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(5)
    large = pair_scores(*noisy_corpus(rng, 100_000))
    hits = {"precision": 0, "recall": 0, "f1": 0}
    for trial in range(200):
        intervals = bootstrap(count_group_pairs(*noisy_corpus(rng, 150)), draws=300, seed=trial)
        for name in hits:
            low, high = getattr(intervals, name)
            hits[name] += low <= getattr(large, name) <= high
    # 95 per cent of 200 with a standard error of 3; percentile intervals of 150 clusters are a little short
    assert all(178 <= count <= 200 for count in hits.values()), hits


def test_equal_seeds_give_equal_intervals_and_more_clusters_narrower_ones() -> None:
    few, many = (count_group_pairs(*noisy_corpus(np.random.default_rng(1), size)) for size in (50, 5000))
    assert bootstrap(few, seed=3) == bootstrap(few, seed=3)
    widths = [np.subtract(*bootstrap(counts).recall[::-1]) for counts in (few, many)]
    assert widths[1] < widths[0] / 5


def test_a_score_of_1_says_how_few_clusters_it_was_seen_on() -> None:
    true = np.repeat(np.arange(100), 2)
    intervals = bootstrap(count_group_pairs(true, true))
    expected = 0.025 ** (1 / 100)  # so many hits in a row are 2.5 per cent likely at this share
    assert intervals.precision == (pytest.approx(expected), 1)
    assert intervals.recall == (pytest.approx(expected), 1)
    assert intervals.f1 == (pytest.approx(expected), 1)


def test_nothing_found_leaves_precision_open_and_recall_at_0() -> None:
    true = np.repeat(np.arange(100), 2)
    intervals = bootstrap(count_group_pairs(true, np.arange(200)))
    assert intervals.precision == (0, 1)
    assert intervals.recall == (0, pytest.approx(1 - 0.025 ** (1 / 100)))


def test_a_corpus_without_any_pair_can_be_scored() -> None:
    counts = count_group_pairs(np.arange(5), np.arange(5))
    assert counts.totals() == (0, 0, 0)
    assert bootstrap(counts).precision == (0, 1)
    assert pair_scores(np.arange(0), np.arange(0)) == Scores(0, 0, 0)
