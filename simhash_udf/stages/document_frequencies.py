"""Document frequencies: in how many documents each feature occurs."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.udf.text_batches import document_frequency_batches

TERM = "term"
DOCUMENT_FREQUENCY = "df"


def build_document_frequencies(documents: DataFrame, recipe: Recipe) -> DataFrame:
    """Return ``term STRING, df BIGINT``: one row a feature of the recipe's first view.

    Cost: one pass over the text, then a shuffle of each task's features.
    """
    partial = documents.select(schema.TEXT).mapInArrow(
        document_frequency_batches(recipe), f"{TERM} string, {DOCUMENT_FREQUENCY} long"
    )
    return partial.groupBy(TERM).agg(F.sum(DOCUMENT_FREQUENCY).alias(DOCUMENT_FREQUENCY))


def most_frequent(frequencies: DataFrame, *, min_df: int, limit: int) -> DataFrame:
    """Return the ``limit`` features that most documents have, none with fewer than ``min_df``; ties in term order."""
    kept = frequencies.filter(F.col(DOCUMENT_FREQUENCY) >= min_df)
    return kept.orderBy(F.col(DOCUMENT_FREQUENCY).desc(), TERM).limit(limit)
