"""How figures are written on a page."""

from __future__ import annotations

Value = float | int | str | None

_LONGEST_NAME = 160
_MINUTE, _HOUR = 60, 3600


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


def show_share(part: float, whole: float) -> str:
    """Return a part as a percentage that is 0 % or 100 % only if it is nothing or all.

    Examples
    --------
    >>> [show_share(part, 10_000) for part in (0, 1, 2345, 9_999, 10_000)], show_share(0, 0)
    (['0 %', '< 0.1 %', '23.4 %', '> 99.9 %', '100 %'], '–')
    """
    if not whole:
        return "–"
    percent = 100 * part / whole
    if percent in {0, 100}:
        return f"{percent:.0f} %"
    if percent < 0.1:
        return "< 0.1 %"
    return "> 99.9 %" if percent > 99.9 else f"{percent:.1f} %"


def show_seconds(seconds: float | None) -> str:
    """Return a duration in the units that a person would use.

    Examples
    --------
    >>> [show_seconds(seconds) for seconds in (None, 0.04, 7.25, 83, 7384)]
    ['–', '0.04 s', '7.2 s', '1 min 23 s', '2 h 3 min']
    """
    if seconds is None:
        return "–"
    if seconds < 1:
        return f"{seconds:.2g} s"
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"


def show_name(name: object) -> str:
    """Return a name of the user's, the middle of a long one left out.

    Examples
    --------
    >>> show_name("p-17"), len(show_name("x" * 10_000))
    ('p-17', 161)
    """
    text = str(name)
    half = _LONGEST_NAME // 2
    return text if len(text) <= _LONGEST_NAME else f"{text[:half]}…{text[-half:]}"
