"""Members: the documents of a store's groups, in the columns of table groups and with the run in which each came."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema, store_schema
from simhash_udf.columns import view_words
from simhash_udf.keeping import distance_to_best, match_with_best

_NODE_KEY = [schema.NODE_ID, store_schema.IS_TEXT_GROUP]
_GROUP_KEY = [schema.GROUP_ID, store_schema.IS_TEXT_GROUP]


def describe_members(documents: DataFrame, memberships: DataFrame, groups: DataFrame, *, num_views: int) -> DataFrame:
    """Return the members of groups: the columns of table groups, then ``run_id``.

    Parameters
    ----------
    documents
        A store's fingerprints with ``is_text_group`` and the ``node_id`` that goes with it.
    memberships, groups
        Current rows of a store's tables of those names.
    num_views
        Fingerprints of a document.

    Returns
    -------
    DataFrame
        One row for each document whose node has a membership, in no order. Cost: two joins of the documents.
    """
    best = groups.select(
        *_GROUP_KEY,
        schema.GROUP_SIZE,
        F.struct(
            F.col(schema.REPRESENTATIVE_ID).alias(schema.DOC_ID),
            schema.TEXT_DIGEST,
            schema.TEXT_LENGTH,
            F.col(schema.FINGERPRINTS).alias("words"),
        ).alias("best"),
    )
    placed = documents.join(memberships.drop(store_schema.VERSION), on=_NODE_KEY, how="inner")
    described = placed.join(best, on=_GROUP_KEY, how="inner")
    words = view_words(described, num_views)
    return described.select(
        schema.DOC_ID,
        schema.GROUP_ID,
        schema.GROUP_SIZE,
        (F.col(schema.DOC_ID) == F.col("best.doc_id")).alias(schema.IS_REPRESENTATIVE),
        F.col("best.doc_id").alias(schema.REPRESENTATIVE_ID),
        distance_to_best(words).alias(schema.DISTANCE),
        match_with_best(words).alias(schema.MATCH),
        F.lit(None).cast("double").alias(schema.SIMILARITY),
        F.when(~F.col(store_schema.IS_TEXT_GROUP), F.col(schema.NODE_ID)).alias(schema.NODE_ID),
        store_schema.RUN_ID,
    )
