from __future__ import annotations

import datetime
import difflib
import unicodedata
from random import Random

import pytest

from simhash_udf.sample.article import Article, start_draft, write_article
from simhash_udf.sample.edits import change_form, edit_heavily, edit_lightly
from simhash_udf.sample.topics import TOPICS, load_topic

DAY = datetime.date(2025, 3, 14)
SEEDS = range(25)


def article(seed: int) -> Article:
    topic = load_topic(tuple(TOPICS)[seed % len(TOPICS)])
    return write_article(Random(seed), topic, DAY)


def letters(text: str) -> list[str]:
    """Runs of letters, digits and marks after NFKC and lower case: what normalisation keeps."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in folded).split()


def jaccard(first: str, second: str) -> float:
    grams = [{text[at : at + 5] for at in range(len(text) - 4)} for text in (first, second)]
    return len(grams[0] & grams[1]) / len(grams[0] | grams[1])


def shared(first: str, second: str) -> float:
    return difflib.SequenceMatcher(None, first, second, autojunk=False).ratio()


@pytest.mark.parametrize("seed", SEEDS)
def test_another_form_has_the_same_words_and_another_text(seed: int) -> None:
    text = article(seed).text()
    changed = change_form(Random(seed), text)
    assert changed != text
    assert letters(changed) == letters(text)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_light_edit_changes_the_words_a_little(seed: int) -> None:
    text = article(seed).text()
    edited = edit_lightly(Random(seed), text)
    assert letters(edited) != letters(text)
    assert shared(text, edited) > 0.9


@pytest.mark.parametrize("seed", SEEDS)
def test_a_heavy_edit_keeps_a_good_part_and_changes_a_good_part(seed: int) -> None:
    original = article(seed)
    draft = start_draft(Random(seed), original.topic, DAY)
    edited = edit_heavily(Random(seed), original, draft)
    assert set(original.sentences) & set(edited.sentences)
    assert 0.3 < jaccard(original.text(), edited.text()) < 0.95
