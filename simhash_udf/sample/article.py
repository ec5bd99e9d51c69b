"""Articles: a title and paragraphs of sentences, drawn from one topic or, for a round-up, from two."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from simhash_udf.sample.grammar import Draft
from simhash_udf.sample.topics import Topic, load_general

SHORTEST, USUAL, LONGEST = 320, 450, 900  # characters of a text about one topic
GENERAL_SHARE = 0.2  # of the sentences, those that are not about the topic


@dataclass(frozen=True)
class Article:
    """A text with its sentences still apart, so that an editor can move them."""

    topic: Topic
    title: str
    sentences: tuple[str, ...]
    paragraph_ends: frozenset[int]

    def text(self) -> str:
        """Return the title and the paragraphs, one a line."""
        lines = [self.title, ""]
        for at, sentence in enumerate(self.sentences):
            lines[-1] += sentence
            if at in self.paragraph_ends:
                lines.append("")
        return "\n".join(filter(None, lines))


def start_draft(rng: Random, topic: Topic, published: datetime.date) -> Draft:
    """Return a draft for a text of that day: its date and its month are known words."""
    known = {"date": f"{published.month}月{published.day}日", "month": f"{published.month}月"}
    return Draft(rng, topic.words, known)


def write_article(rng: Random, topic: Topic, published: datetime.date) -> Article:
    """Return an article about one topic, 300 to 1,000 characters."""
    draft = start_draft(rng, topic, published)
    title, opening, closing = (draft.fill(rng.choice(part)) for part in (topic.titles, topic.openings, topic.closings))
    target = rng.triangular(SHORTEST, LONGEST, USUAL)
    sentences, length = [opening], len(title) + len(opening) + len(closing)
    for sentence in _body_sentences(draft, topic):
        if length >= target:
            break
        sentences.append(sentence)
        length += len(sentence)
    return Article(topic, title, (*sentences, closing), cut_paragraphs(rng, len(sentences) + 1))


def _body_sentences(draft: Draft, topic: Topic) -> Iterator[str]:
    """Yield every body sentence of the topic once, in random order, with general ones in between."""
    general = iter(draft.rng.sample(load_general(), len(load_general())))
    for template in draft.rng.sample(topic.body, len(topic.body)):
        yield draft.fill(template)
        if draft.rng.random() < GENERAL_SHARE:
            yield from (draft.fill(extra) for extra in [next(general, None)] if extra)


def join_articles(first: Article, second: Article) -> Article:
    """Return a round-up: the two articles one after the other under both titles."""
    shift = len(first.sentences)
    ends = first.paragraph_ends | {shift - 1} | {end + shift for end in second.paragraph_ends}
    return Article(first.topic, f"{first.title}；{second.title}", first.sentences + second.sentences, ends)


def cut_paragraphs(rng: Random, sentence_count: int) -> frozenset[int]:
    """Return the places of the sentences that end a paragraph of two to four sentences; the last may have fewer."""
    ends: list[int] = []
    while not ends or ends[-1] < sentence_count:
        ends.append((ends[-1] if ends else -1) + rng.randint(2, 4))
    return frozenset(ends[:-1])
