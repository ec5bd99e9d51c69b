"""Two texts side by side: the words that differ, with what is alike between them cut short."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache

import pyarrow as pa

from simhash_udf.kernel.normalize import normalize
from simhash_udf.kernel.recipe import Normalization
from simhash_udf.kernel.rjieba_engine import RjiebaSegmenter

MOST_WORDS = 2_000
"""Words of each text that are matched, from where the two first differ: half a second where all of them differ."""

MOST_SHOWN = 1_500
"""Characters that are shown of each text."""

CONTEXT = 40
"""Characters that are shown before and after a difference."""

SAME, ONLY, LEFT_OUT = "same", "only", "left-out"

_BLANKS = re.compile(r"(\s+)")
_WORD_PAIR = re.compile(r"[A-Za-z0-9]{2}")


@dataclass(frozen=True)
class Piece:
    """A part of a text: what the other has too, what only this one has, or a count of characters left out."""

    kind: str
    text: str


@dataclass(frozen=True)
class Words:
    """The words of a text with all that is between them, and the form in which each counts; empty for what does not."""

    raw: list[str]
    forms: list[str]
    places: list[int]


def mark_differences(one: str, other: str, options: Normalization) -> tuple[list[Piece], list[Piece]]:
    """Return the pieces of two texts, words that only one of them has marked.

    Words count as they do for fingerprints: normalised; what normalisation takes away never differs.

    Parameters
    ----------
    one, other
        The texts.
    options
        How the run normalised them.

    Examples
    --------
    >>> pieces, _ = mark_differences("The blue house.", "the RED house", Normalization())
    >>> [(piece.kind, piece.text) for piece in pieces]
    [('same', 'The '), ('only', 'blue'), ('same', ' house.')]
    """
    sides = split_words(one, options), split_words(other, options)
    differing = _differing(sides[0].forms, sides[1].forms)
    return _pieces(sides[0], differing[0]), _pieces(sides[1], differing[1])


def first_part(text: str) -> list[Piece]:
    """Return the beginning of a text that is shown alone."""
    return _shortened([Piece(SAME, text)])


def split_words(text: str, options: Normalization) -> Words:
    """Return the words of a text; its raw parts joined are the text."""
    raw = [part for piece in _BLANKS.split(text) if piece for part in _cut(piece)]
    forms = normalize(pa.array(raw, pa.string()), options).to_pylist()
    places = [place for place, form in enumerate(forms) if form.strip()]
    return Words(raw, [forms[place].strip() for place in places], places)


def _cut(piece: str) -> list[str]:
    if piece.isspace():
        return [piece]
    words = _segmenter().precise(piece)
    return words if "".join(words) == piece else [piece]


@cache
def _segmenter() -> RjiebaSegmenter:
    return RjiebaSegmenter()


def _differing(one: Sequence[str], other: Sequence[str]) -> tuple[set[int], set[int]]:
    """Places of the words that differ; beyond `MOST_WORDS` from the first difference none is looked for."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    sides = [side[start : len(side) - end][:MOST_WORDS] for side in (one, other)]
    found: tuple[set[int], set[int]] = (set(), set())
    for kind, a, b, c, d in SequenceMatcher(None, sides[0], sides[1], autojunk=False).get_opcodes():
        if kind != "equal":
            found[0].update(range(start + a, start + b))
            found[1].update(range(start + c, start + d))
    return found


def _pieces(words: Words, differing: set[int]) -> list[Piece]:
    """Raw parts as pieces; what is between two words that differ differs with them."""
    marked = [False] * len(words.raw)
    for number in differing:
        place = words.places[number]
        marked[place] = True
        if number - 1 in differing:
            before = words.places[number - 1]
            marked[before:place] = [True] * (place - before)
    joined: list[Piece] = []
    for text, is_marked in zip(words.raw, marked, strict=True):
        kind = ONLY if is_marked else SAME
        if joined and joined[-1].kind == kind:
            joined[-1] = Piece(kind, joined[-1].text + text)
        else:
            joined.append(Piece(kind, text))
    return _shortened(joined)


def _shortened(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces with the middle of long parts left out, and at most `MOST_SHOWN` characters of all."""
    shown: list[Piece] = []
    room, rest = MOST_SHOWN, 0
    for piece in _with_middles_out(pieces):
        if not room:
            rest += int(piece.text) if piece.kind == LEFT_OUT else len(piece.text)
        elif piece.kind == LEFT_OUT:
            shown.append(piece)
        else:
            shown.append(Piece(piece.kind, piece.text[:room]))
            rest += max(len(piece.text) - room, 0)
            room = max(room - len(piece.text), 0)
    return [*shown, Piece(LEFT_OUT, str(rest))] if rest else shown


def _with_middles_out(pieces: Sequence[Piece]) -> Iterator[Piece]:
    if len(pieces) == 1:
        yield pieces[0]
        return
    for number, piece in enumerate(pieces):
        start = _whole_words(piece.text, CONTEXT, 1) if number else 0
        end = _whole_words(piece.text, -CONTEXT, -1) if number < len(pieces) - 1 else len(piece.text)
        if piece.kind == SAME and end - start > CONTEXT:
            yield Piece(SAME, piece.text[:start])
            yield Piece(LEFT_OUT, str(end - start))
            yield Piece(SAME, piece.text[end:])
        else:
            yield piece


def _whole_words(text: str, place: int, step: int) -> int:
    """The place, from the end if it is negative, moved on until it is not within a word of Latin letters or digits."""
    place = place if place >= 0 else max(len(text) + place, 0)
    while 0 < place < len(text) and _WORD_PAIR.fullmatch(text, place - 1, place + 1):
        place += step
    return place
