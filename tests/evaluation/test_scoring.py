"""A row of the table holds the figures of the functions that compute them."""

from __future__ import annotations

import numpy as np
import pytest

from simhash_udf.evaluation.bootstrap import bootstrap
from simhash_udf.evaluation.findings import Findings
from simhash_udf.evaluation.labels import JudgedPairs, Labels
from simhash_udf.evaluation.metrics import adjusted_rand, document_scores, edge_scores, pair_scores
from simhash_udf.evaluation.pair_counts import count_group_pairs
from simhash_udf.evaluation.scoring import DOCUMENT_FIGURES, score_findings
from simhash_udf.kernel.edge_list import Edges

NODES = np.array([10, 10, 11, 12, 13, 14])
TRUE = np.array([0, 0, 0, 0, 1, 1])
FOUND = Findings(
    NODES,
    np.zeros(6, dtype=bool),
    Edges(np.array([10, 11, 12]), np.array([11, 12, 13]), np.array([1, 2, 3], dtype=np.uint8)),
)


def test_clusters_give_every_figure() -> None:
    row = score_findings(FOUND, Labels(np.arange(6), TRUE, None), resamples=100, seed=4)
    groups = np.zeros(6, dtype=np.int64)
    groups[5] = 1
    scores, edges = pair_scores(TRUE, groups), edge_scores(TRUE, NODES, FOUND.edges.src, FOUND.edges.dst)
    assert (row["groups_precision"], row["groups_recall"]) == (scores.precision, scores.recall) == (0.6, 6 / 7)
    assert (row["edges_right_pairs"], row["edges_found_pairs"]) == (edges.right_pairs, edges.found_pairs) == (4, 5)
    interval = bootstrap(count_group_pairs(TRUE, groups), draws=100, seed=4)
    assert (row["groups_f1_low"], row["groups_f1_high"]) == interval.f1
    assert [row[name] for name in DOCUMENT_FIGURES] == [
        getattr(document_scores(TRUE, groups), name) for name in DOCUMENT_FIGURES
    ]
    assert row["adjusted_rand"] == pytest.approx(adjusted_rand(TRUE, groups))


def test_judged_pairs_give_figures_of_pairs_alone() -> None:
    pairs = JudgedPairs(np.array([0, 0, 3, 4]), np.array([1, 3, 4, 5]), np.array([True, True, False, True]))
    row = score_findings(FOUND, Labels(np.arange(6), TRUE, pairs), resamples=100, seed=4)
    assert (row["groups_right_pairs"], row["groups_found_pairs"], row["groups_true_pairs"]) == (2, 3, 3)
    assert (row["edges_right_pairs"], row["edges_found_pairs"], row["edges_true_pairs"]) == (1, 2, 3)
    assert row["adjusted_rand"] is None
    assert row["accuracy"] is None


def test_a_smaller_k_finds_a_part() -> None:
    labels = Labels(np.arange(6), TRUE, None)
    recalls = [score_findings(FOUND.within(k), labels, resamples=10, seed=0)["groups_recall"] for k in range(4)]
    assert recalls == [1 / 7, 3 / 7, 6 / 7, 6 / 7]
