"""The figures as one page of HTML that needs nothing but itself."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from jinja2 import Environment, StrictUndefined

from simhash_udf.evaluation.evaluated import Recommended
from simhash_udf.evaluation.scoring import Row

Value = float | int | str | None


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


def render_page(page: Page) -> str:
    """Return the page as HTML; every value is escaped."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["figure"] = show_figure
    template = environment.from_string(_template())
    return template.render(page=page, picture=base64.b64encode(page.picture).decode("ascii"))


def show_figure(value: Value) -> str:
    """Return a value as it is shown: shares with three decimals, counts with separators, nothing as a dash.

    Examples
    --------
    >>> [show_figure(value) for value in (0.98765, 12345, None, "tf", 2.5e7, 0.00004, 1234.5)]
    ['0.988', '12,345', '–', 'tf', '2.5e+07', '4e-05', '1,234']
    """
    if value is None:
        return "–"
    if isinstance(value, float):
        if value == 0 or 0.0005 <= abs(value) < 10:
            return f"{value:.3f}"
        return f"{value:,.0f}" if 10 <= abs(value) < 1e7 else f"{value:.2g}"
    return f"{value:,}" if isinstance(value, int) else value


def _template() -> str:
    return (files(__package__) / "templates" / "evaluation.html").read_text(encoding="utf-8")
