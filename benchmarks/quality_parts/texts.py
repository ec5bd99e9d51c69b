"""The distinct texts of a corpus and what settings ask of them, each made once: words of fingerprints, likeness."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.quality_parts.close_texts import Index
from simhash_udf.kernel.calibration import learn_thresholds
from simhash_udf.kernel.edge_rule import Words
from simhash_udf.kernel.fingerprint import Fingerprinter
from simhash_udf.kernel.hashing import pack_bits
from simhash_udf.kernel.recipe import Recipe, View
from simhash_udf.kernel.similarity import SparseVectors, VectorMaker, recipe_of_check, similarities

VIEWS = (View("jieba"), View("jieba", 1), View("char"), View("char", 1))


class Texts:
    """Texts of documents.

    Parameters
    ----------
    documents
        Texts in the order of the documents. Those of a smaller corpus come first, so that it is a prefix.
    """

    def __init__(self, documents: pa.Array) -> None:
        encoded = documents.dictionary_encode()
        self.number = encoded.indices.to_numpy().astype(np.int64)
        self._texts = encoded.dictionary
        self._scores: dict[str, NDArray[np.float64]] = {}
        self._vectors: dict[tuple[str, str], SparseVectors] = {}
        self._known: dict[tuple[str, str], tuple[Index, NDArray[np.float64]]] = {}

    def words(self, weight: str, documents: int, *, calibrated: bool) -> tuple[Words, NDArray[np.bool_]]:
        """Return the fingerprints of the texts of the first documents, ``(m, 4)``, and which texts have one."""
        if weight not in self._scores:
            self._scores[weight] = Fingerprinter(Recipe(views=VIEWS, weight=weight)).scores(self._texts)
        number = self.number[:documents]
        scores = self._scores[weight][: number.max() + 1]  # texts are numbered as they come
        thresholds = learn_thresholds(scores[number]) if calibrated else None
        bits = np.nan_to_num(scores, nan=-np.inf) > (0.0 if thresholds is None else np.array(thresholds))
        words = np.stack([pack_bits(bits[:, view]) for view in range(bits.shape[1])], axis=1)
        return words, ~np.isnan(scores[:, 0, 0])

    def similarities(self, measure: str, weight: str, left: Index, right: Index) -> NDArray[np.float64]:
        """Return how alike the texts of each pair are, by the features of the job's second look."""
        kind = (measure, weight)
        keys = left * len(self._texts) + right
        known, values = self._known.get(kind, (np.empty(0, np.int64), np.empty(0)))
        fresh = np.setdiff1d(keys, known)
        if len(fresh):
            ends = np.divmod(fresh, len(self._texts))
            made = similarities(self._vectors_of(kind), *ends, measure)
            order = np.argsort(np.concatenate([known, fresh]))
            known = np.concatenate([known, fresh])[order]
            values = np.concatenate([values, made])[order]
            self._known[kind] = known, values
        return values[np.searchsorted(known, keys)]

    def _vectors_of(self, kind: tuple[str, str]) -> SparseVectors:
        if kind not in self._vectors:
            measure, weight = kind
            recipe = recipe_of_check(Recipe(views=VIEWS, weight=weight), measure, 3)
            self._vectors[kind] = VectorMaker(recipe)(self._texts)
        return self._vectors[kind]
