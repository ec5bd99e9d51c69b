"""Rows of a store's tables: the current ones, and those that a batch has to do with."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema, store_schema
from simhash_udf.columns import node_id, view_words
from simhash_udf.kernel.batch_query import Batch
from simhash_udf.udf.match_batches import match_batches

NODE_KEY = [schema.NODE_ID, store_schema.IS_TEXT_GROUP]
GROUP_KEY = [schema.GROUP_ID, store_schema.IS_TEXT_GROUP]

BROADCAST_KEYS = 3_000_000
"""Keys that are sent to every task instead of shuffling a table of the store: about 100 MB of an executor's memory."""


def scan_stored(stored: DataFrame, batch: Batch) -> DataFrame:
    """Return table scan: stored nodes near the batch's, and ids that both have.

    Cost: one pass over ``id_hash`` and the fingerprints, 8 bytes and 8 a view for each stored document; no shuffle.
    """
    words = (word.alias(f"word_{view}") for view, word in enumerate(view_words(stored, batch.words.shape[1])))
    return stored.select(store_schema.ID_HASH, *words).mapInArrow(match_batches(batch), store_schema.SCAN)


def node_key(documents: DataFrame) -> list[Column]:
    """Return the columns ``node_id, is_text_group`` of documents: the text's digest for one without fingerprint."""
    node, has_none = node_id(documents), F.col(schema.FINGERPRINT).isNull()
    return [
        F.when(has_none, F.col(schema.TEXT_DIGEST)).otherwise(node).alias(schema.NODE_ID),
        has_none.alias(store_schema.IS_TEXT_GROUP),
    ]


def with_node_key(documents: DataFrame) -> DataFrame:
    """Return the documents with `node_key`; a node id that they have already stays where it is."""
    node, is_text_group = node_key(documents)
    return documents.withColumns({schema.NODE_ID: node, store_schema.IS_TEXT_GROUP: is_text_group})


def newest(rows: DataFrame, keys: Sequence[str]) -> DataFrame:
    """Return of the rows with equal keys the one of the newest version. Cost: one shuffle of the rows."""
    values = [name for name in rows.columns if name not in keys]
    last = rows.groupBy(*keys).agg(F.max_by(F.struct(*values), store_schema.VERSION).alias("last"))
    return last.select(*keys, "last.*").select(*rows.columns)


def rows_with(rows: DataFrame, wanted: DataFrame, keys: Sequence[str], *, num_wanted: int) -> DataFrame:
    """Return the rows whose keys are wanted; few wanted ones travel to the rows, otherwise both are shuffled."""
    chosen = wanted.select(*keys).distinct()
    return rows.join(F.broadcast(chosen) if num_wanted <= BROADCAST_KEYS else chosen, on=list(keys), how="left_semi")


def documents_of_nodes(stored: DataFrame, nodes: DataFrame, *, num_wanted: int) -> DataFrame:
    """Return the stored documents of some nodes, with ``node_id, is_text_group``.

    The two kinds of nodes are looked up apart: a single number is looked up in a third of the time.
    """
    wanted = nodes.filter(~F.col(store_schema.IS_TEXT_GROUP))
    have = stored.filter(F.col(schema.FINGERPRINT).isNotNull())
    found = rows_with(
        have.withColumn(schema.NODE_ID, node_id(have)), wanted, [schema.NODE_ID], num_wanted=num_wanted
    ).withColumn(store_schema.IS_TEXT_GROUP, F.lit(False))
    texts = nodes.filter(store_schema.IS_TEXT_GROUP)
    return found.unionByName(documents_of_texts(stored, texts, num_wanted=num_wanted))


def documents_of_texts(stored: DataFrame, texts: DataFrame, *, num_wanted: int) -> DataFrame:
    """Return the stored documents without a fingerprint whose text digests are wanted, with their node key.

    Row groups in which every document has a fingerprint are not read.
    """
    have_none = stored.filter(F.col(schema.FINGERPRINT).isNull())
    return rows_with(with_node_key(have_none), texts, [schema.NODE_ID], num_wanted=num_wanted)


def current_memberships(memberships: DataFrame) -> DataFrame:
    """Return the current group of every node that is in one."""
    return newest(memberships, NODE_KEY).filter(F.col(schema.GROUP_ID).isNotNull())


def current_groups(groups: DataFrame) -> DataFrame:
    """Return the current row of every group that is there."""
    return newest(groups, GROUP_KEY).filter(F.col(schema.GROUP_SIZE) > 0)
