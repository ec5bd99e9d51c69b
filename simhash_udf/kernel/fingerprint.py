"""Texts to fingerprints: normalise once, tokenise once a tokenizer, weigh, hash, and one matrix product a view."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simhash_udf.kernel.extraction import Extractor
from simhash_udf.kernel.features import FeatureMatrix
from simhash_udf.kernel.hashing import BITS, pack_bits
from simhash_udf.kernel.pieces import piece_bounds
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.kernel.texts import ReadTexts, as_strings, read_texts

PIECE_BYTES = 1 << 20
"""UTF-8 bytes of text tokenised at a time. What is counted of them takes 10 times that; the tokens of the document at
hand, as Python strings, 35 times its own size. Larger pieces were no faster."""

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
    Linear in tokens. Memory: about three times the batch, 30 MB for a piece of `PIECE_BYTES`, and 45 times the longest
    text, which `Recipe.max_chars` bounds. Not for use by two threads at once.

    Examples
    --------
    >>> made = Fingerprinter(Recipe())(pa.array(["数据清洗流程", "", None]))
    >>> made.values[:, 0].tolist(), made.has_value.tolist()
    ([3121501542761393625, 0, 0], [True, False, False])
    """

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._extract = Extractor(recipe)
        self._thresholds = None if recipe.thresholds is None else np.array(recipe.thresholds, dtype=np.float64)

    def __call__(self, texts: pa.Array | pa.ChunkedArray) -> Fingerprints:
        """Make the fingerprints of a batch of Arrow strings, in its order."""
        read = read_texts(as_strings(texts), self._recipe)
        values = [np.zeros((0, len(self._recipe.views)), dtype=np.uint64)]
        counts = [np.zeros(0, dtype=np.int32)]
        for matrices, count in self._pieces(read):
            values.append(np.stack([self._values(view, matrix) for view, matrix in enumerate(matrices)], axis=1))
            counts.append(count)
        feature_count, all_values = np.concatenate(counts), np.concatenate(values)
        has_value = feature_count >= self._recipe.min_features
        all_values[~has_value] = 0
        return Fingerprints(all_values, has_value, feature_count, read.length, read.digest, read.is_cut)

    def scores(self, texts: pa.Array | pa.ChunkedArray) -> NDArray[np.float64]:
        """Weighted sum / L2 norm of every bit, which is what `calibration.learn_thresholds` takes medians of.

        Returns
        -------
        numpy.ndarray
            ``float64`` ``(n, r, 64)``, most significant bit first; NaN where a text has no feature in the view, and in
            all views where it has no fingerprint. Thresholds of the recipe play no part.
        """
        parts = [np.zeros((0, len(self._recipe.views), BITS))]
        for matrices, count in self._pieces(read_texts(as_strings(texts), self._recipe)):
            views = zip(self._recipe.views, matrices, strict=True)
            scores = np.stack([_scores(matrix, view.bits) for view, matrix in views], axis=1)
            scores[count < self._recipe.min_features] = np.nan
            parts.append(scores)
        return np.concatenate(parts)

    def _pieces(self, read: ReadTexts) -> Iterator[tuple[list[FeatureMatrix], NDArray[np.int32]]]:
        """Extract the features piece by piece, so that the memory of tokens stays bounded."""
        for start, end in piece_bounds(read.normalized, PIECE_BYTES):
            yield self._extract(*(texts.slice(start, end - start) for texts in (read.normalized, read.raw)))

    def _values(self, view: int, matrix: FeatureMatrix) -> NDArray[np.uint64]:
        bits = self._recipe.views[view].bits
        if self._thresholds is None:
            return pack_bits(matrix.bit_sums(bits) > 0)
        return pack_bits(_scores(matrix, bits) > self._thresholds[view])  # False for NaN


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
