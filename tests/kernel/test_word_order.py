"""Order of words: invisible to a bag of words, visible to n-grams."""

from __future__ import annotations

import pyarrow as pa
import pytest

from simhash_udf.kernel.fingerprint import Fingerprinter
from simhash_udf.kernel.recipe import Recipe, View

TURNED = pa.array(["猫追老鼠", "老鼠追猫"])


@pytest.mark.parametrize("engine", ["rjieba", "jieba"])
def test_turned_words_are_equal_as_a_bag_and_differ_as_pairs(engine: str) -> None:
    bag = Fingerprinter(Recipe(engine=engine))(TURNED).values[:, 0].tolist()
    pairs = Fingerprinter(Recipe(engine=engine, ngram=(2,)))(TURNED).values[:, 0].tolist()
    mixed = Fingerprinter(Recipe(engine=engine, ngram=(1, 2)))(TURNED).values[:, 0].tolist()
    assert bag[0] == bag[1]
    assert pairs[0] != pairs[1]
    assert mixed[0] != mixed[1]


@pytest.mark.parametrize("view", [View("jieba"), View("char")])
def test_a_text_shorter_than_n_still_has_a_fingerprint_of_its_own(view: View) -> None:
    made = Fingerprinter(Recipe(views=(view,), ngram=(5,)))(pa.array(["桥", "船", "桥"]))
    assert made.has_value.all()
    first, second, third = made.values[:, 0].tolist()
    assert first == third != second
