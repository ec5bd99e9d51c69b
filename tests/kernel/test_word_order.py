"""Order of words: invisible to a bag of words, visible to n-grams."""

from __future__ import annotations

import pyarrow as pa
import pytest

from simhash_udf.kernel.fingerprint import Fingerprinter
from simhash_udf.kernel.recipe import Recipe, View

# jieba's model for unknown words takes 追猫 for one word, so the blanks matter to it
TURNED = {"jieba": ["猫 追 老鼠", "老鼠 追 猫"], "word": ["猫 追 老鼠", "老鼠 追 猫"], "char": ["猫追老鼠", "老鼠追猫"]}


@pytest.mark.parametrize("tokenizer", TURNED)
def test_turned_words_are_equal_as_a_bag_and_differ_as_pairs(tokenizer: str) -> None:
    texts, views = pa.array(TURNED[tokenizer]), (View(tokenizer),)
    bag = Fingerprinter(Recipe(views=views))(texts).values[:, 0].tolist()
    pairs = Fingerprinter(Recipe(views=views, ngram=(2,)))(texts).values[:, 0].tolist()
    mixed = Fingerprinter(Recipe(views=views, ngram=(1, 2)))(texts).values[:, 0].tolist()
    assert bag[0] == bag[1]
    assert pairs[0] != pairs[1]
    assert mixed[0] != mixed[1]


@pytest.mark.parametrize("view", [View("jieba"), View("char")])
def test_a_text_shorter_than_n_still_has_a_fingerprint_of_its_own(view: View) -> None:
    made = Fingerprinter(Recipe(views=(view,), ngram=(5,)))(pa.array(["桥", "船", "桥"]))
    assert made.has_value.all()
    first, second, third = made.values[:, 0].tolist()
    assert first == third != second
