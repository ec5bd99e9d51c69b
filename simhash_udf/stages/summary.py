"""Summaries: the counts and histograms of the report, each a small DataFrame."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema


def count_members(groups: DataFrame) -> DataFrame:
    """Return one row: ``groups`` (representatives), ``group_ids`` (distinct) and ``members``."""
    return groups.agg(
        F.count(F.when(F.col(schema.IS_REPRESENTATIVE), 1)).alias("groups"),
        F.countDistinct(schema.GROUP_ID).alias("group_ids"),
        F.count("*").alias("members"),
    )


def group_size_histogram(groups: DataFrame) -> DataFrame:
    """Return ``bucket, count`` of group sizes in powers of two: 2 holds sizes 2 and 3, 4 holds 4 to 7."""
    sizes = groups.filter(F.col(schema.IS_REPRESENTATIVE)).select(_power_of_two(schema.GROUP_SIZE).alias("bucket"))
    return sizes.groupBy("bucket").count().orderBy("bucket")


def distance_histogram(frame: DataFrame) -> DataFrame:
    """Return ``bucket, count`` of the distances of edges, or of members to their representative."""
    return frame.groupBy(F.col(schema.DISTANCE).alias("bucket")).count().orderBy("bucket")


def match_counts(groups: DataFrame) -> DataFrame:
    """Return ``bucket, count`` of how the removed members match their representative."""
    removed = groups.filter(~F.col(schema.IS_REPRESENTATIVE))
    return removed.groupBy(F.col(schema.MATCH).alias("bucket")).count().orderBy("bucket")


def largest_groups(groups: DataFrame, limit: int) -> DataFrame:
    """Return the ``limit`` largest groups: id, size, representative, and the largest distance to it."""
    found = groups.groupBy(schema.GROUP_ID, schema.GROUP_SIZE).agg(
        F.max(F.col(schema.REPRESENTATIVE_ID).cast("string")).alias(schema.REPRESENTATIVE_ID),
        F.max(schema.DISTANCE).alias("largest_distance"),
    )
    return found.orderBy(F.col(schema.GROUP_SIZE).desc(), schema.GROUP_ID).limit(limit)


def _power_of_two(column: str) -> Column:
    return F.pow(F.lit(2), F.floor(F.log2(F.col(column)))).cast("long")
