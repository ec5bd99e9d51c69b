"""Fingerprints: one row a document, and the nodes that the band join sees."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.columns import node_id, view_words
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.udf.text_batches import fingerprint_batches, score_batches


def build_fingerprints(documents: DataFrame, recipe: Recipe) -> DataFrame:
    """Return the fingerprints table of ``(doc_id, text)`` rows: one row for each, NULL fingerprint without features.

    Cost: one pass over the text, no shuffle.
    """
    table = schema.fingerprints(documents.schema[schema.DOC_ID].dataType, len(recipe.views))
    return documents.select(schema.DOC_ID, schema.TEXT).mapInArrow(fingerprint_batches(recipe), table)


def calibration_sample(documents: DataFrame, size: int) -> DataFrame:
    """Return the texts of the ``size`` documents whose ids have the smallest hash: the same in any partitioning."""
    by_hash = documents.orderBy(F.xxhash64(schema.DOC_ID), F.col(schema.DOC_ID))
    return by_hash.limit(size).select(schema.TEXT)


def build_scores(texts: DataFrame, recipe: Recipe) -> DataFrame:
    """Return ``scores ARRAY<DOUBLE>`` of each text: for every view 64 sums divided by the L2 norm of the weights."""
    return texts.select(schema.TEXT).mapInArrow(score_batches(recipe), "scores array<double>")


def select_nodes(fingerprints: DataFrame, *, num_views: int) -> DataFrame:
    """Return ``node_id`` and ``word_0 … word_{r-1}`` of every document that has a fingerprint, repeats included."""
    usable = fingerprints.filter(F.col(schema.FINGERPRINT).isNotNull())
    words = (word.alias(f"word_{view}") for view, word in enumerate(view_words(usable, num_views)))
    return usable.select(node_id(usable).alias(schema.NODE_ID), *words)


def sample_nodes(nodes: DataFrame, one_in: int) -> DataFrame:
    """Return the words of nodes whose id hashes to 0 modulo ``one_in``: the same in any order and partitioning."""
    keep = F.pmod(F.xxhash64(schema.NODE_ID), F.lit(one_in)) == 0
    return nodes.filter(keep).drop(schema.NODE_ID).distinct()


def clashing_nodes(fingerprints: DataFrame) -> DataFrame:
    """Return the node ids that stand for two tuples of fingerprints; with a one-to-one id there is none."""
    if schema.NODE_ID not in fingerprints.columns:
        return fingerprints.select(F.col(schema.FINGERPRINT).alias(schema.NODE_ID)).limit(0)
    ranges = fingerprints.groupBy(schema.NODE_ID).agg(
        F.min(schema.FINGERPRINTS).alias("low"), F.max(schema.FINGERPRINTS).alias("high")
    )
    return ranges.filter(F.col("low") != F.col("high")).select(schema.NODE_ID)
