"""What a batch changes: answers for its documents, and the rows that memberships, groups and changes get.

All are read off table assigned. Rows of memberships and groups count from their version on.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema, store_schema
from simhash_udf.store_schema import ARRIVAL, OLD_GROUP, OLD_SINGLE

_BEST_ID, _BEST_RUN = "best.doc_id", f"best.{store_schema.RUN_ID}"


def answers_of(assigned: DataFrame, *, run_id: str) -> DataFrame:
    """Return table answers of a batch: a document is new, or the duplicate of the one that is kept of its group."""
    arrivals = assigned.filter(F.col("part") == ARRIVAL)
    is_new = F.col(schema.DOC_ID) == F.col(_BEST_ID)
    is_grouped = F.col(schema.GROUP_SIZE) > 1
    return arrivals.select(
        schema.DOC_ID,
        F.when(is_new, store_schema.NEW).otherwise(store_schema.DUPLICATE).alias(store_schema.ANSWER),
        _unless(is_new, F.col(_BEST_ID)).alias(store_schema.DUPLICATE_OF),
        _unless(is_new, F.col(_BEST_RUN)).alias(store_schema.DUPLICATE_OF_RUN),
        _unless(is_new, F.col(schema.DISTANCE)).alias(schema.DISTANCE),
        _unless(is_new, F.col(schema.MATCH)).alias(schema.MATCH),
        F.when(is_grouped, F.col(schema.GROUP_ID)).alias(schema.GROUP_ID),
        F.lit(run_id).alias(store_schema.RUN_ID),
    )


def answers_of_known(known: DataFrame, *, run_id: str) -> DataFrame:
    """Return table answers of documents that are in the store already: ``doc_id``, and ``run_id`` in which it came."""
    return known.select(
        schema.DOC_ID,
        F.lit(store_schema.KNOWN).alias(store_schema.ANSWER),
        F.col(schema.DOC_ID).alias(store_schema.DUPLICATE_OF),
        F.col(store_schema.RUN_ID).alias(store_schema.DUPLICATE_OF_RUN),
        F.lit(0).alias(schema.DISTANCE),
        F.lit(schema.SAME_TEXT).alias(schema.MATCH),
        F.lit(None).cast("long").alias(schema.GROUP_ID),
        F.lit(run_id).alias(store_schema.RUN_ID),
    )


def merged_groups(assigned: DataFrame) -> DataFrame:
    """Return ``old_group_id, group_id, representative_id`` of the stored groups that became part of another."""
    is_merged = (F.col("part") == OLD_GROUP) & (F.col(store_schema.OLD_GROUP_ID) != F.col(schema.GROUP_ID))
    return assigned.filter(is_merged).select(
        store_schema.OLD_GROUP_ID, schema.GROUP_ID, F.col(_BEST_ID).alias(schema.REPRESENTATIVE_ID)
    )


def moved_nodes(memberships: DataFrame, merged: DataFrame) -> DataFrame:
    """Return ``node_id, is_text_group, old_group_id, group_id, representative_id`` of the nodes of merged groups.

    A row that names a group which is there is a current one: a group's nodes leave it all at once, when it ends.
    """
    nodes = memberships.filter(~F.col(store_schema.IS_TEXT_GROUP)).select(
        schema.NODE_ID, store_schema.IS_TEXT_GROUP, F.col(schema.GROUP_ID).alias(store_schema.OLD_GROUP_ID)
    )
    moved = nodes.join(F.broadcast(merged), on=store_schema.OLD_GROUP_ID, how="inner")
    columns = [store_schema.OLD_GROUP_ID, schema.GROUP_ID, schema.REPRESENTATIVE_ID]
    return moved.select(schema.NODE_ID, store_schema.IS_TEXT_GROUP, *columns).distinct()


def group_rows(assigned: DataFrame, *, version: int) -> DataFrame:
    """Return the rows that a store's groups get: those that changed, and an end for each that was merged."""
    changed = assigned.filter(F.col(schema.GROUP_SIZE) > 1).select(
        schema.GROUP_ID,
        store_schema.IS_TEXT_GROUP,
        schema.GROUP_SIZE,
        F.col(_BEST_ID).alias(schema.REPRESENTATIVE_ID),
        F.col(_BEST_RUN).alias(store_schema.RUN_ID),
        F.col(f"best.{schema.TEXT_DIGEST}").alias(schema.TEXT_DIGEST),
        F.col(f"best.{schema.TEXT_LENGTH}").alias(schema.TEXT_LENGTH),
        F.col("best.words").alias(schema.FINGERPRINTS),
    )
    ended = merged_groups(assigned).select(
        F.col(store_schema.OLD_GROUP_ID).alias(schema.GROUP_ID),
        F.lit(False).alias(store_schema.IS_TEXT_GROUP),
        F.lit(0).cast("long").alias(schema.GROUP_SIZE),
    )
    rows = changed.dropDuplicates([schema.GROUP_ID, store_schema.IS_TEXT_GROUP])
    return rows.unionByName(ended, allowMissingColumns=True).withColumn(
        store_schema.VERSION, F.lit(version).cast("long")
    )


