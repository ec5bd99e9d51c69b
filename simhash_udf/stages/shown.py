"""What a person is shown of the groups: the largest and the most stretched, some of their members, and their texts."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from simhash_udf import schema

LARGEST_DISTANCE = "largest_distance"
LEAST_SIMILARITY = "least_similarity"
DOCUMENTS = "documents"
DOC_TEXT = "doc_text"
SOURCE = "source"
LENGTH = "length"


def shown_groups(groups: DataFrame, limit: int) -> DataFrame:
    """Return the ``limit`` largest groups and the ``limit`` most stretched ones, each once.

    Columns are ``group_id, group_size, representative_id`` (text), ``largest_distance, least_similarity`` (NULL unless
    texts were compared), and how many members match as ``near``, ``same_fingerprint`` and ``same_text``. Cost: one
    shuffle of the groups.
    """
    kinds = [
        F.count(F.when(~F.col(schema.IS_REPRESENTATIVE) & (F.col(schema.MATCH) == kind), 1)).alias(kind)
        for kind in (schema.NEAR, schema.SAME_FINGERPRINT, schema.SAME_TEXT)
    ]
    found = groups.groupBy(schema.GROUP_ID, schema.GROUP_SIZE).agg(
        _as_text(F.max(F.col(schema.REPRESENTATIVE_ID))).alias(schema.REPRESENTATIVE_ID),
        F.max(schema.DISTANCE).alias(LARGEST_DISTANCE),
        F.min(schema.SIMILARITY).alias(LEAST_SIMILARITY),
        *kinds,
    )
    size, group = F.col(schema.GROUP_SIZE).desc(), F.col(schema.GROUP_ID)
    stretch = [F.col(LARGEST_DISTANCE).desc(), F.col(LEAST_SIMILARITY).asc_nulls_last()]
    largest = found.orderBy(size, group).limit(limit)
    return largest.unionByName(found.orderBy(*stretch, size, group).limit(limit)).distinct()


def shown_members(groups: DataFrame, group_ids: Sequence[int], members: int) -> DataFrame:
    """Return of each of these groups the document that is kept, and the ``members`` farthest from it that differ.

    Columns are those of table groups, ``doc_id`` once more as text, ``documents`` (how many of the group share the
    node), and ``place``, 0 for the kept one. Cost: one scan of the groups, one shuffle of the rows of these.
    """
    mine = groups.filter(F.col(schema.GROUP_ID).isin(list(group_ids)))
    row = F.struct(schema.DOC_ID, schema.DISTANCE, schema.MATCH, schema.SIMILARITY)  # the smallest id comes first
    nodes = mine.groupBy(schema.GROUP_ID, schema.IS_REPRESENTATIVE, schema.NODE_ID).agg(
        F.min(row).alias("row"), F.count("*").alias(DOCUMENTS)
    )
    farthest = [
        F.col(schema.IS_REPRESENTATIVE).desc(),
        F.col(f"row.{schema.DISTANCE}").desc(),
        F.col(f"row.{schema.SIMILARITY}").asc_nulls_last(),
        F.col(f"row.{schema.DOC_ID}"),
    ]
    place = F.row_number().over(Window.partitionBy(schema.GROUP_ID).orderBy(*farthest)) - 1
    ranked = nodes.withColumn(schema.PLACE, place).filter(F.col(schema.PLACE) <= members)
    text = _as_text(F.col(f"row.{schema.DOC_ID}")).alias(DOC_TEXT)
    return ranked.select(schema.GROUP_ID, "row.*", text, DOCUMENTS, schema.PLACE)


def shown_texts(documents: DataFrame, members: DataFrame, max_chars: int) -> DataFrame:
    """Return ``doc_id`` (text), the first ``max_chars`` of ``text``, its ``length``, and ``source`` if there is one.

    Parameters
    ----------
    documents
        ``doc_id, text`` and perhaps ``source`` of the whole input.
    members
        As `shown_members` gives them; their ids go to every task.
    max_chars
        Bound of what comes to the driver of each text.
    """
    chosen = documents.join(F.broadcast(members.select(schema.DOC_ID).distinct()), on=schema.DOC_ID, how="inner")
    source: list[Column] = [_as_text(F.col(SOURCE)).alias(SOURCE)] if SOURCE in documents.columns else []
    return chosen.select(
        _as_text(F.col(schema.DOC_ID)).alias(schema.DOC_ID),
        F.substring(schema.TEXT, 1, max_chars).alias(schema.TEXT),
        F.length(schema.TEXT).alias(LENGTH),
        *source,
    )


def _as_text(column: Column) -> Column:
    """A value as text that can be shown: bytes of a string that are no UTF-8 are one replacement character."""
    return F.make_valid_utf8(column.cast("string"))
