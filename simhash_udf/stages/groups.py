"""Groups: documents joined back to their components, with one representative kept in each."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.columns import node_id, resolve_column, view_words
from simhash_udf.errors import InputError
from simhash_udf.keeping import KEEP_PREFIX, distance_to_best, keep_columns, match_with_best, order_of

_KEY = [schema.GROUP_ID, "is_text_group"]


def build_groups(
    fingerprints: DataFrame,
    components: DataFrame,
    *,
    num_views: int,
    keep: Sequence[str],
    keep_values: DataFrame | None,
) -> DataFrame:
    """Return the groups table: every document that has at least one duplicate.

    Documents with a fingerprint are grouped by component, those without one by equal text.
    The first document by the ``keep`` policies, then by the smallest id, is the representative.

    Parameters
    ----------
    fingerprints, components
        The tables of those names.
    num_views
        Fingerprints of a document.
    keep
        Policies in order of importance; see `keeping.order_of`.
    keep_values
        ``doc_id`` and the columns that the policies name, None if they name none.

    Returns
    -------
    DataFrame
        Table groups, in no order. Cost: a count of groups, then one shuffle of the members.
    """
    keyed = _with_group_id(fingerprints, components)
    sizes = keyed.groupBy(*_KEY).agg(F.count("*").alias(schema.GROUP_SIZE)).filter(F.col(schema.GROUP_SIZE) > 1)
    members = keyed.join(sizes, on=_KEY, how="inner")
    if keep_values is not None:
        members = members.join(keep_values, on=schema.DOC_ID, how="left")
    words = view_words(members, num_views)
    order = [column for policy in keep for column in order_of(policy)]
    first = Window.partitionBy(*_KEY).orderBy(*order, F.col(schema.DOC_ID).asc())
    best = F.first(F.struct(schema.DOC_ID, schema.TEXT_DIGEST, schema.TEXT_LENGTH, F.array(*words).alias("words")))
    described = members.withColumn("best", best.over(first))
    return described.select(
        schema.DOC_ID,
        schema.GROUP_ID,
        schema.GROUP_SIZE,
        (F.col(schema.DOC_ID) == F.col("best.doc_id")).alias(schema.IS_REPRESENTATIVE),
        F.col("best.doc_id").alias(schema.REPRESENTATIVE_ID),
        distance_to_best(words).alias(schema.DISTANCE),
        match_with_best(words).alias(schema.MATCH),
        F.lit(None).cast("double").alias(schema.SIMILARITY),
        F.col("node").alias(schema.NODE_ID),
    )


def rank_nodes(
    fingerprints: DataFrame,
    components: DataFrame,
    *,
    num_views: int,
    keep: Sequence[str],
    keep_values: DataFrame | None,
) -> DataFrame:
    """Return ``component_id, node_id, place, words``: the nodes of components in the order in which they are kept.

    The place of a node in its component is that of its first document by the ``keep`` policies, then by the smallest
    id. Parameters are those of `build_groups`. Cost: two shuffles of the documents of components.
    """
    node = node_id(fingerprints).alias("node")
    words = F.array(*view_words(fingerprints, num_views)).alias("words")
    documents = fingerprints.select(schema.DOC_ID, schema.TEXT_LENGTH, node, words)
    members = documents.join(components.withColumnRenamed(schema.NODE_ID, "node"), on="node", how="inner")
    if keep_values is not None:
        members = members.join(keep_values, on=schema.DOC_ID, how="left")
    order = [column for policy in keep for column in order_of(policy)]
    kept_first = Window.partitionBy(schema.COMPONENT_ID).orderBy(*order, F.col(schema.DOC_ID).asc())
    placed = members.withColumn(schema.PLACE, F.row_number().over(kept_first).cast("long"))
    nodes = placed.groupBy(schema.COMPONENT_ID, F.col("node").alias(schema.NODE_ID))
    return nodes.agg(F.min(schema.PLACE).alias(schema.PLACE), F.first("words").alias("words"))


def select_keep_values(frame: DataFrame, *, id_column: str, keep: Sequence[str]) -> DataFrame | None:
    """Return ``doc_id`` and the columns that the policies name, None if they name none.

    Raises
    ------
    InputError
        A column is missing or its values have no order.
    """
    names = keep_columns(keep)
    if not names:
        return None
    columns = [resolve_column(frame, name, option="keep").alias(KEEP_PREFIX + name) for name in names]
    values = frame.select(resolve_column(frame, id_column, option="id_column").alias(schema.DOC_ID), *columns)
    for field in values.schema.fields:
        if field.dataType.typeName() in {"map", "array", "struct", "variant"}:
            name = field.name.removeprefix(KEEP_PREFIX)
            raise InputError(f"keep: column {name} has type {field.dataType.simpleString()}, which has no order")
    return values


def _with_group_id(fingerprints: DataFrame, components: DataFrame) -> DataFrame:
    node = node_id(fingerprints)
    labelled = fingerprints.withColumn("node", node).join(
        components.withColumnRenamed(schema.NODE_ID, "node"), on="node", how="left"
    )
    # a digest and a component id may be equal numbers, so the kind of group is part of the key
    return labelled.withColumn(
        schema.GROUP_ID, F.coalesce(F.col(schema.COMPONENT_ID), F.col("node"), F.col(schema.TEXT_DIGEST))
    ).withColumn("is_text_group", F.col("node").isNull())
