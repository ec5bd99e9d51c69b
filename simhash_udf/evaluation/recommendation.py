"""Which setting to take: the most duplicates at the precision that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simhash_udf.evaluation.scoring import Row


@dataclass(frozen=True)
class Advice:
    """A setting and what to know of it.

    Attributes
    ----------
    row
        Position of the setting among the rows; None if there is none to advise.
    sentence
        What it finds, or why there is none.
    """

    row: int | None
    sentence: str


@dataclass(frozen=True)
class Figures:
    """Names of the two figures that a recommendation goes by; ends of intervals, if any, are ``…_low``, ``…_high``.

    What the recall is of is said in the sentences.
    """

    precision: str
    recall: str
    recall_of: str


def recommend(rows: Sequence[Row], target: float, figures: Figures) -> list[Advice]:
    """Choose a setting with the highest recall among those that reach the precision.

    Those whose recall is within the interval of the highest are taken as equal, and the cheapest of them is chosen: the
    one whose join is planned to take the fewest seconds, then without a second look.

    Returns
    -------
    list of Advice
        First the best whose precision reaches the target. If the lower end of its interval does not, then the best
        whose lower end does, for those who want to be sure.
    """
    known = [at for at, row in enumerate(rows) if row.get(figures.precision) is not None]
    best = _best(rows, known, target, figures.precision, figures.recall)
    if best is None:
        return [Advice(None, _none_reached(rows, known, target, figures.precision))]
    advice = [Advice(best, _found(rows[best], figures))]
    low = f"{figures.precision}_low"
    if rows[best].get(low) is None or _value(rows[best], low) >= target:
        return advice
    sure = _best(rows, known, target, low, figures.recall)
    if sure is None:
        nothing = "No setting reaches the target with the whole interval: label more to be sure."
        return [*advice, Advice(None, nothing)]
    return [*advice, Advice(sure, f"With the whole interval above the target: {_found(rows[sure], figures)}")]


def _best(rows: Sequence[Row], known: Sequence[int], target: float, reached_by: str, recall: str) -> int | None:
    reached = [at for at in known if _value(rows[at], reached_by) >= target]
    if not reached:
        return None
    highest = rows[max(reached, key=lambda at: _value(rows[at], recall))]
    enough = highest.get(f"{recall}_low")
    least = _value(highest, recall) if enough is None else float(enough)
    as_good = [at for at in reached if _value(rows[at], recall) >= least]
    return min(as_good, key=lambda at: (*_cost(rows[at]), -_value(rows[at], recall)))


def _found(row: Row, figures: Figures) -> str:
    precision = f"{_value(row, figures.precision):.4f}"
    ends = [row.get(f"{figures.precision}_{end}") for end in ("low", "high")]
    interval = "estimated" if ends[0] is None else f"95 % interval {ends[0]:.4f} to {ends[1]:.4f}"
    recall = f"{_value(row, figures.recall):.3f}"
    return f"{_named(row)}: recall of {figures.recall_of} {recall} at a precision of {precision} ({interval})."


def _none_reached(rows: Sequence[Row], known: Sequence[int], target: float, precision: str) -> str:
    if not known:
        return "No setting could be evaluated."
    nearest = max(known, key=lambda at: _value(rows[at], precision))
    return (
        f"No setting reaches a precision of {target}; the nearest is {_named(rows[nearest])} with "
        f"{_value(rows[nearest], precision):.4f}. Take a second look at the texts (verify), or ask for less."
    )


def _value(row: Row, name: str) -> float:
    return float(row.get(name) or 0.0)


def _cost(row: Row) -> tuple[float, bool]:
    return float(row["join_seconds"] or 0), row["verify"] is not None


def _named(row: Row) -> str:
    names = [name for name in ("views", "weight", "calibration", "verify") if row[name] is not None]
    return ", ".join(f"{name} {row[name]}" for name in names) + f", k = {row['max_distance']}"
