"""What all adapters share: command line, reading, tokens, groups from pairs, writing. Needs pyarrow alone."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

NOT_WORD = re.compile(r"\W+")
CHUNK = 2000  # documents whose tokens are in memory at a time


def run(find: Callable[[argparse.Namespace], Sequence[int]]) -> None:
    """Parse the command line, let `find` give each document a group number, and write ``id, group``."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--input", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="a directory for what the peer writes on its way")
    parser.add_argument("--setting", type=json.loads, default={})
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    groups = pa.array(find(options), pa.int64())
    ids = pq.read_table(options.input, columns=["id"])["id"]
    pq.write_table(pa.table({"id": ids, "group": groups}), options.output)


def read_texts(options: argparse.Namespace) -> list[str]:
    """Return the texts of the input in its order."""
    texts: list[str] = pq.read_table(options.input, columns=["text"])["text"].to_pylist()
    return texts


def split(text: str, kind: str) -> list[str]:
    """Return the tokens of a text: ``char5`` for 5-grams of characters, ``jieba`` for words, ``jieba3`` for 3-grams."""
    size = int(kind.lstrip("abcdefghijklmnopqrstuvwxyz") or 1)
    if kind.startswith("char"):
        characters = NOT_WORD.sub("", text.lower())
        return [characters[at : at + size] for at in range(max(len(characters) - size + 1, 1))]
    words = segment(text)
    return [" ".join(words[at : at + size]) for at in range(max(len(words) - size + 1, 1))]


def segment(text: str) -> list[str]:
    """Return jieba's words without punctuation."""
    import jieba  # noqa: PLC0415 - only where words are asked for

    jieba.setLogLevel("ERROR")
    return [word for word in jieba.lcut(NOT_WORD.sub(" ", text.lower())) if word != " "]


def chunks(texts: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield ``(number of the first, texts)`` until all are out."""
    for start in range(0, len(texts), CHUNK):
        yield start, texts[start : start + CHUNK]


def components(count: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Return the smallest document of each document's connected component."""
    parents = list(range(count))
    for left, right in pairs:
        first, second = find_root(parents, left), find_root(parents, right)
        parents[max(first, second)] = min(first, second)
    return [find_root(parents, document) for document in range(count)]


def find_root(parents: list[int], document: int) -> int:
    while parents[document] != document:
        parents[document] = parents[parents[document]]
        document = parents[document]
    return document
