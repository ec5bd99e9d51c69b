"""A corpus with planted duplicates, family by family: an original and what others made of it, or a text that is odd."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, count, islice
from random import Random

from simhash_udf.sample.article import Article, join_articles, start_draft, write_article
from simhash_udf.sample.edits import change_form, edit_heavily, edit_lightly
from simhash_udf.sample.grammar import Draft
from simhash_udf.sample.topics import TOPICS, Topic, load_forms, load_short_texts, load_topic, shared_words

KINDS: dict[str, str] = {
    "original": "an article",
    "exact_copy": "the same text again",
    "other_form": "the same words with other punctuation, width, letter case or spacing",
    "light_edit": "two to four small changes",
    "heavy_edit": "sentences dropped, replaced and moved",
    "template": "a form filled in with other names and numbers: looks alike and is not the same",
    "short": "a few characters",
    "symbols": "punctuation or emoji alone",
    "empty": "no character, or blanks alone",
    "null": "no text",
}
"""What a document was planted as, with its meaning."""

COPY_KINDS = ("exact_copy", "other_form", "light_edit", "heavy_edit")
FAMILY_WEIGHTS = {"article": 0.89, "template": 0.08, "short": 0.015, "symbols": 0.005, "empty": 0.005, "null": 0.005}
COPY_COUNTS = (0,) * 80 + (1,) * 11 + (2,) * 5 + (3,) * 2 + (5, 12)  # of an article, each as likely as the next
ROUND_UP_SHARE = 0.08
LONGEST_ROUND_UP = 1500  # characters
SYMBOLS = "。！？…～★♪😀😂👍🎉🌧🍜—、"
FIRST_DAY, DAYS = datetime.date(2024, 1, 1), 700


@dataclass(frozen=True)
class Document:
    """One row of the sample. `cluster` (None for a null text) and `kind` are the truth that a search has to find."""

    id: str
    text: str | None
    source: str
    published: datetime.date
    cluster: str | None
    kind: str


def generate_documents(num_documents: int, *, seed: int = 0) -> Iterator[Document]:
    """Yield so many documents, in Chinese, the same ones for the same seed.

    A longer corpus begins with the documents of a shorter one. One document takes about 0.1 ms.

    Examples
    --------
    >>> [document.kind for document in generate_documents(3, seed=0)]
    ['original', 'original', 'light_edit']
    """
    return islice(_number_families(seed), num_documents)


def _number_families(seed: int) -> Iterator[Document]:
    members = chain.from_iterable(write_family(seed, family) for family in count(0))
    for number, member in enumerate(members):
        yield Document(f"{member.prefix}{number:07d}", *member.row())


def write_family(seed: int, family: int) -> Iterator[Member]:
    """Yield the documents of one family; they depend on these two numbers alone."""
    rng = Random(f"{seed}/{family}")  # noqa: S311 - text to read, nothing to guess
    return _write_family(rng, f"c{family:07d}")


@dataclass(frozen=True)
class Member:
    """A document that has no number yet: its id is the prefix and the number."""

    label: str
    text: str | None
    source: str
    published: datetime.date
    cluster: str | None
    kind: str

    @property
    def prefix(self) -> str:
        """The id up to the number."""
        return f"{self.source}/{self.label}-"

    def row(self) -> tuple[str | None, str, datetime.date, str | None, str]:
        """Return the fields of a document behind its id."""
        return self.text, self.source, self.published, self.cluster, self.kind


def _write_family(rng: Random, cluster: str) -> Iterator[Member]:
    published = FIRST_DAY + datetime.timedelta(days=rng.randrange(DAYS))
    (kind,) = rng.choices(tuple(FAMILY_WEIGHTS), tuple(FAMILY_WEIGHTS.values()))
    if kind == "article":
        yield from _write_article_family(rng, cluster, published)
    elif kind == "template":
        text = _page_draft(rng, published).fill(rng.choice(load_forms()))
        yield Member("页面", text, "board", published, cluster, kind)
    elif kind == "null":
        yield Member("短文", None, "forum", published, None, kind)
    else:
        text = _ODD_TEXTS[kind](rng, published)
        yield Member("短文", text, "forum", published, _cluster_of(text), kind)


def _write_article_family(rng: Random, cluster: str, published: datetime.date) -> Iterator[Member]:
    article = _write_original(rng, published)
    label, text = article.topic.label, article.text()
    yield Member(label, text, rng.choice(("news", "news", "blog", "portal")), published, cluster, "original")
    for _ in range(rng.choice(COPY_COUNTS)):
        (kind,) = rng.choices(COPY_KINDS, (3, 2, 4, 2))
        day = published + datetime.timedelta(days=rng.randrange(60))
        copy = _copy_text(rng, kind, article, day)
        yield Member(label, copy, rng.choice(("blog", "portal", "portal", "forum")), day, cluster, kind)


def _write_original(rng: Random, published: datetime.date) -> Article:
    article = write_article(rng, _draw_topic(rng), published)
    if rng.random() < ROUND_UP_SHARE:
        joined = join_articles(article, write_article(rng, _draw_topic(rng), published))
        return joined if len(joined.text()) <= LONGEST_ROUND_UP else article
    return article


def _draw_topic(rng: Random) -> Topic:
    return load_topic(rng.choice(tuple(TOPICS)))


def _copy_text(rng: Random, kind: str, article: Article, day: datetime.date) -> str:
    text = article.text()
    if kind == "exact_copy":
        return text
    if kind == "other_form":
        return change_form(rng, text)
    if kind == "light_edit":
        return edit_lightly(rng, text)
    return edit_heavily(rng, article, start_draft(rng, article.topic, day)).text()


def _page_draft(rng: Random, published: datetime.date) -> Draft:
    known = {"date": f"{published.year}年{published.month}月{published.day}日", "month": f"{published.month}月"}
    return Draft(rng, shared_words(), known)


def _write_short_text(rng: Random, published: datetime.date) -> str:
    return _page_draft(rng, published).fill(rng.choice(load_short_texts()))


def _write_symbols(rng: Random, _: datetime.date) -> str:
    return "".join(rng.choices(SYMBOLS, k=rng.randint(1, 12)))


def _write_blanks(rng: Random, _: datetime.date) -> str:
    return rng.choice(("", "", " ", "\n", "　　"))


_ODD_TEXTS: dict[str, Callable[[Random, datetime.date], str]] = {
    "short": _write_short_text,
    "symbols": _write_symbols,
    "empty": _write_blanks,
}


def _cluster_of(text: str) -> str:
    """Texts of a few characters are the same document exactly if they are the same text; blanks count as nothing."""
    return "t" + hashlib.md5(text.strip().encode(), usedforsecurity=False).hexdigest()[:12]
