"""The report of a run as plain values: counts, histograms, largest groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame

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
    found = {"edges": edges.count(), "groups": row["groups"], "members": row["members"], "removed": removed}
    to_representative = summary.distance_histogram(groups.filter("not is_representative"))
    return {
        "version": __version__,
        "counts": {**counts, **found, "kept": counts["fingerprinted"] - removed},
        "group_sizes": _buckets(summary.group_size_histogram(groups)),
        "distances": {
            "edges": _buckets(summary.distance_histogram(edges)),
            "to_representative": _buckets(to_representative),
        },
        "similarities": {
            "edges": _buckets(summary.similarity_histogram(edges)),
            "to_representative": _buckets(summary.similarity_histogram(groups.filter("not is_representative"))),
        },
        "matches": _buckets(summary.match_counts(groups)),
        "largest_groups": [group.asDict() for group in summary.largest_groups(groups, LARGEST_GROUPS).collect()],
    }


def _buckets(histogram: DataFrame) -> dict[str, int]:
    """Return a histogram of some dozen rows as a dictionary in its order."""
    return {str(row["bucket"]): row["count"] for row in histogram.collect()}
