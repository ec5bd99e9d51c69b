"""The figures as one page of HTML that needs nothing but itself."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass

from simhash_udf.evaluation.evaluated import Recommended
from simhash_udf.evaluation.scoring import Row
from simhash_udf.pages.rendering import render_page


@dataclass(frozen=True)
class Column:
    """A column of a table on the page.

    Attributes
    ----------
    title
        What stands above it.
    name
        The figure in it; with ``low`` and ``high`` of that name its interval stands beside it.
    """

    title: str
    name: str


@dataclass(frozen=True)
class Table:
    """A table on the page; the first of its columns names the row."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    note: str = ""


@dataclass(frozen=True)
class Page:
    """What stands on the page.

    Attributes
    ----------
    title
        What was evaluated.
    recommended
        What to take, with its options.
    picture, picture_says
        PNG, and what can be seen on it, for those who cannot see it.
    tables
        In the order of the page.
    chosen
        What the recommended row has under ``at``; it is marked in every table. None without.
    """

    title: str
    recommended: Sequence[Recommended]
    picture: bytes
    picture_says: str
    tables: Sequence[Table]
    chosen: int | None


def render_evaluation(page: Page) -> str:
    """Return the page as HTML; every value is escaped."""
    return render_page("evaluation.html", page=page, picture=base64.b64encode(page.picture).decode("ascii"))
