"""How alike two texts are by their features, not by their fingerprints: cosine or Jaccard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from simhash_udf.kernel.extraction import Extractor
from simhash_udf.kernel.hashing import feature_hashes
from simhash_udf.kernel.pieces import piece_bounds
from simhash_udf.kernel.recipe import Recipe, View
from simhash_udf.kernel.texts import as_strings, read_texts

PIECE_BYTES = 2 << 20
"""UTF-8 bytes of text whose features are extracted at a time, as for fingerprints."""

CHUNK_ENTRIES = 1 << 21
"""Entries of the vectors of pairs that are multiplied at a time: about 100 MB."""

DIGITS = 9
"""Decimals of a similarity. Rounding makes a limit of 0.6 hold for 3 of 5 on every platform."""

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class SparseVectors:
    """Weighted features of n texts, one after the other.

    Parameters
    ----------
    ends
        ``int64`` ``(n,)``: where each text's entries end.
    hashes
        ``uint64`` ``(m,)``: 64-bit hash of each feature, ascending within a text.
    weights
        ``int64`` ``(m,)``: its weight, above 0.
    """

    ends: Rows
    hashes: NDArray[np.uint64]
    weights: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def starts(self) -> Rows:
        """Where each text's entries begin."""
        return np.append(0, self.ends[:-1]).astype(np.int64)[: len(self.ends)]

    @property
    def sizes(self) -> Rows:
        """Entries of each text."""
        return self.ends - self.starts

    def take(self, rows: Rows) -> SparseVectors:
        """Return the vectors of these texts, in this order."""
        sizes = self.sizes[rows]
        ends = np.cumsum(sizes)
        entries = np.repeat(self.starts[rows] - (ends - sizes), sizes) + np.arange(sizes.sum())
        return SparseVectors(ends, self.hashes[entries], self.weights[entries])

    def blobs(self) -> tuple[list[bytes], list[bytes]]:
        """Return hashes and weights of each text as bytes, 8 an entry, in native order."""
        bounds = list(zip(self.starts.tolist(), self.ends.tolist(), strict=True))
        return [self.hashes[a:b].tobytes() for a, b in bounds], [self.weights[a:b].tobytes() for a, b in bounds]


