"""Assignment: which group each document of a batch is in, old groups keeping their ids and their representatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from simhash_udf import schema, store_schema
from simhash_udf.columns import view_words
from simhash_udf.keeping import distance_to_best, keep_column, keep_columns, match_with_best, order_of
from simhash_udf.store_schema import ARRIVAL, OLD_GROUP, OLD_SINGLE

_LABEL = "label"
_KEY = [_LABEL, store_schema.IS_TEXT_GROUP]


@dataclass(frozen=True)
class Parts:
    """What the groups of a batch are made of.

    Parameters
    ----------
    arrivals
        Documents of the batch: a store's fingerprints, with ``is_text_group`` and the ``node_id`` that goes with it.
    singles
        Stored documents that had no duplicate and are near to an arrival, in the same columns.
    groups
        Current rows of the stored groups that an arrival is near to.
    """

    arrivals: DataFrame
    singles: DataFrame
    groups: DataFrame


def build_graph(edges: DataFrame, old: DataFrame) -> DataFrame:
    """Return table edges of what a batch joins: its edges, and each stored node with the node its group is named after.

    Parameters
    ----------
    edges
        Table edges, one end of each in the batch.
    old
        ``node_id, is_text_group, group_id``: stored nodes of edges; the group is NULL where there is none.
    """
    named = old.filter(~F.col(store_schema.IS_TEXT_GROUP) & (F.col(schema.GROUP_ID) != F.col(schema.NODE_ID)))
    ends = [F.col(schema.NODE_ID), F.col(schema.GROUP_ID)]
    inside = named.select(F.least(*ends).alias(schema.SRC), F.greatest(*ends).alias(schema.DST))
    return edges.unionByName(inside.withColumn(schema.DISTANCE, F.lit(0)))  # src < dst: the two differ


def assign_groups(parts: Parts, components: DataFrame, *, num_views: int, keep: Sequence[str]) -> DataFrame:
    """Return table assigned.

    A group's id is the smallest of the stored groups in it, or else its smallest node. Its representative is that of
    the stored group whose id it has, or else the first by the keep policies: of the stored documents, if there are any.

    Parameters
    ----------
    parts
        What may become a group.
    components
        Of the graph that `build_graph` gives.
    num_views, keep
        Fingerprints of a document, and the keep policies.

    Returns
    -------
    DataFrame
        One row a part, in no order. Cost: one shuffle of the batch.
    """
    kept = keep_columns(keep)
    rows = _documents(parts.arrivals, ARRIVAL, num_views, kept).unionByName(
        _documents(parts.singles, OLD_SINGLE, num_views, kept)
    )
    rows = rows.unionByName(_groups(parts.groups), allowMissingColumns=True)
    labels = components.withColumn(store_schema.IS_TEXT_GROUP, F.lit(False))
    labelled = rows.join(labels, on=[schema.NODE_ID, store_schema.IS_TEXT_GROUP], how="left")
    label = F.coalesce(F.col(schema.COMPONENT_ID), F.col(schema.NODE_ID)).alias(_LABEL)
    grouped = labelled.select("*", label).drop(schema.COMPONENT_ID)
    order = [column for policy in keep for column in order_of(policy)]
    # stored groups by id, so that the smallest gives the representative; they have no values to keep by
    ordered = Window.partitionBy(*_KEY).orderBy(
        "part", F.col(store_schema.OLD_GROUP_ID).asc_nulls_last(), *order, schema.DOC_ID
    )
    whole = ordered.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)  # one sort for all columns
    described = grouped.withColumns(
        {
            schema.GROUP_ID: F.coalesce(
                F.min(store_schema.OLD_GROUP_ID).over(whole), F.min(schema.NODE_ID).over(whole)
            ),
            schema.GROUP_SIZE: F.sum("part_size").over(whole),
            "best": F.first(F.struct(*_BEST)).over(whole),
        }
    )
    words = [F.col("words")[view] for view in range(num_views)]
    described = described.withColumns({schema.DISTANCE: distance_to_best(words), schema.MATCH: match_with_best(words)})
    return described.select(*store_schema.assigned(parts.arrivals.schema[schema.DOC_ID].dataType).names)


_BEST = [schema.DOC_ID, store_schema.RUN_ID, schema.TEXT_DIGEST, schema.TEXT_LENGTH, "words"]


def _documents(documents: DataFrame, part: int, num_views: int, kept: Sequence[str]) -> DataFrame:
    """Documents as parts."""
    return documents.select(
        F.lit(part).alias("part"),
        schema.NODE_ID,
        store_schema.IS_TEXT_GROUP,
        F.lit(None).cast("long").alias(store_schema.OLD_GROUP_ID),
        F.lit(1).cast("long").alias("part_size"),
        *_BEST[:-1],
        _words(documents, num_views).alias("words"),
        *(keep_column(name) for name in kept),
    )


def _words(documents: DataFrame, num_views: int) -> Column:
    """Fingerprints as an array, of NULLs where there are none."""
    return F.array(*view_words(documents, num_views))


def _groups(groups: DataFrame) -> DataFrame:
    """Stored groups as parts: their node is the one that they are named after, their document the representative."""
    return groups.select(
        F.lit(OLD_GROUP).alias("part"),
        F.col(schema.GROUP_ID).alias(schema.NODE_ID),
        store_schema.IS_TEXT_GROUP,
        F.col(schema.GROUP_ID).alias(store_schema.OLD_GROUP_ID),
        F.col(schema.GROUP_SIZE).alias("part_size"),
        F.col(schema.REPRESENTATIVE_ID).alias(schema.DOC_ID),
        *_BEST[1:-1],
        F.col(schema.FINGERPRINTS).alias("words"),
    )
