"""All figures of one setting, as one row of the table."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from simhash_udf.evaluation.bootstrap import bootstrap
from simhash_udf.evaluation.findings import Findings
from simhash_udf.evaluation.labels import JudgedPairs, Labels
from simhash_udf.evaluation.metrics import adjusted_rand, document_scores, scores_of
from simhash_udf.evaluation.pair_counts import PairCounts, count_edge_pairs, count_group_pairs, count_judged_pairs

Row = dict[str, float | int | str | None]

SHARES = ("precision", "recall", "f1")
DOCUMENT_FIGURES = (
    "precision_duplicates",
    "recall_duplicates",
    "precision_non_duplicates",
    "recall_non_duplicates",
    "macro_precision",
    "macro_f1",
    "accuracy",
)


def score_findings(found: Findings, labels: Labels, *, resamples: int, seed: int) -> Row:
    """Return the figures of what was found.

    Returns
    -------
    dict
        For ``groups`` and for ``edges``: ``…_precision``, ``…_precision_low``, ``…_precision_high``, so for ``recall``
        and ``f1``, and ``…_right_pairs``, ``…_found_pairs``, ``…_true_pairs``. Then the figures by document and the
        adjusted Rand index, None where only pairs were judged.
    """
    row: Row = {}
    for name, counts in (("groups", _group_counts(found, labels)), ("edges", _edge_counts(found, labels))):
        row |= {f"{name}_{key}": value for key, value in _described(counts, resamples, seed).items()}
    if labels.pairs is not None:
        return row | dict.fromkeys((*DOCUMENT_FIGURES, "adjusted_rand"))
    by_document = asdict(document_scores(labels.cluster, found.groups))
    return row | by_document | {"adjusted_rand": adjusted_rand(labels.cluster, found.groups)}


def _group_counts(found: Findings, labels: Labels) -> PairCounts:
    if labels.pairs is None:
        return count_group_pairs(labels.cluster, found.groups)
    return _judged(labels, labels.pairs, found.are_grouped(labels.pairs))


def _edge_counts(found: Findings, labels: Labels) -> PairCounts:
    if labels.pairs is None:
        return count_edge_pairs(labels.cluster, *found.units)
    return _judged(labels, labels.pairs, found.are_linked(labels.pairs))


def _judged(labels: Labels, pairs: JudgedPairs, is_found: NDArray[np.bool_]) -> PairCounts:
    """Counts of judged pairs."""
    return count_judged_pairs(labels.cluster[pairs.left], labels.cluster[pairs.right], pairs.is_duplicate, is_found)


def _described(counts: PairCounts, resamples: int, seed: int) -> Row:
    scores, intervals = scores_of(counts), bootstrap(counts, draws=resamples, seed=seed)
    row: Row = {}
    for name in SHARES:
        low, high = getattr(intervals, name)
        row |= {name: getattr(scores, name), f"{name}_low": low, f"{name}_high": high}
    return row | asdict(scores)
