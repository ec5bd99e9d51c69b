"""Edited documents against fingerprints and similarities computed one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest

from simhash_udf.evaluation.edit_recall import ALL_EDITS, read_trials, recall_by_edit, recall_of_edits
from simhash_udf.evaluation.edits import EDITS, SHARES, Editor
from simhash_udf.evaluation.limits import Limits
from simhash_udf.evaluation.trial import EditTrial, try_edits
from simhash_udf.kernel.fingerprint import Fingerprinter
from simhash_udf.kernel.recipe import Recipe, View
from simhash_udf.kernel.similarity import VectorMaker, recipe_of_check, similarities
from simhash_udf.sample import generate_documents

TEXTS = tuple(d.text for d in generate_documents(120, seed=3) if d.text and len(d.text) > 300)[:40]
RECIPE = Recipe(views=(View("jieba"), View("char")))
CHECK = recipe_of_check(RECIPE, "jaccard", 3)
TRIAL = EditTrial(RECIPE, {"jaccard": CHECK}, TEXTS, seed=2, shares=(0.0, *SHARES))


@pytest.fixture(scope="module")
def table() -> pa.Table:
    parts = [try_edits(TRIAL, list(range(start, start + 20))) for start in (20, 0)]  # tasks end in any order
    return pa.concat_tables(parts)


def test_distances_and_similarities_are_those_of_each_pair(table: pa.Table) -> None:
    editor, make = Editor(TEXTS, seed=2), Fingerprinter(RECIPE)
    for row in table.slice(3, 200).to_pylist()[::17]:
        edited = editor.edit(row["number"], row["edit"], row["share"])
        pair = pa.array([TEXTS[row["number"]], edited])
        one, other = make(pair).values.tolist()
        distances = [(a ^ b).bit_count() for a, b in zip(one, other, strict=True)]
        assert (row["distance"], row["total"]) == (min(distances), sum(distances))
        alike = similarities(VectorMaker(CHECK)(pair), np.array([0]), np.array([1]), "jaccard")
        assert row["jaccard"] == alike[0]
        assert row["cosine"] is None


def test_recall_is_1_without_an_edit_and_falls_with_the_share(table: pa.Table) -> None:
    trials = read_trials(table)
    assert trials.distance.shape == (len(TEXTS), len(EDITS), len(SHARES) + 1)
    found = trials.are_found(Limits(3, 16))
    rows = recall_by_edit(found, trials.shares, resamples=50, seed=0)
    for edit in (*EDITS, ALL_EDITS):
        recalls = [float(row["recall"] or 0) for row in rows if row["edit"] == edit]
        assert recalls[0] == 1.0
        if edit != "reorder":  # single tokens know no order
            one_document = 1 / len(TEXTS)  # a larger edit may by chance take a bit back
            assert all(later <= earlier + one_document for earlier, later in itertools.pairwise(recalls))
            assert recalls[-1] < 0.5
    assert all(row["recall_low"] <= row["recall"] <= row["recall_high"] for row in rows)  # type: ignore[operator]


def test_a_check_and_a_smaller_k_find_no_more(table: pa.Table) -> None:
    trials = read_trials(table)
    base = trials.are_found(Limits(4, 32))
    assert not (trials.are_found(Limits(3, 32)) & ~base).any()
    checked = trials.are_found(Limits(4, 32, "jaccard", 0.7))
    assert not (checked & ~base).any()
    assert checked.sum() < base.sum()
    recall = recall_of_edits(base, resamples=50, seed=0)
    assert recall["recall"] == pytest.approx(base.mean())


def test_a_text_without_a_word_is_never_found() -> None:
    trial = EditTrial(Recipe(), {}, ("。。。！", "有词的文本在这里。"), seed=0, shares=(0.1,))
    rows = try_edits(trial, [0, 1]).to_pylist()
    assert {row["distance"] for row in rows if row["number"] == 0} == {64}
    assert rows[0]["jaccard"] is None
