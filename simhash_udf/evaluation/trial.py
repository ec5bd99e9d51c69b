"""What a recipe makes of edited documents: how far each copy is from its original."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simhash_udf.evaluation.edits import EDITS, SHARES, Editor
from simhash_udf.evaluation.random_pairs import BITS
from simhash_udf.kernel.bits import popcount
from simhash_udf.kernel.fingerprint import fingerprinter
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.kernel.similarity import VectorMaker, similarities

MEASURES = ("cosine", "jaccard")
COLUMNS = "number long, edit string, share double, distance int, total int, cosine double, jaccard double"
"""Of `try_edits`, as Spark writes them."""

DOCUMENTS_AT_ONCE = 16


@dataclass(frozen=True)
class EditTrial:
    """What is tried.

    Attributes
    ----------
    recipe
        Of the fingerprints.
    checks
        Recipe of each measure of the second look, as `kernel.similarity.recipe_of_check` gives it; may be empty.
    texts
        The sample of documents.
    seed
        Of the edits.
    shares
        Shares of the characters that are edited.
    """

    recipe: Recipe
    checks: dict[str, Recipe]
    texts: tuple[str, ...]
    seed: int
    shares: tuple[float, ...] = SHARES


def try_edits(trial: EditTrial, numbers: list[int]) -> pa.Table:
    """Edit the documents of these numbers in every way and return how far each copy is from its original.

    Returns
    -------
    pyarrow.Table
        As `COLUMNS` says, a row for each document, edit and share: the distance in the nearest view, the sum over the
        views, and the similarity by each measure, null where it is not asked for. A copy without a fingerprint, or of a
        document without one, is at the largest distance.
    """
    editor = Editor(trial.texts, seed=trial.seed)
    makers = {measure: VectorMaker(recipe) for measure, recipe in trial.checks.items()}
    chunks = [numbers[start : start + DOCUMENTS_AT_ONCE] for start in range(0, len(numbers), DOCUMENTS_AT_ONCE)]
    return pa.concat_tables([_try_some(trial, editor, makers, chunk) for chunk in chunks])


def _try_some(trial: EditTrial, editor: Editor, makers: dict[str, VectorMaker], numbers: list[int]) -> pa.Table:
    ways = [(edit, share) for edit in EDITS for share in trial.shares]
    copies = [editor.edit(number, *way) for number in numbers for way in ways]
    texts = pa.array([trial.texts[number] for number in numbers] + copies, pa.string())
    left = np.repeat(np.arange(len(numbers)), len(ways))
    right = len(numbers) + np.arange(len(copies))
    distance, total = _distances(trial.recipe, texts, left, right)
    not_asked = pa.nulls(len(copies), pa.float64())
    alike = {name: similarities(make(texts), left, right, name) for name, make in makers.items()}
    return pa.table(
        {
            "number": np.repeat(np.array(numbers, dtype=np.int64), len(ways)),
            "edit": [edit for edit, _ in ways] * len(numbers),
            "share": [share for _, share in ways] * len(numbers),
            "distance": distance.astype(np.int32),
            "total": total.astype(np.int32),
            **{name: alike.get(name, not_asked) for name in MEASURES},
        }
    )


def _distances(
    recipe: Recipe, texts: pa.Array, left: NDArray[np.int64], right: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    made = fingerprinter(recipe)(texts)
    each = popcount(made.values[left] ^ made.values[right]).astype(np.int64)
    each[~(made.has_value[left] & made.has_value[right])] = BITS
    return each.min(axis=1), each.sum(axis=1)
