"""What remains of a store's groups when documents are taken out, and how two states of groups differ."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from simhash_udf import schema, store_schema
from simhash_udf.columns import view_words
from simhash_udf.keeping import order_of

_KEY = [schema.GROUP_ID, store_schema.IS_TEXT_GROUP]
_KEPT = "kept"


def regroup_remaining(members: DataFrame, *, num_views: int, keep: Sequence[str]) -> DataFrame:
    """Return the members that remain of groups, with the group that they are in now.

    A group stays together. It keeps its representative and its id while the document and the node they are named after
    are there; otherwise the first by the keep policies is the representative, and the smallest node gives the id.

    Parameters
    ----------
    members
        What remains: a store's fingerprints with ``node_id, is_text_group, group_id`` and the group's
        ``representative_id``.
    num_views, keep
        Fingerprints of a document, and the keep policies.

    Returns
    -------
    DataFrame
        ``doc_id, node_id, is_text_group, old_group_id, old_representative_id``, then the columns of a store's groups
        without ``version``. A document that is alone now has ``group_size`` 1. Cost: one shuffle of the members.
    """
    whole = Window.partitionBy(*_KEY)
    order = [column for policy in keep for column in order_of(policy)]
    is_kept = F.col(schema.DOC_ID) == F.col(schema.REPRESENTATIVE_ID)
    first = whole.orderBy(F.when(is_kept, 0).otherwise(1), *order, schema.DOC_ID)
    words = F.array(*view_words(members, num_views)).alias(schema.FINGERPRINTS)
    best = F.struct(schema.DOC_ID, store_schema.RUN_ID, schema.TEXT_DIGEST, schema.TEXT_LENGTH, words)
    has_name = F.max(F.col(schema.NODE_ID) == F.col(schema.GROUP_ID)).over(whole)
    name = F.when(has_name, F.col(schema.GROUP_ID)).otherwise(F.min(schema.NODE_ID).over(whole))
    described = members.withColumns(
        {"name": name, schema.GROUP_SIZE: F.count("*").over(whole), _KEPT: F.first(best).over(first)}
    )
    return described.select(
        schema.DOC_ID,
        schema.NODE_ID,
        store_schema.IS_TEXT_GROUP,
        F.col(schema.GROUP_ID).alias(store_schema.OLD_GROUP_ID),
        F.col(schema.REPRESENTATIVE_ID).alias("old_representative_id"),
        F.col("name").alias(schema.GROUP_ID),
        schema.GROUP_SIZE,
        F.col(f"{_KEPT}.{schema.DOC_ID}").alias(schema.REPRESENTATIVE_ID),
        F.col(f"{_KEPT}.{store_schema.RUN_ID}").alias(store_schema.RUN_ID),
        F.col(f"{_KEPT}.{schema.TEXT_DIGEST}").alias(schema.TEXT_DIGEST),
        F.col(f"{_KEPT}.{schema.TEXT_LENGTH}").alias(schema.TEXT_LENGTH),
        F.col(f"{_KEPT}.{schema.FINGERPRINTS}").alias(schema.FINGERPRINTS),
    )


def changes_between(old: DataFrame, new: DataFrame, *, version: int) -> DataFrame:
    """Return table changes between two states of the same documents.

    Parameters
    ----------
    old, new
        ``doc_id, group_id, representative_id`` of documents that are in a group; who is in neither is in no frame.
    version
        Version that has the new state.
    """
    before = old.select(
        schema.DOC_ID,
        F.col(schema.GROUP_ID).alias(store_schema.OLD_GROUP_ID),
        F.col(schema.REPRESENTATIVE_ID).alias("old_representative_id"),
    )
    after = new.select(schema.DOC_ID, F.col(schema.GROUP_ID).alias(store_schema.NEW_GROUP_ID), schema.REPRESENTATIVE_ID)
    return name_changes(before.join(after, on=schema.DOC_ID, how="full"), version=version)


def name_changes(rows: DataFrame, *, version: int) -> DataFrame:
    """Return table changes of ``doc_id, old_group_id, old_representative_id, new_group_id, representative_id`` rows."""
    old, new = F.col(store_schema.OLD_GROUP_ID), F.col(store_schema.NEW_GROUP_ID)
    is_kept = F.col("old_representative_id") == F.col(schema.REPRESENTATIVE_ID)
    change = (
        F.when(new.isNull() & old.isNotNull(), store_schema.ALONE)
        .when(old.isNull() & new.isNotNull(), store_schema.FIRST_DUPLICATE)
        .when(old != new, store_schema.REGROUPED)
        .when(~is_kept, store_schema.REPRESENTATIVE)
    )
    named = rows.withColumn(store_schema.CHANGE, change).filter(F.col(store_schema.CHANGE).isNotNull())
    return named.select(
        schema.DOC_ID,
        store_schema.CHANGE,
        store_schema.OLD_GROUP_ID,
        store_schema.NEW_GROUP_ID,
        schema.REPRESENTATIVE_ID,
        F.lit(version).cast("long").alias(store_schema.VERSION),
    )
