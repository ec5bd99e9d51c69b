"""Sentence templates with slots, and their filling from a seeded random generator.

A template is a line of text in which ``{…}`` is a slot:

======================  ====================================================================
``{city}``              a word from the list ``city``; the same word everywhere in one text
``{city+}``             a word from the list ``city``, drawn afresh
``{rain|snow|fog}``     one of the alternatives
``{2~30}``              a whole number from 2 to 30
``{1.2~9.8}``           a decimal number with as many places as its bounds have
======================  ====================================================================
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

_SLOT = re.compile(r"\{([^{}]*)\}")
_RANGE = re.compile(r"(\d+(?:\.(\d+))?)~(\d+(?:\.\d+)?)")
_NAME = re.compile(r"([a-z_]+)(\+?)")


@dataclass(frozen=True)
class Word:
    """A slot for a word of the list `name`; `is_fresh` draws again although the text has one already."""

    name: str
    is_fresh: bool


@dataclass(frozen=True)
class Choice:
    """A slot for one of `options`."""

    options: tuple[str, ...]


@dataclass(frozen=True)
class Number:
    """A slot for a number from `low` to `high`, both counted in units of the last of `places` decimal places."""

    low: int
    high: int
    places: int


Part = str | Word | Choice | Number
Template = tuple[Part, ...]
WordLists = Mapping[str, Sequence[Template]]


def compile_template(line: str) -> Template:
    """Return the parts of a line: texts and slots in turn.

    Raises
    ------
    ValueError
        If a slot is none of the forms in the module's table.

    Examples
    --------
    >>> compile_template("{city}有{2~5}座桥")
    (Word(name='city', is_fresh=False), '有', Number(low=2, high=5, places=0), '座桥')
    """
    pieces = _SLOT.split(line)  # texts at even places, slots at odd ones
    parts = [_compile_slot(piece) if at % 2 else piece for at, piece in enumerate(pieces)]
    return tuple(part for part in parts if part != "")


def _compile_slot(slot: str) -> Part:
    if numbers := _RANGE.fullmatch(slot):
        places = len(numbers[2] or "")
        low, high = (round(float(bound) * 10**places) for bound in (numbers[1], numbers[3]))
        return Number(low, high, places)
    if name := _NAME.fullmatch(slot):
        return Word(name[1], bool(name[2]))
    if "|" in slot:
        return Choice(tuple(slot.split("|")))
    raise ValueError(f"{{{slot}}} is no slot; write {{name}}, {{name+}}, {{a|b}} or {{1~9}}")


@dataclass
class Draft:
    """One text in the making: its random generator, its word lists and the words it has used so far.

    Examples
    --------
    >>> draft = Draft(Random(1), {"city": [("云溪",), ("白沙",)]})
    >>> first, again = (draft.fill(compile_template("{city}")) for _ in range(2))
    >>> first == again
    True
    """

    rng: Random
    words: WordLists
    known: dict[str, str] = field(default_factory=dict)

    def fill(self, template: Template) -> str:
        """Return the template with every slot filled."""
        return "".join([part if isinstance(part, str) else self._fill_slot(part) for part in template])

    def _fill_slot(self, slot: Word | Choice | Number) -> str:
        if isinstance(slot, Choice):
            return slot.options[int(self.rng.random() * len(slot.options))]
        if isinstance(slot, Number):
            number = slot.low + int(self.rng.random() * (slot.high - slot.low + 1))
            return f"{number / 10**slot.places:.{slot.places}f}" if slot.places else str(number)
        if not slot.is_fresh and slot.name in self.known:
            return self.known[slot.name]
        choices = self.words[slot.name]
        word = self.fill(choices[int(self.rng.random() * len(choices))])
        if not slot.is_fresh:
            self.known[slot.name] = word
        return word
