"""Summaries: the counts and histograms of the report, each a small DataFrame."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from simhash_udf import schema

SIZE = "size"


def count_members(groups: DataFrame) -> DataFrame:
    """Return one row: ``groups`` (representatives), ``group_ids`` (distinct) and ``members``."""
    return groups.agg(
        F.count(F.when(F.col(schema.IS_REPRESENTATIVE), 1)).alias("groups"),
        F.countDistinct(schema.GROUP_ID).alias("group_ids"),
        F.count("*").alias("members"),
    )


def tally_members(groups: DataFrame) -> DataFrame:
    """Return how many members are alike: ``is_representative, size, distance, similarity, match, count``.

    ``size`` is the group's in powers of two (2 holds sizes 2 and 3, 4 holds 4 to 7), ``similarity`` in steps of 0.05
    (0.9 holds 0.9 up to 0.95). Every histogram of the report is a sum over these rows, of which there are hundreds.
    """
    return groups.groupBy(
        schema.IS_REPRESENTATIVE,
        _power_of_two(schema.GROUP_SIZE).alias(SIZE),
        schema.DISTANCE,
        _similarity_step(),
        schema.MATCH,
    ).count()


def tally_edges(edges: DataFrame) -> DataFrame:
    """Return how many edges are alike: ``distance, similarity, count``, similarities in steps as of members."""
    return edges.groupBy(schema.DISTANCE, _similarity_step()).count()


def largest_groups(groups: DataFrame, limit: int | None) -> DataFrame:
    """Return the ``limit`` largest groups (None: all): id, size, representative, and the largest distance to it."""
    found = groups.groupBy(schema.GROUP_ID, schema.GROUP_SIZE).agg(
        F.max(F.col(schema.REPRESENTATIVE_ID).cast("string")).alias(schema.REPRESENTATIVE_ID),
        F.max(schema.DISTANCE).alias("largest_distance"),
    )
    ordered = found.orderBy(F.col(schema.GROUP_SIZE).desc(), schema.GROUP_ID)
    return ordered if limit is None else ordered.limit(limit)


def large_groups(groups: DataFrame, size: int) -> DataFrame:
    """Return ``group_id, group_size, representative_id`` of groups of more members than ``size``, largest first."""
    chosen = groups.filter(F.col(schema.IS_REPRESENTATIVE) & (F.col(schema.GROUP_SIZE) > size))
    columns = chosen.select(schema.GROUP_ID, schema.GROUP_SIZE, F.col(schema.DOC_ID).cast("string").alias("kept"))
    return columns.withColumnRenamed("kept", schema.REPRESENTATIVE_ID).orderBy(
        F.col(schema.GROUP_SIZE).desc(), schema.GROUP_ID
    )


def chained_groups(groups: DataFrame, distance: int) -> DataFrame:
    """Return the groups with a member farther than ``distance`` from its representative, as `largest_groups` does."""
    found = largest_groups(groups, limit=None)
    return found.filter(F.col("largest_distance") > distance)


def weakest_edges(groups: DataFrame, edges: DataFrame, limit: int) -> DataFrame:
    """Return the ``limit`` weakest edges of each group: the farthest, and of those the least alike.

    Columns are ``group_id, src_id, dst_id, distance, similarity``; the ids are the smallest of the documents at each
    end.
    """
    nodes = groups.groupBy(schema.GROUP_ID, schema.NODE_ID).agg(F.min(schema.DOC_ID).cast("string").alias("doc"))
    ends = [
        nodes.select(schema.GROUP_ID, F.col(schema.NODE_ID).alias(end), F.col("doc").alias(f"{end}_id"))
        for end in (schema.SRC, schema.DST)
    ]
    inside = edges.join(ends[0], on=schema.SRC, how="inner").join(
        ends[1], on=[schema.DST, schema.GROUP_ID], how="inner"
    )
    order = [F.col(schema.DISTANCE).desc(), F.col(schema.SIMILARITY).asc_nulls_last(), F.col(schema.SRC)]
    place = F.row_number().over(Window.partitionBy(schema.GROUP_ID).orderBy(*order, F.col(schema.DST)))
    ranked = inside.withColumn("place", place).filter(F.col("place") <= limit).orderBy(schema.GROUP_ID, "place")
    return ranked.select(schema.GROUP_ID, "src_id", "dst_id", schema.DISTANCE, schema.SIMILARITY)


def removed_by_source(sources: DataFrame, groups: DataFrame) -> DataFrame:
    """Return ``source, documents, removed, share`` of ``doc_id, source`` rows, most removed first."""
    removed = groups.filter(~F.col(schema.IS_REPRESENTATIVE)).select(schema.DOC_ID, F.lit(1).alias("is_removed"))
    counted = (
        sources.join(removed, on=schema.DOC_ID, how="left")
        .groupBy("source")
        .agg(F.count("*").alias("documents"), F.count("is_removed").alias("removed"))
    )
    return counted.withColumn("share", F.col("removed") / F.col("documents")).orderBy(
        F.col("removed").desc(), F.col("source").asc_nulls_last()
    )


def _power_of_two(column: str) -> Column:
    return F.pow(F.lit(2), F.floor(F.log2(F.col(column)))).cast("long")


def _similarity_step() -> Column:
    steps = F.floor(F.col(schema.SIMILARITY) * 20 + F.lit(1e-9))  # 0.95 * 20 may be a little under 19
    return F.round(steps / 20, 2).alias(schema.SIMILARITY)
