"""From normalised texts to the weighted features of every view."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simhash_udf.kernel.features import FeatureMatrix, count_characters, count_features, given_features
from simhash_udf.kernel.hashing import Vocabulary
from simhash_udf.kernel.normalize import normalize_words
from simhash_udf.kernel.recipe import Recipe, View
from simhash_udf.kernel.tagging import build_tagger
from simhash_udf.kernel.textrank import MIN_LENGTH, textrank
from simhash_udf.kernel.tokenize import build_tokenizer, reads_raw_text
from simhash_udf.kernel.weights import build_weighting, heaviest, in_units

Reader = Callable[[pa.Array], FeatureMatrix]


class Extractor:
    """Weighs the features that a recipe asks for.

    Parameters
    ----------
    recipe
        Views that share a tokenizer are tokenised and weighed once.
    """

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._vocabulary = Vocabulary()
        self._weigh = build_weighting(recipe)
        one_view_each = {view.tokenizer: view for view in recipe.views}
        self._readers = {
            tokenizer: (self._reader(view), reads_raw_text(view)) for tokenizer, view in one_view_each.items()
        }

    def __call__(self, normalized: pa.Array, raw: pa.Array) -> tuple[list[FeatureMatrix], NDArray[np.int32]]:
        """Extract the features of some texts.

        Parameters
        ----------
        normalized, raw
            The same Arrow strings after and before normalisation; `raw` is read by the tokenizer ``pypi`` only.

        Returns
        -------
        list of FeatureMatrix
            One a view, cut to `Recipe.top_k`; valid until the next call.
        numpy.ndarray
            ``int32`` ``(n,)``: distinct features of the first view, before that cut.
        """
        self._vocabulary.trim()
        found = {tokenizer: read(raw if is_raw else normalized) for tokenizer, (read, is_raw) in self._readers.items()}
        counts = found[self._recipe.views[0].tokenizer].feature_counts()
        if self._recipe.top_k is not None:
            found = {tokenizer: heaviest(matrix, self._recipe.top_k) for tokenizer, matrix in found.items()}
        return [found[view.tokenizer] for view in self._recipe.views], counts

    def _reader(self, view: View) -> Reader:
        if self._recipe.weight == "textrank":
            rank = _ranker(self._recipe)
            return lambda texts: given_features([rank(text) for text in texts.to_pylist()], self._vocabulary)
        if _takes_every_character(view, self._recipe):
            return lambda texts: self._weigh(count_characters(texts, self._vocabulary))
        tokenize = build_tokenizer(view, self._recipe, keep_blanks=True)
        return lambda texts: self._weigh(count_features(map(tokenize, texts.to_pylist()), self._vocabulary))


def _takes_every_character(view: View, recipe: Recipe) -> bool:
    return view.tokenizer == "char" and recipe.ngram == (1,) and not recipe.synonyms and not recipe.stop_words


def _ranker(recipe: Recipe) -> Callable[[str], dict[str, int]]:
    """Return the function from a text to its keywords and their TextRank in units of weight."""
    tag = build_tagger(recipe)
    stop_words = frozenset(normalize_words(sorted(recipe.stop_words), recipe.normalization))
    min_length = max(MIN_LENGTH, recipe.min_token_length)

    def rank(text: str) -> dict[str, int]:
        ranks = textrank(tag(text), stop_words, min_length)
        return dict(zip(ranks, in_units(list(ranks.values())).tolist(), strict=True))

    return rank
