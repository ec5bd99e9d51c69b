"""Samples for the evaluation: the same documents in any order and partitioning, chosen by the hash of their ids."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.columns import node_id, view_words
from simhash_udf.evaluation.trial import COLUMNS, EditTrial
from simhash_udf.udf.edit_batches import edit_batches

NUMBER = "number"


def sample_fingerprints(fingerprints: DataFrame, size: int, *, num_views: int) -> DataFrame:
    """Return ``doc_id, text_digest, words`` of the documents with a fingerprint whose ids have the smallest hash."""
    words = F.array(*view_words(fingerprints, num_views)).alias("words")
    usable = fingerprints.filter(F.col(schema.FINGERPRINT).isNotNull())
    return _smallest_hashes(usable, size).select(schema.DOC_ID, schema.TEXT_DIGEST, words)


def sample_texts(documents: DataFrame, fingerprints: DataFrame, size: int) -> DataFrame:
    """Return ``text`` of the documents with a fingerprint whose ids have the smallest hash, in the order of the hash.

    Cost: one shuffle of the ids, one pass over the texts.
    """
    ids = _smallest_hashes(fingerprints.filter(F.col(schema.FINGERPRINT).isNotNull()), size).select(schema.DOC_ID)
    chosen = documents.join(F.broadcast(ids), on=schema.DOC_ID, how="inner")
    return _smallest_hashes(chosen, size).select(schema.TEXT)


def build_trials(numbers: DataFrame, trial: EditTrial) -> DataFrame:
    """Return what a recipe makes of edited documents, given ``number`` of each: see `evaluation.trial.try_edits`."""
    return numbers.select(NUMBER).mapInArrow(edit_batches(trial), COLUMNS)


def count_found_pairs(fingerprints: DataFrame, edges: DataFrame) -> DataFrame:
    """Return ``distance, pairs``: pairs of documents in one node (at 0) or at the ends of an edge, by its distance.

    Cost: a count of the documents of each node, and two joins of the edges with it.
    """
    node = node_id(fingerprints).alias(schema.NODE_ID)
    sizes = fingerprints.select(node).filter(F.col(schema.NODE_ID).isNotNull()).groupBy(schema.NODE_ID).count()
    size = F.col("count")
    inside = sizes.select(F.lit(0).alias(schema.DISTANCE), F.shiftright(size * (size - 1), 1).alias("pairs"))
    ends = [
        sizes.select(F.col(schema.NODE_ID).alias(end), size.alias(f"{end}_size")) for end in (schema.SRC, schema.DST)
    ]
    linked = edges.join(ends[0], on=schema.SRC, how="inner").join(ends[1], on=schema.DST, how="inner")
    between = linked.select(schema.DISTANCE, (F.col(f"{schema.SRC}_size") * F.col(f"{schema.DST}_size")).alias("pairs"))
    return inside.unionByName(between).groupBy(schema.DISTANCE).agg(F.sum("pairs").alias("pairs"))


def _smallest_hashes(rows: DataFrame, size: int) -> DataFrame:
    return rows.orderBy(F.xxhash64(schema.DOC_ID), F.col(schema.DOC_ID)).limit(size)
