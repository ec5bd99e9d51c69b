"""How much each feature of a document counts: frequency, its logarithm, presence or tf-idf; and the heaviest few."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from simhash_udf.kernel.features import FeatureMatrix
from simhash_udf.kernel.idf import jieba_idf
from simhash_udf.kernel.recipe import Idf, Recipe

WEIGHT_UNITS = 1_000_000
"""Units in a weight of 1. Weights that are not whole are rounded to a millionth, so that their sums are exact."""

Weighting = Callable[[FeatureMatrix], FeatureMatrix]


def build_weighting(recipe: Recipe) -> Weighting:
    """Build the function from counted features to weighted ones.

    Parameters
    ----------
    recipe
        Its `weight` (other than ``textrank``, which is no function of counts) and `idf` are read.

    Returns
    -------
    callable
        FeatureMatrix of counts -> FeatureMatrix of weights of the same documents. Counts and ``binary`` stay whole
        numbers; the others are in `WEIGHT_UNITS`. The scale of a document's weights changes no bit and no score.
    """
    if recipe.weight == "log_tf":
        return _log_counts
    if recipe.weight == "binary":
        return _presence
    if recipe.weight == "tf_idf":
        return _times_idf(jieba_idf() if recipe.idf is None else recipe.idf)
    return _counts


def in_units(weights: Sequence[float]) -> NDArray[np.int64]:
    """Round weights to whole `WEIGHT_UNITS`, ``int64``; only 0 becomes 0, a smaller weight than a unit becomes one."""
    exact = np.asarray(weights, dtype=np.float64)
    return np.where(exact > 0, np.maximum(np.rint(exact * WEIGHT_UNITS), 1), 0).astype(np.int64)


def heaviest(matrix: FeatureMatrix, top_k: int) -> FeatureMatrix:
    """Keep the `top_k` heaviest features of each document; among equal weights those first in code point order."""
    weights, names = matrix.weights, matrix.features()
    place = np.empty(len(names), dtype=np.int64)
    place[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    documents = weights.indices
    order = np.lexsort((place[_column_of_entries(weights)], -weights.data, documents))
    sizes = np.bincount(documents, minlength=weights.shape[0])
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    entries = weights.data.copy()
    entries[order[np.arange(len(order)) - starts >= top_k]] = 0
    return matrix.with_entries(entries)


def _counts(counts: FeatureMatrix) -> FeatureMatrix:
    return counts


def _presence(counts: FeatureMatrix) -> FeatureMatrix:
    return counts.with_entries(np.ones_like(counts.weights.data))


def _log_counts(counts: FeatureMatrix) -> FeatureMatrix:
    """1 + ln tf."""
    different, places = np.unique(counts.weights.data, return_inverse=True)
    return counts.with_entries(in_units([1 + math.log(tf) for tf in different.tolist()])[places])


def _times_idf(idf: Idf) -> Weighting:
    """Tf times the idf of the feature; an idf of 0 takes the feature out."""
    table, default = dict(zip(idf.terms, idf.values, strict=True)), idf.default

    def weigh(counts: FeatureMatrix) -> FeatureMatrix:
        of_column = in_units([table.get(feature, default) for feature in counts.features()])
        return counts.with_entries(counts.weights.data * of_column[_column_of_entries(counts.weights)])

    return weigh


def _column_of_entries(matrix: sparse.csc_matrix) -> NDArray[np.int64]:
    """Column number of each stored entry of a CSC matrix."""
    return np.repeat(np.arange(matrix.shape[1]), np.diff(matrix.indptr))
