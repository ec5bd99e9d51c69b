"""Documents as a sparse matrix of feature weights, and what a fingerprint needs of it.

Weights are whole numbers of `weights.WEIGHT_UNITS`, so every sum is exact and no order of tokens, documents or
partitions can change a bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from simhash_udf.kernel.characters import code_points
from simhash_udf.kernel.hashing import Vocabulary

_CODE_POINTS = 0x110000  # of Unicode

EXACT_FLOAT = float(1 << 53)
"""Below this every whole number is a float64, so a float sum that stays below is exact."""


@dataclass(frozen=True)
class FeatureMatrix:
    """Weights of the features of n documents.

    Parameters
    ----------
    weights
        ``int64`` CSC matrix ``(n, m)``, one column a feature, no weight below 0, no entry twice.
    numbers
        ``int32`` ``(m,)``: the number of each column's feature in `vocabulary`.
    vocabulary
        Where the numbers come from; valid until its next `trim`.
    """

    weights: sparse.csc_matrix
    numbers: NDArray[np.int32]
    vocabulary: Vocabulary

    def features(self) -> list[str]:
        """Give the feature of each column."""
        return self.vocabulary.features(self.numbers)

    def with_entries(self, entries: NDArray[np.int64]) -> FeatureMatrix:
        """Return the matrix with other weights in the same places; weights of 0 are taken out."""
        structure = self.weights
        weights = sparse.csc_matrix((entries, structure.indices, structure.indptr), shape=structure.shape)
        if not entries.all():
            weights = weights.copy()  # the places are shared with the matrix it was made from
            weights.eliminate_zeros()
        return replace(self, weights=weights)

    def feature_counts(self) -> NDArray[np.int32]:
        """Count the distinct features of each document, ``int32`` ``(n,)``."""
        return np.bincount(self.weights.indices, minlength=self.weights.shape[0]).astype(np.int32)

    def bit_sums(self, bits: int = 0) -> NDArray[np.int64]:
        """For each document and bit: weight of the features that have it less that of those that do not, ``(n, 64)``.

        The most significant bit comes first. Exact while a document weighs less than 2^63 units.
        """
        kind = _exact_type(self.weights)
        sums: NDArray[np.number] = self.weights.astype(kind) @ self.vocabulary.signs(self.numbers, bits).astype(kind)
        return sums.astype(np.int64)

    def norms(self) -> NDArray[np.float64]:
        """L2 norm of each document's weights in units, ``float64`` ``(n,)``, whatever the order of features."""
        squares = np.square(self.weights.data.astype(np.float64))
        sums = np.bincount(self.weights.indices, weights=squares, minlength=self.weights.shape[0])
        if sums.size and sums.max() >= EXACT_FLOAT:  # rounding could depend on the order: sum again, correctly rounded
            rows = sparse.csc_matrix((squares, self.weights.indices, self.weights.indptr), self.weights.shape).tocsr()
            values, ends = rows.data.tolist(), rows.indptr.tolist()
            sums = np.array([math.fsum(values[start:end]) for start, end in pairwise(ends)])
        return np.sqrt(sums)


def count_features(documents: Iterable[list[str]], vocabulary: Vocabulary) -> FeatureMatrix:
    """Count how often each document has each feature.

    Parameters
    ----------
    documents
        The features of each document, with repeats. A single space is no feature and is dropped. Read one document at
        a time; they need not all be in memory.
    vocabulary
        Numbers the features, and keeps them for the next batch.

    Returns
    -------
    FeatureMatrix
        Term frequencies, as plain counts.

    Notes
    -----
    Linear in tokens: one dictionary lookup each, then a counting sort. Holds about 25 bytes a token.

    Examples
    --------
    >>> matrix = count_features([["去重", "数据", "去重"], ["文本"]], Vocabulary())
    >>> matrix.features(), matrix.weights.toarray().tolist()
    (['去重', '数据', '文本'], [[2, 1, 0], [0, 0, 1]])
    """
    found: list[int] = []
    ends: list[int] = []
    for tokens in documents:
        found += vocabulary.numbers(tokens)
        ends.append(len(found))
    columns, numbers = _as_columns(found, len(vocabulary))
    return _counted(_rows(np.ones(len(found), dtype=np.int32), columns, ends, len(numbers)), numbers, vocabulary)