def vectors_of_blobs(hashes: Sequence[bytes], weights: Sequence[bytes]) -> SparseVectors:
    """Return the vectors whose `SparseVectors.blobs` these are."""
    ends = np.cumsum([len(blob) // 8 for blob in hashes], dtype=np.int64)
    return SparseVectors(
        ends, np.frombuffer(b"".join(hashes), dtype=np.uint64), np.frombuffer(b"".join(weights), dtype=np.int64)
    )


def stack_vectors(parts: Sequence[SparseVectors]) -> SparseVectors:
    """Return the vectors of all parts, in that order."""
    if not parts:
        return vectors_of_blobs([], [])
    offsets = np.cumsum([0, *(len(part.hashes) for part in parts[:-1])])
    ends = np.concatenate([part.ends + offset for part, offset in zip(parts, offsets, strict=True)])
    hashes, weights = (np.concatenate([getattr(part, name) for part in parts]) for name in ("hashes", "weights"))
    return SparseVectors(ends, hashes, weights)


def recipe_of_check(recipe: Recipe, measure: str, ngram: int, weight: str | None = None) -> Recipe:
    """Return the recipe whose features the check compares: those of the first view, all of them.

    Cosine keeps the n-grams of the fingerprint, and its weight unless another is given; Jaccard takes the set of
    n-grams of ``ngram`` tokens. ``top_k``, ``min_features`` and thresholds are about fingerprints and play no part.
    """
    whole = replace(recipe, views=(View(recipe.views[0].tokenizer),), top_k=None, min_features=1, thresholds=None)
    if measure == "jaccard":
        return replace(whole, ngram=(ngram,), weight="binary", idf=None)
    if weight in {None, recipe.weight}:
        return whole
    return replace(whole, weight=weight, idf=None)


class VectorMaker:
    """Makes the vectors of texts.

    A text with fewer tokens than the n-grams need has one feature, all its tokens in a row: two such texts are alike
    only if they are equal.

    Parameters
    ----------
    recipe
        As `recipe_of_check` gives it.
    """

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._extract = Extractor(recipe)
        (size,) = recipe.ngram if len(recipe.ngram) == 1 else (1,)
        self._shorter = VectorMaker(replace(recipe, ngram=(size - 1,))) if size > 1 else None

    def __call__(self, texts: pa.Array | pa.ChunkedArray) -> SparseVectors:
        """Make the vectors of a batch of Arrow strings, in its order; no entry for null and blank texts."""
        strings = as_strings(texts)
        read = read_texts(strings, self._recipe)
        pieces = piece_bounds(read.normalized, PIECE_BYTES)
        made = stack_vectors(
            [self._vectors(*(side.slice(a, b - a) for side in (read.normalized, read.raw))) for a, b in pieces]
        )
        is_empty = made.sizes == 0
        if self._shorter is None or not is_empty.any():
            return made
        rows = np.arange(len(made))
        rows[is_empty] = len(made) + np.arange(is_empty.sum())
        return stack_vectors([made, self._shorter(strings.filter(pa.array(is_empty)))]).take(rows)

    def _vectors(self, normalized: pa.Array, raw: pa.Array) -> SparseVectors:
        (matrix,), _ = self._extract(normalized, raw)
        hashes = feature_hashes(matrix.features())
        order = np.argsort(hashes)
        rows = matrix.weights[:, order].tocsr()  # columns in the order of their hashes, so each row's ascend
        return SparseVectors(rows.indptr[1:].astype(np.int64), hashes[order][rows.indices], rows.data.astype(np.int64))


def similarities(vectors: SparseVectors, left: Rows, right: Rows, measure: str) -> NDArray[np.float64]:
    """Return how alike the texts of each pair are.

    Parameters
    ----------
    vectors
        Vectors of n texts.
    left, right
        ``int64`` ``(p,)``: the pairs, as positions of texts.
    measure
        ``cosine`` of the weights, or ``jaccard`` of the sets of features.

    Returns
    -------
    numpy.ndarray
        ``float64`` ``(p,)``, 0 to 1, rounded to `DIGITS`; 0 where a text has no feature. Equal for a pair whatever else
        is in the batch.
    """
    found = [np.empty(0)]
    for chunk in _chunks(vectors.sizes[left] + vectors.sizes[right]):
        found.append(_similarities(vectors, left[chunk], right[chunk], measure))
    return np.concatenate(found)


def _chunks(sizes: Rows) -> Iterator[slice]:
    """Slices of pairs with `CHUNK_ENTRIES` or one pair more."""
    slot = (np.cumsum(sizes) - sizes) // CHUNK_ENTRIES
    starts = np.flatnonzero(np.diff(slot, prepend=-1)).tolist()
    yield from (slice(a, b) for a, b in zip(starts, [*starts[1:], len(sizes)], strict=True))


def _similarities(vectors: SparseVectors, left: Rows, right: Rows, measure: str) -> NDArray[np.float64]:
    texts, places = np.unique(np.concatenate([left, right]), return_inverse=True)
    matrix = _matrix(vectors.take(texts), is_set=measure == "jaccard")
    first, second = places[: len(left)], places[len(left) :]
    common = _row_sums(matrix[first].multiply(matrix[second]))
    own = _row_sums(matrix.multiply(matrix))
    # the root of a square is exact, so equal vectors give 1
    both = np.sqrt(own[first] * own[second]) if measure == "cosine" else own[first] + own[second] - common
    shares = np.divide(common, both, out=np.zeros(len(common)), where=both > 0)
    return np.minimum(np.round(shares, DIGITS), 1.0)


def _matrix(vectors: SparseVectors, *, is_set: bool) -> sparse.csr_matrix:
    """Texts by features, columns in the order of the hashes so that every sum has one order of its terms."""
    features, columns = np.unique(vectors.hashes, return_inverse=True)
    entries = np.ones(len(columns)) if is_set else vectors.weights.astype(np.float64)
    shape = (len(vectors), max(len(features), 1))
    return sparse.csr_matrix((entries, columns, np.append(0, vectors.ends)), shape=shape)


def _row_sums(matrix: sparse.csr_matrix) -> NDArray[np.float64]:
    return np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
