"""What a person should look at before anything is deleted: large groups, chains, the share removed of each source."""

from __future__ import annotations

import logging
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.columns import resolve_column
from simhash_udf.config import Settings
from simhash_udf.errors import AlarmError, InputError
from simhash_udf.stages import summary

MOST_LISTED = 20
"""Groups in each list of the report."""

MOST_SOURCES = 100
"""Sources in the report, those with the most removed."""

SMALLEST_SOURCE = 100
"""Documents of a source from which its share can raise the alarm: of a few documents all may be copies."""

WEAKEST_EDGES = 3

log = logging.getLogger("simhash_udf")


def check_group_sizes(groups: DataFrame, settings: Settings) -> list[dict[str, Any]]:
    """Return the largest groups above ``max_group_size``, none without that setting, and log that they are there.

    Raises
    ------
    InputError
        There are some and ``on_large_group`` is fail; the message has their ids.
    """
    if settings.max_group_size is None:
        return []
    found = [row.asDict() for row in summary.large_groups(groups, settings.max_group_size).take(MOST_LISTED)]
    if not found:
        return []
    sizes = ", ".join(f"{group[schema.GROUP_ID]} ({group[schema.GROUP_SIZE]} members)" for group in found)
    text = f"groups of more than max_group_size={settings.max_group_size} members: {sizes}"
    if settings.on_large_group == "fail":
        raise InputError(f"{text}; verify texts, lower max_distance, or raise the size; nothing was written")
    log.warning("%s", text)
    return found


def report_chains(groups: DataFrame, edges: DataFrame, distance: int) -> dict[str, Any]:
    """Return how many groups have a member beyond ``distance`` from its representative, and the largest of them.

    Each of those has its weakest edges, where it would come apart first.
    """
    chained = summary.chained_groups(groups, distance)
    largest = [row.asDict() for row in chained.limit(MOST_LISTED).collect()]
    ids = [group[schema.GROUP_ID] for group in largest]
    weakest = summary.weakest_edges(groups.filter(F.col(schema.GROUP_ID).isin(ids)), edges, WEAKEST_EDGES)
    rows = [row.asDict() for row in weakest.collect()] if ids else []
    for group in largest:
        mine = [row for row in rows if row[schema.GROUP_ID] == group[schema.GROUP_ID]]
        group["weakest_edges"] = [{key: row[key] for key in row if key != schema.GROUP_ID} for row in mine]
    counted = len(largest) if len(largest) < MOST_LISTED else chained.count()
    return {"beyond": distance, "groups": counted, "largest": largest}


def report_sources(documents: DataFrame, groups: DataFrame, settings: Settings) -> dict[str, Any]:
    """Return the share removed of each source, and of those above ``fail_if_removed_over`` the names.

    Parameters
    ----------
    documents
        The user's rows that took part.
    groups
        The table of that name.
    settings
        ``id_column``, ``source_column`` and ``fail_if_removed_over`` are read.

    Returns
    -------
    dict
        ``removed_by_source``: a list, most removed first, at most `MOST_SOURCES`. ``sources_over_limit``: the same of
        sources with `SMALLEST_SOURCE` documents or more. Empty without ``source_column``.
    """
    if settings.source_column is None:
        return {}
    sources = documents.select(
        resolve_column(documents, settings.id_column, option="id_column").alias(schema.DOC_ID),
        resolve_column(documents, settings.source_column, option="source_column").cast("string").alias("source"),
    )
    shares = summary.removed_by_source(sources, groups)
    limit = settings.fail_if_removed_over
    over = shares.filter((F.col("documents") >= SMALLEST_SOURCE) & (F.col("share") > (1.0 if limit is None else limit)))
    return {
        "removed_by_source": [row.asDict() for row in shares.take(MOST_SOURCES)],
        "sources_over_limit": [row.asDict() for row in over.take(MOST_SOURCES)],
    }


def check_removed(report: dict[str, Any], limit: float | None) -> None:
    """Raise the alarm if a larger share than the limit was removed, of all documents or of a source.

    Raises
    ------
    AlarmError
        It names the sources and their shares.
    """
    if limit is None:
        return
    counts = report["counts"]
    share = counts["removed"] / max(counts["fingerprinted"], 1)
    over = [f"source {row['source']!r}: {row['share']:.1%}" for row in report.get("sources_over_limit", [])]
    if share > limit:
        over.insert(0, f"all documents: {share:.1%}")
    if over:
        raise AlarmError(
            f"more than fail_if_removed_over={limit:.1%} was removed ({'; '.join(over)}); all is written: look at "
            f"largest_groups and chains in report.json before you use it"
        )
