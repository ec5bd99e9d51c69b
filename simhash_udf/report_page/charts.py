"""Histograms as columns with their places, ready to be drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 360, 190
"""Size of a chart in its own units: as wide as a phone, so that its writing stays readable there."""

_TOP, _BOTTOM = 22, 24  # room for the counts above and the labels below
_MOST_LABELS = 14
_FEW_COUNTS = 9  # up to so many columns have room for their counts
_THOUSAND = 1_000


@dataclass(frozen=True)
class Column:
    """A column: its place and size, its label and count, whether they are written, and what it says as a sentence."""

    x: float
    y: float
    width: float
    height: float
    label: str
    count: int
    is_labelled: bool
    is_counted: bool


@dataclass(frozen=True)
class Chart:
    """A histogram.

    Attributes
    ----------
    title, says
        What it shows, and the same for those who cannot see it.
    columns
        From left to right.
    unit
        What its labels are.
    """

    title: str
    says: str
    columns: Sequence[Column]
    unit: str
    width: int = WIDTH
    height: int = HEIGHT
    floor: int = HEIGHT - _BOTTOM


def draw_chart(title: str, counts: Mapping[str, int], *, unit: str) -> Chart:
    """Return the histogram of ordered buckets; the tallest column fills the height.

    Examples
    --------
    >>> chart = draw_chart("Distances", {"0": 10, "1": 5}, unit="bits")
    >>> [(column.label, column.height) for column in chart.columns]
    [('0', 144.0), ('1', 72.0)]
    """
    most = max(counts.values(), default=0)
    room = HEIGHT - _TOP - _BOTTOM
    step = WIDTH / max(len(counts), 6)
    one_in = -(-len(counts) // _MOST_LABELS)
    columns = []
    for number, (label, count) in enumerate(counts.items()):
        height = max(round(room * count / most, 1), 1.5 if count else 0.0) if most else 0.0
        x = round((number + 0.1) * step, 1)
        is_counted = count > 0 and (len(counts) <= _FEW_COUNTS or count == most)
        place = (x, round(HEIGHT - _BOTTOM - height, 1), round(0.8 * step, 1), height)
        columns.append(Column(*place, label, count, number % one_in == 0, is_counted))
    told = ", ".join(f"{label}: {count:,}" for label, count in counts.items())
    return Chart(title, f"{title}, by {unit}. {told}", columns, unit)


def size_buckets(sizes: Mapping[str, int]) -> dict[str, int]:
    """Return counts by powers of two with the sizes that each bucket holds.

    Examples
    --------
    >>> size_buckets({"2": 7, "8": 1})
    {'2–3': 7, '4–7': 0, '8–15': 1}
    """
    powers = [int(size).bit_length() - 1 for size in sizes]
    buckets = range(min(powers, default=1), max(powers, default=0) + 1)
    return {f"{_short(2**power)}–{_short(2 ** (power + 1) - 1)}": sizes.get(str(2**power), 0) for power in buckets}


def whole_buckets(counts: Mapping[str, int]) -> dict[str, int]:
    """Return counts by whole numbers from 0 on, with those between that have none.

    Examples
    --------
    >>> whole_buckets({"0": 3, "2": 1})
    {'0': 3, '1': 0, '2': 1}
    """
    known = {int(bucket): count for bucket, count in counts.items() if bucket != "None"}
    return {str(bucket): known.get(bucket, 0) for bucket in range(max(known, default=-1) + 1)}


def short_count(count: int) -> str:
    """Return a count in few characters.

    Examples
    --------
    >>> [short_count(count) for count in (0, 999, 1_250, 48_300, 2_000_000)]
    ['0', '999', '1.2k', '48k', '2M']
    """
    return _short(count)


def _short(count: int) -> str:
    for power, letter in ((3, "B"), (2, "M"), (1, "k")):
        size = _THOUSAND**power
        if count >= size:
            number = f"{count / size:.1f}" if count < 10 * size else f"{count // size}"
            return number.removesuffix(".0") + letter
    return str(count)
