"""Scores of what a search found against what is true: pairs of documents, documents, and whole partitions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simhash_udf.errors import SettingError
from simhash_udf.evaluation.pair_counts import (
    Labels,
    PairCounts,
    contingency_table,
    count_edge_pairs,
    count_group_pairs,
    count_judged_pairs,
)


@dataclass(frozen=True)
class Scores:
    """How many of the pairs that were found are true, and how many of those that are true were found.

    Attributes
    ----------
    right_pairs, found_pairs, true_pairs
        Pairs that are both, that were found, and that are true.
    """

    right_pairs: int
    found_pairs: int
    true_pairs: int

    @property
    def precision(self) -> float:
        """Share of the found pairs that are true; 1 where none was found."""
        return self.right_pairs / self.found_pairs if self.found_pairs else 1.0

    @property
    def recall(self) -> float:
        """Share of the true pairs that were found; 1 where there is none."""
        return self.right_pairs / self.true_pairs if self.true_pairs else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of the two."""
        return float(harmonic_mean(self.precision, self.recall))


@dataclass(frozen=True)
class DocumentScores:
    """Figures by document, as text-dedup's benchmark on the CORE data set gives them.

    Attributes
    ----------
    precision_duplicates, recall_duplicates, precision_non_duplicates, recall_non_duplicates
        Of the two classes; see `document_scores`.
    macro_precision
        Mean of the two precisions. text-dedup prints this one under the name Macro F1.
    macro_f1
        Mean of the F1 of the two classes.
    accuracy
        Share of the documents whose found duplicates are exactly their true ones.
    """

    precision_duplicates: float
    recall_duplicates: float
    precision_non_duplicates: float
    recall_non_duplicates: float
    macro_precision: float
    macro_f1: float
    accuracy: float


def pair_scores(true_labels: Labels, found_labels: Labels) -> Scores:
    """Score the groups: any two documents of a group are a found pair, any two of a true cluster a true one.

    Parameters
    ----------
    true_labels, found_labels : ndarray, shape (n,)
        Cluster and group of each document; a document that is in no group has a label of its own.

    Examples
    --------
    >>> scores = pair_scores(np.array([1, 1, 1, 2]), np.array([7, 7, 8, 8]))
    >>> scores, round(scores.f1, 2)
    (Scores(right_pairs=1, found_pairs=2, true_pairs=3), 0.4)
    """
    return scores_of(count_group_pairs(true_labels, found_labels))


def edge_scores(true_labels: Labels, nodes: Labels, src: Labels, dst: Labels) -> Scores:
    """Score the edges alone, without what chains of them join: see `pair_counts.count_edge_pairs`.

    Examples
    --------
    >>> nodes = np.array([10, 10, 11, 12])  # the first two documents have one fingerprint
    >>> edge_scores(np.array([1, 1, 1, 2]), nodes, np.array([10, 11]), np.array([11, 12]))
    Scores(right_pairs=3, found_pairs=4, true_pairs=3)
    """
    return scores_of(count_edge_pairs(true_labels, nodes, src, dst))


def judged_scores(is_duplicate: NDArray[np.bool_], is_found: NDArray[np.bool_]) -> Scores:
    """Score pairs that were judged one by one; all other pairs are unknown and count for nothing.

    Examples
    --------
    >>> judged_scores(np.array([True, True, False]), np.array([True, False, True]))
    Scores(right_pairs=1, found_pairs=2, true_pairs=2)
    """
    nothing = np.zeros(len(is_duplicate), dtype=np.int64)
    return scores_of(count_judged_pairs(nothing, nothing, is_duplicate, is_found))


def scores_of(counts: PairCounts) -> Scores:
    """Return the scores of counted pairs."""
    return Scores(*counts.totals())


def document_scores(true_labels: Labels, found_labels: Labels) -> DocumentScores:
    """Score each document by the set of its duplicates, after text-dedup's benchmark on CORE.

    A document with true duplicates D and found duplicates P (itself left out of both) is

    - a true negative if both are empty, a false negative if only P is;
    - a true positive if D is not empty and all of it is in P;
    - a false positive otherwise, also where P misses a part of D.

    Duplicates are the positives, non-duplicates the negatives; accuracy asks for P = D.

    Source: text-dedup (Chenghao Mou), ``benchmarks/benchmark_core.py`` and ``classify_prediction`` in
    ``benchmarks/utils.py``; data: Gyawali, Anastasiou and Knoth 2020, "Deduplication of Scholarly Documents using
    Locality Sensitive Hashing and Word Embeddings". A share of no document at all is 0, as there.

    Examples
    --------
    >>> document_scores(np.array([1, 1, 1, 2]), np.array([7, 7, 8, 9])).accuracy
    0.25
    """
    table = contingency_table(true_labels, found_labels)
    together = table.data
    groups = np.repeat(np.asarray(table.sum(axis=1)).reshape(-1), np.diff(table.indptr))
    clusters = np.asarray(table.sum(axis=0)).reshape(-1)[table.indices]
    has_duplicate, has_found = clusters > 1, groups > 1

    def documents(where: NDArray[np.bool_]) -> int:
        return int(together[where].sum())

    tn, fn = documents(~has_found & ~has_duplicate), documents(~has_found & has_duplicate)
    # a group has all of a document's duplicates if it has as much of its cluster as there is
    tp = documents(has_found & has_duplicate & (together == clusters))
    fp = documents(has_found) - tp
    exact = documents((together == clusters) & (together == groups))
    precisions = _share(tp, tp + fp), _share(tn, tn + fn)
    recalls = _share(tp, tp + fn), _share(tn, tn + fp)
    f1 = harmonic_mean(np.array(precisions), np.array(recalls))
    return DocumentScores(
        precisions[0],
        recalls[0],
        precisions[1],
        recalls[1],
        macro_precision=sum(precisions) / 2,
        macro_f1=float(f1.mean()),
        accuracy=_share(exact, documents(together > 0)),
    )


def adjusted_rand(true_labels: Labels, found_labels: Labels) -> float:
    """Return the adjusted Rand index of the two partitions: 1 if they are equal, about 0 by chance.

    Computed by scikit-learn. Source: Hubert and Arabie 1985.

    Raises
    ------
    SettingError
        scikit-learn is not installed.
    """
    try:
        from sklearn.metrics import adjusted_rand_score  # noqa: PLC0415 (an optional package, wanted only here)
    except ImportError as error:
        raise SettingError(
            "the adjusted Rand index needs scikit-learn, which is not installed; "
            "run `pip install simhash-dedup[report]`"
        ) from error
    return float(adjusted_rand_score(true_labels, found_labels))


def harmonic_mean(a: float | NDArray[np.float64], b: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the harmonic mean of shares, 0 where both are 0."""
    one, other = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    both = one + other
    return np.divide(2 * one * other, both, out=np.zeros(both.shape), where=both > 0)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
