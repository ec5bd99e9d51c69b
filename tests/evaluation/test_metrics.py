"""Scores against brute force over all pairs, and against scikit-learn."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import pair_confusion_matrix

from simhash_udf.evaluation.metrics import (
    Scores,
    adjusted_rand,
    document_scores,
    edge_scores,
    judged_scores,
    pair_scores,
)

Pairs = set[tuple[int, int]]

partitions = st.integers(0, 30).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 6), min_size=n, max_size=n) for _ in range(2)))
)


def pairs_of(labels: Any) -> Pairs:
    return {(i, j) for i, j in itertools.combinations(range(len(labels)), 2) if labels[i] == labels[j]}


def scored(true: Pairs, found: Pairs) -> Scores:
    return Scores(len(true & found), len(found), len(true))


@given(partitions)
def test_groups_score_as_the_list_of_all_pairs_says(labels: tuple[list[int], list[int]]) -> None:
    true, found = map(np.array, labels)
    assert pair_scores(true, found) == scored(pairs_of(true), pairs_of(found))


@given(partitions)
def test_groups_score_as_the_pair_confusion_matrix_of_sklearn_says(labels: tuple[list[int], list[int]]) -> None:
    true, found = map(np.array, labels)
    if len(true) < 2:
        return
    (_, wrong), (missed, right) = pair_confusion_matrix(true, found) // 2
    assert pair_scores(true, found) == Scores(right, right + wrong, right + missed)


@given(partitions, st.data())
def test_edges_score_as_the_list_of_all_pairs_says(labels: tuple[list[int], list[int]], data: st.DataObject) -> None:
    true, nodes = map(np.array, labels)
    possible = list(itertools.combinations(range(8), 2))  # nodes 7 and above hold no document
    edges = data.draw(st.lists(st.sampled_from(possible), unique=True, max_size=12))
    linked = set(edges)
    found = pairs_of(nodes) | {
        (i, j)
        for i, j in itertools.combinations(range(len(nodes)), 2)
        if (min(nodes[i], nodes[j]), max(nodes[i], nodes[j])) in linked
    }
    src, dst = (np.array([edge[end] for edge in edges], dtype=np.int64) for end in (0, 1))
    assert edge_scores(true, nodes, src, dst) == scored(pairs_of(true), found)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=20))
def test_judged_pairs_score_as_counted(pairs: list[tuple[bool, bool]]) -> None:
    judged, found = (np.array([pair[side] for pair in pairs], dtype=bool) for side in (0, 1))
    assert judged_scores(judged, found) == Scores(
        sum(map(all, pairs)), sum(pair[1] for pair in pairs), sum(pair[0] for pair in pairs)
    )


def by_document(true: NDArray[np.int64], found: NDArray[np.int64]) -> dict[str, int]:
    """Classes of the documents, from their sets of duplicates."""
    classes = dict.fromkeys(("tp", "fp", "tn", "fn", "exact"), 0)
    for i in range(len(true)):
        duplicates = {j for j in range(len(true)) if j != i and true[j] == true[i]}
        predicted = {j for j in range(len(true)) if j != i and found[j] == found[i]}
        classes["exact"] += duplicates == predicted
        if not predicted:
            classes["fn" if duplicates else "tn"] += 1
        else:
            classes["tp" if duplicates and duplicates <= predicted else "fp"] += 1
    return classes


@given(partitions)
def test_documents_score_as_their_sets_of_duplicates_say(labels: tuple[list[int], list[int]]) -> None:
    true, found = map(np.array, labels)
    expected = by_document(true, found)
    tp, fp, tn, fn = (expected[name] for name in ("tp", "fp", "tn", "fn"))
    scores = document_scores(true, found)
    assert scores.precision_duplicates == (tp / (tp + fp) if tp + fp else 0)
    assert scores.recall_duplicates == (tp / (tp + fn) if tp + fn else 0)
    assert scores.precision_non_duplicates == (tn / (tn + fn) if tn + fn else 0)
    assert scores.recall_non_duplicates == (tn / (tn + fp) if tn + fp else 0)
    assert scores.macro_precision == (scores.precision_duplicates + scores.precision_non_duplicates) / 2
    assert scores.accuracy == (expected["exact"] / len(true) if len(true) else 0)


@given(partitions)
def test_equal_partitions_have_every_score_at_1(labels: tuple[list[int], list[int]]) -> None:
    true = np.array(labels[0])
    scores = pair_scores(true, true * 3 + 1)
    assert (scores.precision, scores.recall, scores.f1) == (1, 1, 1)


@given(partitions)
def test_the_adjusted_rand_index_is_that_of_sklearn(labels: tuple[list[int], list[int]]) -> None:
    true, found = map(np.array, labels)
    assert adjusted_rand(true, found) == adjusted_rand_score(true, found)


def test_a_group_of_three_million_documents_is_counted_exactly() -> None:
    n = 3_000_000
    true = np.arange(n) // 2
    scores = pair_scores(true, np.zeros(n, dtype=np.int64))
    assert scores == Scores(n // 2, n * (n - 1) // 2, n // 2)


def test_labels_may_be_text() -> None:
    true = np.array(["甲", "甲", "乙"])
    assert pair_scores(true, np.array(["x", "y", "y"])) == Scores(0, 1, 1)


@pytest.mark.parametrize(("scores", "expected"), [(Scores(0, 0, 5), (1, 0, 0)), (Scores(0, 5, 0), (0, 1, 0))])
def test_nothing_found_is_precise_and_nothing_to_find_is_complete(
    scores: Scores, expected: tuple[float, float, float]
) -> None:
    assert (scores.precision, scores.recall, scores.f1) == expected