def membership_rows(assigned: DataFrame, old: DataFrame, moved: DataFrame, *, version: int) -> DataFrame:
    """Return the rows that memberships get: nodes that are in another group than before.

    Parameters
    ----------
    assigned
        The table of that name.
    old
        ``node_id, is_text_group, group_id`` of the stored nodes that the batch is near to.
    moved
        As `moved_nodes` gives them.
    version
        Version that is being made.
    """
    columns = [schema.NODE_ID, store_schema.IS_TEXT_GROUP, schema.GROUP_ID]
    nodes = assigned.filter((F.col("part") != OLD_GROUP) & (F.col(schema.GROUP_SIZE) > 1)).select(*columns)
    # a new document on a node that is in that group already says nothing new; one in a group that moves, moves
    fresh = nodes.distinct().join(old.select(*columns), on=columns, how="left_anti")
    rows = fresh.unionByName(moved.select(*columns)).distinct()
    return rows.withColumn(store_schema.VERSION, F.lit(version).cast("long"))


def changes_of(assigned: DataFrame, moved_documents: DataFrame, *, version: int) -> DataFrame:
    """Return table changes of a batch: stored documents that got their first duplicate, or whose group was merged.

    Parameters
    ----------
    assigned
        The table of that name.
    moved_documents
        ``doc_id, old_group_id, group_id, representative_id`` of the documents of merged groups.
    version
        Version that is being made.
    """
    singles = assigned.filter(F.col("part") == OLD_SINGLE)
    first = singles.select(
        schema.DOC_ID,
        F.lit(store_schema.FIRST_DUPLICATE).alias(store_schema.CHANGE),
        F.lit(None).cast("long").alias(store_schema.OLD_GROUP_ID),
        F.col(schema.GROUP_ID).alias(store_schema.NEW_GROUP_ID),
        F.col(_BEST_ID).alias(schema.REPRESENTATIVE_ID),
    )
    merged = moved_documents.select(
        schema.DOC_ID,
        F.lit(store_schema.MERGED).alias(store_schema.CHANGE),
        store_schema.OLD_GROUP_ID,
        F.col(schema.GROUP_ID).alias(store_schema.NEW_GROUP_ID),
        schema.REPRESENTATIVE_ID,
    )
    return first.unionByName(merged).withColumn(store_schema.VERSION, F.lit(version).cast("long"))


def count_assigned(assigned: DataFrame) -> DataFrame:
    """Return one row: what became of the documents of a batch, and what the groups of the store gain.

    ``new, duplicate`` documents of the batch; ``first_duplicate`` stored documents that were alone; ``merged`` groups
    that became part of another; ``new_groups, changed_groups`` and the ``members`` of these; ``new_members``.
    """
    is_new = F.col(schema.DOC_ID) == F.col(_BEST_ID)
    is_arrival, is_group = F.col("part") == ARRIVAL, F.col("part") == OLD_GROUP
    is_merged = is_group & (F.col(store_schema.OLD_GROUP_ID) != F.col(schema.GROUP_ID))
    is_changed = F.col(schema.GROUP_SIZE) > 1
    parts = assigned.agg(
        F.count_if(is_arrival & is_new).alias(store_schema.NEW),
        F.count_if(is_arrival & ~is_new).alias(store_schema.DUPLICATE),
        F.count_if(F.col("part") == OLD_SINGLE).alias(store_schema.FIRST_DUPLICATE),
        F.count_if(is_merged).alias(store_schema.MERGED),
        F.count_if(is_group).alias("old_groups"),
        F.count_if(is_changed & ~is_group).alias("new_members"),
    )
    keys = assigned.filter(is_changed).select(schema.GROUP_ID, store_schema.IS_TEXT_GROUP, schema.GROUP_SIZE)
    groups = keys.distinct().agg(
        F.count("*").alias("changed_groups"), F.coalesce(F.sum(schema.GROUP_SIZE), F.lit(0)).alias("members")
    )
    # every old group that is not merged gives its id to a changed one
    new_groups = F.col("changed_groups") - F.col("old_groups") + F.col(store_schema.MERGED)
    return parts.crossJoin(groups).withColumn("new_groups", new_groups).drop("old_groups")


def _unless(condition: Column, value: Column) -> Column:
    return F.when(~condition, value)
