"""The findings as lines for a terminal; Chinese characters are two columns wide."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from simhash_udf.sample.corpus import COPY_KINDS, KINDS
from simhash_udf.sample.findings import (
    Corpus,
    Pair,
    Row,
    found_by_kind,
    precision_and_recall,
    wrong_by_kind,
)

WIDTH = 40  # columns of an excerpt; two of them fit beside each other
EXCERPT_LINES = 4
LEAD = 12  # characters before the first difference


def show_counts(counts: Mapping[str, int], seconds: float) -> Iterator[str]:
    """Yield the counts of the report, and how long the run took."""
    yield f"{counts['documents']:>8,}  documents"
    yield f"{counts['null_texts']:>8,}  set aside: no text"
    yield f"{counts['groups']:>8,}  groups of two or more, {counts['members']:,} documents in them"
    yield f"{counts['removed']:>8,}  removed: one document of each group is kept"
    yield f"{seconds:>8,.1f}  seconds"


def show_kinds(corpus: Corpus) -> Iterator[str]:
    """Yield a line for each kind of document: planted and found, or planted and wrongly grouped."""
    found, wrong = found_by_kind(corpus), wrong_by_kind(corpus)
    for kind in COPY_KINDS:
        planted, right = found.get(kind, (0, 0))
        yield f"{kind:<11} {right:>6,} of {planted:>6,} found            {KINDS[kind]}"
    for kind in ("original", "template"):
        planted = sum(row["kind"] == kind for row in corpus.documents.values())
        yield f"{kind:<11} {wrong.get(kind, 0):>6,} of {planted:>6,} wrongly grouped  {KINDS[kind]}"
    precision, recall = precision_and_recall(corpus)
    yield f"over all pairs of documents: precision {precision:.3f}, recall {recall:.3f}"


def show_groups(corpus: Corpus, pairs: Iterable[Pair]) -> Iterator[str]:
    """Yield the kept text and its farthest duplicate of each group side by side, from just before they first differ."""
    for kept, other in pairs:
        yield f"{kept['group_size']} documents; the farthest differs in {other['distance']} of 64 bits"
        yield from _beside(f"kept: {kept['doc_id']}", f"duplicate: {other['doc_id']}")
        yield from _beside(*_excerpts(corpus, kept, other))
        yield ""


def _excerpts(corpus: Corpus, first: Row, second: Row) -> tuple[str, str]:
    texts = [_one_line(corpus.documents[row["doc_id"]]["text"]) for row in (first, second)]
    pairs = enumerate(zip(*texts, strict=False))
    differs = next((at for at, (left, right) in pairs if left != right), min(map(len, texts)))
    start = max(differs - LEAD, 0)
    lead = "…" if start else ""
    return lead + texts[0][start:], lead + texts[1][start:]


def _one_line(text: Any) -> str:
    return " ".join(str(text).split())


def _beside(left: str, right: str) -> Iterator[str]:
    lines = zip(_wrap(left), _wrap(right), strict=True)
    for first, second in lines:
        if first or second:
            yield f"    {first}{' ' * (WIDTH - columns(first))} | {second}"


def _wrap(text: str) -> list[str]:
    """The first `EXCERPT_LINES` lines of the text, each at most `WIDTH` columns wide."""
    lines = [""]
    for character in text:
        if columns(lines[-1]) + columns(character) > WIDTH:
            if len(lines) == EXCERPT_LINES:
                break
            lines.append("")
        lines[-1] += character
    return lines + [""] * (EXCERPT_LINES - len(lines))


def columns(text: str) -> int:
    """Return the terminal columns that a text takes.

    Examples
    --------
    >>> columns("k = 3，城市")
    11
    """
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
