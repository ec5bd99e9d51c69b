"""The report of a run as plain values: counts, histograms, largest groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

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
    found = {"edges": edges.count(), "groups": row["groups"], "members": row["members"], "removed": removed}
    described = describe_groups(groups)
    of_edges = {
        "distances": _buckets(summary.distance_histogram(edges)),
        "similarities": _buckets(summary.similarity_histogram(edges)),
    }
    return {
        "version": __version__,
        "counts": {**counts, **found, "kept": counts["fingerprinted"] - removed},
        **described,
        **{name: {"edges": buckets, **described[name]} for name, buckets in of_edges.items()},
        "matches": _buckets(summary.match_counts(groups)),
        "largest_groups": [group.asDict() for group in summary.largest_groups(groups, LARGEST_GROUPS).collect()],
    }


def describe_groups(groups: DataFrame) -> dict[str, Any]:
    """Return the histograms of the groups: their sizes, and how near their other members are to the one kept."""
    others = groups.filter(~F.col(schema.IS_REPRESENTATIVE))
    return {
        "group_sizes": _buckets(summary.group_size_histogram(groups)),
        "distances": {"to_representative": _buckets(summary.distance_histogram(others))},
        "similarities": {"to_representative": _buckets(summary.similarity_histogram(others))},
    }


def _buckets(histogram: DataFrame) -> dict[str, int]:
    """Return a histogram of some dozen rows as a dictionary in its order."""
    return {str(row["bucket"]): row["count"] for row in histogram.collect()}