def count_characters(texts: pa.Array, vocabulary: Vocabulary) -> FeatureMatrix:
    """Count the single characters of Arrow strings without nulls, as `count_features` would, in a tenth of the time.

    Examples
    --------
    >>> matrix = count_characters(pa.array(["数 据数", ""]), Vocabulary())
    >>> matrix.features(), matrix.weights.toarray().tolist()
    (['据', '数'], [[1, 2], [0, 0]])
    """
    points, starts = code_points(texts)
    is_present = np.zeros(_CODE_POINTS, dtype=np.bool_)
    is_present[points] = True
    present = np.flatnonzero(is_present)
    column_of = np.zeros(_CODE_POINTS, dtype=np.int32)
    column_of[present] = np.arange(len(present), dtype=np.int32)
    numbers = np.fromiter(vocabulary.numbers(map(chr, present.tolist())), dtype=np.int32, count=len(present))
    ends = [*starts[1:].tolist(), len(points)][: len(starts)]
    return _counted(
        _rows(np.ones(len(points), dtype=np.int32), column_of[points], ends, len(present)), numbers, vocabulary
    )


def given_features(weighted: Sequence[dict[str, int]], vocabulary: Vocabulary) -> FeatureMatrix:
    """Take weights, in units, that were worked out document by document."""
    found = list(vocabulary.numbers(feature for document in weighted for feature in document))
    entries = np.array([weight for document in weighted for weight in document.values()], dtype=np.int64)
    ends = np.cumsum([len(document) for document in weighted], dtype=np.int64)
    columns, numbers = _as_columns(found, len(vocabulary))
    return FeatureMatrix(_rows(entries, columns, ends.tolist(), len(numbers)).tocsc(), numbers, vocabulary)


def _counted(tokens: sparse.csr_matrix, numbers: NDArray[np.int32], vocabulary: Vocabulary) -> FeatureMatrix:
    """Add up the repeats of each feature in a document, and drop the blank."""
    counts = tokens.tocsc()
    counts.sum_duplicates()  # linear here: a column lists its documents in order
    is_feature = numbers != next(vocabulary.numbers([" "]))
    if not is_feature.all():
        counts, numbers = counts[:, is_feature], numbers[is_feature]
    return FeatureMatrix(counts.astype(np.int64), numbers, vocabulary)


def _exact_type(weights: sparse.csc_matrix) -> type[np.number]:
    """Smallest number type in which the sums of these weights are exact: the product takes half the time in each."""
    heaviest = np.bincount(weights.indices, weights=weights.data).max(initial=0)
    return np.float32 if heaviest < 1 << 24 else np.float64 if heaviest < 1 << 52 else np.int64


def _as_columns(in_order: list[int], size: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Renumber vocabulary numbers to columns 0..m-1: the column of each token, the number of each column."""
    found = np.fromiter(in_order, dtype=np.int32, count=len(in_order))
    is_present = np.zeros(size, dtype=np.bool_)
    is_present[found] = True
    numbers = np.flatnonzero(is_present).astype(np.int32)
    column_of = np.zeros(size, dtype=np.int32)
    column_of[numbers] = np.arange(len(numbers), dtype=np.int32)
    return column_of[found], numbers


def _rows(
    entries: NDArray[np.signedinteger], columns: NDArray[np.int32], ends: Sequence[int], width: int
) -> sparse.csr_matrix:
    """CSR matrix of entries that lie document after document."""
    starts = np.zeros(len(ends) + 1, dtype=np.int64)
    starts[1:] = ends
    return sparse.csr_matrix((entries, columns, starts), shape=(len(ends), width))
