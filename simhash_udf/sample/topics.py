"""The sentences of the sample corpus: ten topics, template pages and very short texts, read from ``text/*.txt``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from simhash_udf.sample.grammar import Template, WordLists, compile_template

TOPICS: Mapping[str, str] = {
    "city": "城市",
    "sports": "体育",
    "tech": "科技",
    "weather": "天气",
    "cooking": "美食",
    "travel": "旅行",
    "farming": "农业",
    "finance": "财经",
    "health": "健康",
    "school": "教育",
}
"""File name of each topic and the word for it in document ids."""


@dataclass(frozen=True)
class Topic:
    """Everything a text about one subject is made of."""

    label: str
    words: WordLists
    titles: tuple[Template, ...]
    openings: tuple[Template, ...]
    body: tuple[Template, ...]
    closings: tuple[Template, ...]


@cache
def load_topic(name: str) -> Topic:
    """Return the topic of that file name, with the word lists that all topics share."""
    sections = read_sections(name)
    return Topic(
        label=TOPICS[name],
        words=shared_words() | parse_words(sections["words"]),
        titles=_compile(sections["title"]),
        openings=_compile(sections["opening"]),
        body=_compile(sections["body"]),
        closings=_compile(sections["closing"]),
    )


@cache
def shared_words() -> dict[str, tuple[Template, ...]]:
    """Return the word lists that every topic may use."""
    return parse_words(read_sections("words")[""])


@cache
def load_general() -> tuple[Template, ...]:
    """Return the sentences that fit into an article of any topic."""
    return _compile(read_sections("general")["body"])


@cache
def load_forms() -> tuple[Template, ...]:
    """Return the template pages, one template of several lines each."""
    return tuple(compile_template(form) for form in "\n".join(_lines("forms")).strip().split("\n\n"))


@cache
def load_short_texts() -> tuple[Template, ...]:
    """Return the very short texts."""
    return _compile(read_sections("short")[""])


def read_sections(name: str) -> dict[str, list[str]]:
    """Return the lines of ``text/NAME.txt`` by their ``[section]``; lines before the first section are under ``""``."""
    sections: dict[str, list[str]] = {"": []}
    section = ""
    for line in filter(None, _lines(name)):
        if line.startswith("["):
            section = line.strip("[]")
            sections[section] = []
        else:
            sections[section].append(line)
    return sections


def parse_words(lines: list[str]) -> dict[str, tuple[Template, ...]]:
    """Return the word lists of lines such as ``city: 云溪 白沙``.

    Examples
    --------
    >>> parse_words(["city: 云溪 白沙"])
    {'city': (('云溪',), ('白沙',))}
    """
    lists = (line.split(": ", 1) for line in lines)
    return {name: _compile(values.split()) for name, values in lists}


def _compile(lines: list[str]) -> tuple[Template, ...]:
    return tuple(compile_template(line) for line in lines)


def _lines(name: str) -> list[str]:
    text = (files("simhash_udf.sample") / "text" / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]
