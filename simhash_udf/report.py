"""The report of a run as plain values: counts, histograms, largest groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from pyspark.sql import DataFrame

from simhash_udf import schema
from simhash_udf.errors import SimhashError
from simhash_udf.stages import summary
from simhash_udf.version import __version__

LARGEST_GROUPS = 20


def build_report(groups: DataFrame, edges: DataFrame, *, counts: Mapping[str, int]) -> dict[str, Any]:
    """Return the part of ``report.json`` that is read off the results.

    Parameters
    ----------
    groups, edges
        The tables of those names.
    counts
        What was counted before: documents, rows set aside, ``fingerprinted``.

    Raises
    ------
    SimhashError
        A group has no or several representatives, which would be a fault of this package.
    """
    row = summary.count_members(groups).first()
    if row is None or row["groups"] != row["group_ids"]:
        raise SimhashError("a group has no or several representatives; run again with --no-resume, and report it")
    removed = row["members"] - row["groups"]
    tally = [row.asDict() for row in summary.tally_edges(edges).collect()]
    counted = sum(row["count"] for row in tally)
    found = {"edges": counted, "groups": row["groups"], "members": row["members"], "removed": removed}
    described = describe_groups(groups)
    of_edges = {"distances": _histogram(tally, schema.DISTANCE), "similarities": _histogram(tally, schema.SIMILARITY)}
    return {
        "version": __version__,
        "counts": {**counts, **found, "kept": counts["fingerprinted"] - removed},
        **described,
        **{name: {"edges": buckets, **described[name]} for name, buckets in of_edges.items()},
        "largest_groups": [group.asDict() for group in summary.largest_groups(groups, LARGEST_GROUPS).collect()],
    }


def describe_groups(groups: DataFrame) -> dict[str, Any]:
    """Return histograms: sizes of the groups, and how their other members match the one kept and how near they are."""
    tally = [row.asDict() for row in summary.tally_members(groups).collect()]
    kept = [row for row in tally if row[schema.IS_REPRESENTATIVE]]
    others = [row for row in tally if not row[schema.IS_REPRESENTATIVE]]
    return {
        "group_sizes": _histogram(kept, summary.SIZE),
        "distances": {"to_representative": _histogram(others, schema.DISTANCE)},
        "similarities": {"to_representative": _histogram(others, schema.SIMILARITY)},
        "matches": _histogram(others, schema.MATCH),
    }


def _histogram(tally: Iterable[Mapping[str, Any]], by: str) -> dict[str, int]:
    """Return the sums of a tally's counts by one of its columns, in the order of its values, nulls left out."""
    sums: Counter[Any] = Counter()
    for row in tally:
        if row[by] is not None:
            sums[row[by]] += row["count"]
    return {str(value): sums[value] for value in sorted(sums)}
