"""How time grows with the size: the exponent of the best fit, and a plot of a file of results.

    python -m benchmarks.growth RESULTS.jsonl --output docs/growth.svg [--size documents] [--time wall_seconds,seconds]
        [--where benchmark=end_to_end] [--series KEY] [--title TEXT]

A results file has one JSON object a line. Lines are chosen with ``--where`` and split into series by the values
of ``--series``; each series and time is a line of the plot, with its exponent in the legend.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Point = tuple[float, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--output", type=Path, required=True, help="SVG or PNG")
    parser.add_argument("--size", default="documents")
    parser.add_argument("--time", default="seconds")
    parser.add_argument("--where", action="append", default=[], help="KEY=VALUE, repeatable")
    parser.add_argument("--series")
    parser.add_argument("--title", default="")
    given = parser.parse_args()
    rows = read_results(given.results, dict(pair.split("=", 1) for pair in given.where))
    series = points_of(rows, given.size, given.time.split(","), given.series)
    plot(series, given.output, x=given.size, y="seconds", title=given.title)
    for name, points in series.items():
        print(f"{name}: n^{exponent_of(*zip(*points, strict=True)):.2f} over {len(points)} sizes")


def read_results(path: Path, where: dict[str, str]) -> list[dict[str, Any]]:
    """Return the lines of a results file whose values, as text, are those asked for."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [row for row in rows if all(str(row.get(key)) == value for key, value in where.items())]


def points_of(
    rows: Iterable[dict[str, Any]], size: str, times: Sequence[str], series: str | None
) -> dict[str, list[Point]]:
    """Return for each series and time its points in the order of size; of equal sizes the last line counts."""
    found: dict[str, dict[float, float]] = {}
    for row in rows:
        for time in times:
            if row.get(time) is not None:
                name = ", ".join([*([str(row.get(series))] if series else []), *([time] if len(times) > 1 else [])])
                found.setdefault(name or time, {})[float(row[size])] = float(row[time])
    return {name: sorted(points.items()) for name, points in found.items()}


def exponent_of(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return the slope of the least-squares line through the logarithms; NaN for fewer than two sizes.

    >>> round(exponent_of([1e4, 1e5, 1e6], [1, 10, 100]), 3)
    1.0
    """
    if len(set(sizes)) < 2:
        return float("nan")
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def plot(series: dict[str, list[Point]], output: Path, *, x: str, y: str, title: str = "") -> None:
    """Draw each series with its fit on logarithmic axes, and a thin line of slope 1 to compare with."""
    import matplotlib as mpl  # noqa: PLC0415  (only this function draws)

    mpl.use("svg" if output.suffix == ".svg" else "agg")
    mpl.rcParams["svg.hashsalt"] = "growth"  # the same file for the same figures
    from matplotlib import pyplot as plt  # noqa: PLC0415  (after the settings)

    figure, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    for name, points in series.items():
        sizes, seconds = (np.array(column) for column in zip(*points, strict=True))
        slope = exponent_of(sizes, seconds)
        (line,) = axes.plot(sizes, seconds, "o", label=f"{name}: n^{slope:.2f}" if len(points) > 1 else name)
        if len(points) > 1:
            intercept = np.mean(np.log(seconds)) - slope * np.mean(np.log(sizes))
            axes.plot(sizes, np.exp(intercept + slope * np.log(sizes)), color=line.get_color(), linewidth=1)
    sizes, seconds = (
        np.array(column) for column in zip(*(point for points in series.values() for point in points), strict=True)
    )
    ends = np.array([sizes.min(), sizes.max()])
    axes.plot(ends, seconds[sizes.argmax()] * ends / ends[1], color="grey", linewidth=0.7, linestyle=":", label="n^1")
    axes.set(xscale="log", yscale="log", xlabel=x.replace("_", " "), ylabel=y, title=title)
    axes.grid(visible=True, which="major", linewidth=0.3)
    axes.legend(frameon=False)
    figure.savefig(output, metadata={"Date": None} if output.suffix == ".svg" else None)
    plt.close(figure)


if __name__ == "__main__":
    main()
