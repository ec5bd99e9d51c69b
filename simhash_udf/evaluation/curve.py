"""The figures as a picture (PNG): precision against recall, or recall of edits and false pairs to expect."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from simhash_udf.evaluation.edits import EDITS
from simhash_udf.evaluation.scoring import Row

MARKERS = "osD^vPX*<>"
STYLES = ("-", "--", ":")
PRECISION_TICKS = (0, 0.5, 0.9, 0.97, 0.99, 0.997, 0.999, 1)
FEW_LINES = 4
"""Up to so many lines each point has its k beside it; of more only those of the recommended line."""

DOTS_PER_INCH = 120

Series = dict[str, list[Row]]


def draw_precision_recall(series: Series, *, target: float, chosen: Row | None) -> bytes:
    """Return the curves of groups and of edges: a line for each recipe and check, a point for each k.

    Parameters
    ----------
    series
        Rows that were scored, in the order of k, by the name of the line.
    target
        Precision that is asked for, a dashed line.
    chosen
        The recommended row, marked with a ring.
    """
    figure = Figure(figsize=(11, 5.5 + 0.22 * len(series)), layout="constrained")
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    for panel, kind, title in zip(panels, ("groups", "edges"), ("Groups", "Edges alone"), strict=True):
        for at, (name, rows) in enumerate(series.items()):
            _draw_line(panel, rows, kind, name, at)
            if len(series) <= FEW_LINES or any(row is chosen for row in rows):
                _name_points(panel, rows, kind)
        panel.axhline(target, color="0.4", linestyle="--", linewidth=1, label=f"target precision {target}")
        if chosen is not None and kind == "groups":
            panel.plot(
                chosen["groups_recall"],
                chosen["groups_precision"],
                "o",
                ms=15,
                mfc="none",
                mec="black",
                label="recommended",
            )
        # what matters is how few pairs are wrong, so .9, .99 and .999 are equally far apart
        panel.set_yscale("function", functions=(_to_height, _to_precision))
        panel.set_yticks(PRECISION_TICKS, [str(tick) for tick in PRECISION_TICKS])
        panel.set(title=title, xlabel="recall", xlim=(-0.02, 1.02), ylim=_heights(series, target))
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("precision")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=8, frameon=False)
    return _png(figure)


def draw_edits(edits: Sequence[Row], series: Series, *, shown: str) -> bytes:
    """Return recall by share of each edit, a line for each k, and the false pairs to expect by k.

    Parameters
    ----------
    edits
        Rows ``edit, share, recall, max_distance`` of one recipe and check.
    series
        Rows of every recipe without a check, in the order of k, by the name of the line.
    shown
        Name of the recipe and check of ``edits``.
    """
    figure = Figure(figsize=(11, 8.5), layout="constrained")
    grid = figure.add_gridspec(2, len(EDITS))
    first = None
    for at, edit in enumerate(EDITS):
        panel = figure.add_subplot(grid[0, at], sharey=first)
        first = first or panel
        _draw_recall(panel, [row for row in edits if row["edit"] == edit])
        panel.set(title=edit, xlabel="characters edited, %", ylim=(-0.02, 1.04))
        panel.grid(alpha=0.3)
    if first is not None:
        first.set_ylabel(f"recall\n{shown}")
        figure.legend(*first.get_legend_handles_labels(), title="k", loc="outside right upper", fontsize=8)
    below = figure.add_subplot(grid[1, :])
    for at, (name, rows) in enumerate(series.items()):
        points = [(row["max_distance"], row["false_pairs_per_1000"]) for row in rows]
        below.plot(*zip(*points, strict=True), marker=MARKERS[at % len(MARKERS)], label=name)
    below.set(title="False pairs to expect for 1,000 documents of the whole corpus", xlabel="k", yscale="log")
    below.grid(alpha=0.3)
    below.legend(fontsize=8)
    return _png(figure)


def _draw_line(panel: Any, rows: Sequence[Row], kind: str, name: str, at: int) -> None:
    x = [float(row[f"{kind}_recall"] or 0) for row in rows]
    y = [float(row[f"{kind}_precision"] or 0) for row in rows]
    style = STYLES[at // len(MARKERS) % len(STYLES)]
    panel.plot(x, y, marker=MARKERS[at % len(MARKERS)], linestyle=style, ms=5, linewidth=1.2, label=name)


def _name_points(panel: Any, rows: Sequence[Row], kind: str) -> None:
    for row in rows:
        at = float(row[f"{kind}_recall"] or 0), float(row[f"{kind}_precision"] or 0)
        panel.annotate(str(row["max_distance"]), at, textcoords="offset points", xytext=(3, -10), fontsize=8)


def _heights(series: Series, target: float) -> tuple[float, float]:
    """Ends of the axis of precision, so that what there is fills the panel."""
    all_rows = [row for rows in series.values() for row in rows]
    lowest = min([target, *(float(row[f"{kind}_precision"] or 0) for row in all_rows for kind in ("groups", "edges"))])
    return max(lowest - 0.1 * (1 - lowest), 0.0), float(_to_precision(np.array(HIGHEST + 0.15)))


HIGHEST = 4
"""Height of a precision of 1; one of 0 is at 0, one of .9 at 1."""


def _to_height(precision: NDArray[np.float64]) -> NDArray[np.float64]:
    return -np.log10(np.maximum(1 + 10.0**-HIGHEST - precision, 10.0 ** -(HIGHEST + 1)))


def _to_precision(height: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1 + 10.0**-HIGHEST - 10.0**-height


def _draw_recall(panel: Any, rows: Sequence[Row]) -> None:
    distances = sorted({int(row["max_distance"] or 0) for row in rows})
    for at, k in enumerate(distances):
        of_k = [row for row in rows if row["max_distance"] == k]
        shares = [100 * float(row["share"] or 0) for row in of_k]
        shade = str(0.75 * (1 - at / max(len(distances) - 1, 1)))
        panel.plot(shares, [row["recall"] for row in of_k], marker="o", ms=3, color=shade, label=str(k))


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    return buffer.getvalue()
