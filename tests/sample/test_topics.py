from __future__ import annotations

from collections.abc import Iterator

import pytest

from simhash_udf.sample.grammar import Template, Word, WordLists
from simhash_udf.sample.topics import (
    TOPICS,
    load_forms,
    load_general,
    load_short_texts,
    load_topic,
    shared_words,
)

GIVEN = {"date", "month"}  # words that a text has from its day


def missing_words(templates: tuple[Template, ...], words: WordLists) -> set[str]:
    return {part.name for template in templates for part in template if isinstance(part, Word)} - set(words) - GIVEN


def word_templates(words: WordLists) -> Iterator[Template]:
    for values in words.values():
        yield from values


@pytest.mark.parametrize("name", TOPICS)
def test_every_word_that_a_topic_uses_is_in_a_list(name: str) -> None:
    topic = load_topic(name)
    used = topic.titles + topic.openings + topic.body + topic.closings + load_general()
    assert missing_words((*used, *word_templates(topic.words)), topic.words) == set()


def test_every_word_that_pages_and_short_texts_use_is_shared() -> None:
    assert missing_words(load_forms() + load_short_texts(), shared_words()) == set()


@pytest.mark.parametrize("name", TOPICS)
def test_a_topic_has_enough_sentences_for_different_articles(name: str) -> None:
    topic = load_topic(name)
    assert len(topic.body) >= 29
    assert min(len(part) for part in (topic.titles, topic.openings, topic.closings)) >= 5


def test_no_sentence_is_in_two_topics() -> None:
    sentences = [template for name in TOPICS for template in load_topic(name).body] + list(load_general())
    assert len(set(sentences)) == len(sentences)
