"""The outcome of an evaluation, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simhash_udf.evaluation.scoring import Row

SETTING = ("views", "weight", "calibration", "verify")
"""Columns that name a setting, apart from k."""


@dataclass(frozen=True)
class Recommended:
    """A setting that is recommended.

    Attributes
    ----------
    row
        Position among the rows; None where there is none.
    sentence
        What to know of it.
    options
        Its command-line options for the main job; empty without a setting.
    """

    row: int | None
    sentence: str
    options: str


@dataclass(frozen=True)
class Evaluated:
    """What an evaluation found.

    Attributes
    ----------
    rows
        A row of figures for each setting and k.
    edits
        Recall by edit and share; empty where there are labels.
    counts
        What was read and left out, by name.
    recommended
        First what is recommended, then perhaps what is surer.
    target
        Precision that was asked for.
    """

    rows: Sequence[Row]
    edits: Sequence[Row]
    counts: dict[str, int]
    recommended: Sequence[Recommended]
    target: float

    @property
    def chosen(self) -> int | None:
        """Position of the recommended row."""
        return self.recommended[0].row


def name_of(row: Row) -> str:
    """Return a setting in a few words, without k."""
    return " ".join(str(row[name]) for name in SETTING if row[name] is not None)
