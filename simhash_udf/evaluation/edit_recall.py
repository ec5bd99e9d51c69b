"""How many edited copies are found, by kind and share of the edit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simhash_udf.evaluation.bootstrap import mean_interval
from simhash_udf.evaluation.edits import EDITS
from simhash_udf.evaluation.limits import Limits
from simhash_udf.evaluation.scoring import Row
from simhash_udf.evaluation.trial import MEASURES

ALL_EDITS = "all"


@dataclass(frozen=True)
class EditDistances:
    """How far edited copies are from their originals, as arrays of documents × edits × shares.

    Attributes
    ----------
    shares
        Shares of the characters, ascending.
    distance, total
        In the nearest view, and the sum over the views.
    similarity
        By measure.
    """

    shares: tuple[float, ...]
    distance: NDArray[np.int64]
    total: NDArray[np.int64]
    similarity: dict[str, NDArray[np.float64]]

    def are_found(self, limits: Limits) -> NDArray[np.bool_]:
        """Say which copies are found within the limits."""
        found = (self.distance <= limits.max_distance) & (self.total <= limits.max_total_distance)
        if limits.measure is None or limits.min_similarity is None:
            return found
        return np.asarray(found & (self.similarity[limits.measure] >= limits.min_similarity))


def read_trials(table: pa.Table) -> EditDistances:
    """Return the distances in the rows of `trial.try_edits`, in any order."""
    shares = tuple(np.unique(table["share"].to_numpy()).tolist())
    edits = np.array([EDITS.index(edit) for edit in table["edit"].to_pylist()])
    order = np.lexsort((table["share"].to_numpy(), edits, table["number"].to_numpy()))
    shape = (-1, len(EDITS), len(shares))

    def cube(name: str) -> NDArray[np.float64]:
        return np.asarray(table[name].to_numpy(zero_copy_only=False)[order].reshape(shape))

    similarity = {name: cube(name) for name in MEASURES if table[name].null_count < len(table)}
    return EditDistances(shares, cube("distance").astype(np.int64), cube("total").astype(np.int64), similarity)


def recall_of_edits(found: NDArray[np.bool_], *, resamples: int, seed: int) -> Row:
    """Return ``recall`` over all edits and shares, with its interval; documents are what is drawn again."""
    low, high = mean_interval(found.mean(axis=(1, 2)), draws=resamples, seed=seed)
    return {"recall": float(found.mean()), "recall_low": low, "recall_high": high}


def recall_by_edit(found: NDArray[np.bool_], shares: tuple[float, ...], *, resamples: int, seed: int) -> list[Row]:
    """Return a row for each edit and share, and for all edits together: ``edit, share, recall`` and its interval."""
    rows: list[Row] = []
    for at, edit in enumerate((*EDITS, ALL_EDITS)):
        of_edit = found.mean(axis=1) if edit == ALL_EDITS else found[:, at].astype(np.float64)
        for column, share in enumerate(shares):
            low, high = mean_interval(of_edit[:, column], draws=resamples, seed=seed)
            recall = float(of_edit[:, column].mean())
            rows.append({"edit": edit, "share": share, "recall": recall, "recall_low": low, "recall_high": high})
    return rows
