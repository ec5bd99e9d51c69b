from __future__ import annotations

import datetime
from random import Random

import pytest

from simhash_udf.sample.article import Article, cut_paragraphs, join_articles, write_article
from simhash_udf.sample.topics import TOPICS, load_topic

DAY = datetime.date(2025, 3, 14)


def article(seed: int, topic: str = "city") -> Article:
    return write_article(Random(seed), load_topic(topic), DAY)


@pytest.mark.parametrize("topic", TOPICS)
def test_an_article_has_300_to_1100_characters_and_no_slot_left(topic: str) -> None:
    texts = [article(seed, topic).text() for seed in range(30)]
    assert all(300 <= len(text) <= 1100 for text in texts)
    assert not any(mark in text for text in texts for mark in "{}|~")


def test_the_same_seed_gives_the_same_article_and_another_seed_another() -> None:
    assert article(1) == article(1)
    assert article(1).text() != article(2).text()


def test_the_text_has_every_sentence_once_in_order() -> None:
    written = article(3)
    assert "".join(written.text().splitlines()) == written.title + "".join(written.sentences)


def test_a_round_up_holds_both_articles_paragraph_by_paragraph() -> None:
    first, second = article(4), article(5, "sports")
    lines = join_articles(first, second).text().splitlines()
    assert lines[1:] == first.text().splitlines()[1:] + second.text().splitlines()[1:]


def test_paragraphs_have_two_to_four_sentences() -> None:
    for seed in range(50):
        ends = sorted(cut_paragraphs(Random(seed), 12))
        assert {end - before for before, end in zip([-1, *ends], ends, strict=False)} <= {2, 3, 4}
        assert 7 <= ends[-1] < 12
