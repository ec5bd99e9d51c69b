"""Texts to fingerprints: normalise once, tokenise once a tokenizer, weigh, hash, and one matrix product a view."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simhash_udf.kernel.features import FeatureMatrix, count_features
from simhash_udf.kernel.hashing import BITS, Vocabulary, pack_bits
from simhash_udf.kernel.pieces import pieces
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.kernel.texts import PIECE_BYTES, ReadTexts, as_strings, read_texts
from simhash_udf.kernel.tokenize import build_tokenizer, reads_raw_text
from simhash_udf.kernel.weights import build_weighting, heaviest

MAX_FINGERPRINTERS = 4
"""Fingerprinters kept by a process, each with a tokenizer and a vocabulary of up to 60 MB."""


@dataclass(frozen=True)
class Fingerprints:
    """Fingerprints of n texts in r views, and what is recorded about each text.

    Parameters
    ----------
    values
        ``uint64`` ``(n, r)``; 0 where `has_value` is False, and in a further view where that view has no feature.
    has_value
        ``bool`` ``(n,)``. False for null, and for fewer than `Recipe.min_features` features in the first view.
    feature_count
        ``int32`` ``(n,)``: distinct features of the first view with a weight above 0, before `Recipe.top_k`.
    text_length
        ``int32`` ``(n,)``: characters of the normalised text, after any cut to `Recipe.max_chars`.
    text_digest
        ``int64`` ``(n,)``: digest of the normalised text, before any cut (see `texts.ReadTexts`); 0 for null.
    is_cut
        ``bool`` ``(n,)``: longer than `Recipe.max_chars`.
    """

    values: NDArray[np.uint64]
    has_value: NDArray[np.bool_]
    feature_count: NDArray[np.int32]
    text_length: NDArray[np.int32]
    text_digest: NDArray[np.int64]
    is_cut: NDArray[np.bool_]


class Fingerprinter:
    """Makes the fingerprints that a recipe describes.

    The same text gets the same fingerprint whatever batch it comes in and whatever came before it: weights are whole
    numbers, their sums exact. A bit is 1 only if its weighted sum is above its threshold: above 0 without
    `Recipe.thresholds`; with them, sum / L2 norm of the weights above the bit's threshold.

    Parameters
    ----------
    recipe
        What to do. Views that share a tokenizer are tokenised once.

    Raises
    ------
    SettingError
        If the recipe asks for what is not installed or does not go together.

    Notes
    -----
    Linear in tokens. A batch is worked on in pieces of `texts.PIECE_BYTES`, so memory is about 100 MB for any batch,
    or 50 times its longest text if that is more (`Recipe.max_chars` bounds it). Not for use by two threads at once.

    Examples
    --------
    >>> made = Fingerprinter(Recipe())(pa.array(["数据清洗流程", "", None]))
    >>> made.values[:, 0].tolist(), made.has_value.tolist()
    ([3121501542761393625, 0, 0], [True, False, False])
    """

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._vocabulary = Vocabulary(view.bits for view in recipe.views)
        self._weigh = build_weighting(recipe)
        one_view_each = {view.tokenizer: view for view in recipe.views}
        self._count = {
            tokenizer: self._counter(build_tokenizer(view, recipe), reads_raw=reads_raw_text(view))
            for tokenizer, view in one_view_each.items()
        }
        self._thresholds = None if recipe.thresholds is None else np.array(recipe.thresholds, dtype=np.float64)

    def __call__(self, texts: pa.Array | pa.ChunkedArray) -> Fingerprints:
        """Make the fingerprints of a batch of Arrow strings, in its order."""
        parts = [self._fingerprints(piece) for piece in pieces(as_strings(texts), PIECE_BYTES)] or [
            _nothing(len(self._recipe.views))
        ]
        names = [field.name for field in fields(Fingerprints)]
        return Fingerprints(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})

    def scores(self, texts: pa.Array | pa.ChunkedArray) -> NDArray[np.float64]:
        """Weighted sum / L2 norm of every bit, which is what `calibration.learn_thresholds` takes medians of.

        Returns
        -------
        numpy.ndarray
            ``float64`` ``(n, r, 64)``, most significant bit first; NaN where a text has no feature in the view, and in
            all views where it has no fingerprint. Thresholds of the recipe play no part.
        """
        parts = [np.zeros((0, len(self._recipe.views), BITS))]
        for piece in pieces(as_strings(texts), PIECE_BYTES):
            matrices, counts = self._matrices(read_texts(piece, self._recipe))
            scores = np.stack([_scores(matrix, bits) for matrix, bits in self._by_view(matrices)], axis=1)
            scores[counts < self._recipe.min_features] = np.nan
            parts.append(scores)
        return np.concatenate(parts)

    def _fingerprints(self, piece: pa.Array) -> Fingerprints:
        read = read_texts(piece, self._recipe)
        matrices, counts = self._matrices(read)
        has_value = counts >= self._recipe.min_features
        values = np.stack([self._values(view, matrices) for view in range(len(self._recipe.views))], axis=1)
        values[~has_value] = 0
        return Fingerprints(values, has_value, counts, read.length, read.digest, read.is_cut)

    def _values(self, view: int, matrices: dict[str, FeatureMatrix]) -> NDArray[np.uint64]:
        matrix, bits = matrices[self._recipe.views[view].tokenizer], self._recipe.views[view].bits
        if self._thresholds is None:
            return pack_bits(matrix.bit_sums(bits) > 0)
        return pack_bits(_scores(matrix, bits) > self._thresholds[view])  # False for NaN

    def _by_view(self, matrices: dict[str, FeatureMatrix]) -> Iterator[tuple[FeatureMatrix, int]]:
        for view in self._recipe.views:
            yield matrices[view.tokenizer], view.bits

    def _matrices(self, read: ReadTexts) -> tuple[dict[str, FeatureMatrix], NDArray[np.int32]]:
        """Weights of each tokenizer's features, and the number of features in the first view."""
        self._vocabulary.trim()
        matrices = {tokenizer: self._weigh(count(read)) for tokenizer, count in self._count.items()}
        counts = matrices[self._recipe.views[0].tokenizer].feature_counts()
        if self._recipe.top_k is not None:
            matrices = {name: heaviest(matrix, self._recipe.top_k) for name, matrix in matrices.items()}
        return matrices, counts

    def _counter(
        self, tokenize: Callable[[str], list[str]], *, reads_raw: bool
    ) -> Callable[[ReadTexts], FeatureMatrix]:
        def count(read: ReadTexts) -> FeatureMatrix:
            texts: list[str] = (read.raw if reads_raw else read.normalized).to_pylist()
            return count_features(map(tokenize, texts), self._vocabulary)

        return count


def fingerprinter(recipe: Recipe) -> Fingerprinter:
    """Return this process's fingerprinter for the recipe: tokenizers and vocabulary are built once and kept."""
    digest = recipe.digest()
    if digest not in _kept:
        while len(_kept) >= MAX_FINGERPRINTERS:
            del _kept[next(iter(_kept))]
        _kept[digest] = Fingerprinter(recipe)
    return _kept[digest]


_kept: dict[str, Fingerprinter] = {}


def _scores(matrix: FeatureMatrix, bits: int) -> NDArray[np.float64]:
    norms = matrix.norms()[:, None]
    scores = np.full((len(norms), BITS), np.nan)
    np.divide(matrix.bit_sums(bits), norms, out=scores, where=norms > 0)
    return scores


def _nothing(views: int) -> Fingerprints:
    """Fingerprints of no text, with the right types."""
    return Fingerprints(
        np.zeros((0, views), dtype=np.uint64),
        *(np.zeros(0, dtype=kind) for kind in (np.bool_, np.int32, np.int32, np.int64, np.bool_)),  # type: ignore[arg-type]
    )
