"""Groups: documents joined back to their components, with one representative kept in each."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.columns import node_id, resolve_column, view_words
from simhash_udf.errors import InputError
from simhash_udf.udf.columns import hamming_distance

_ORDER = "__order_"
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
        Policies in order of importance; see `order_of`.
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
        _distance(words).alias(schema.DISTANCE),
        _match(words).alias(schema.MATCH),
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


def order_of(policy: str) -> list[Column]:
    """Return the sort order of a keep policy: the document to keep comes first, missing values last.

    ``first`` and ``last`` are by document id, ``longest`` and ``shortest`` by characters of the normalised text,
    ``min:COLUMN`` and ``max:COLUMN`` by a column, ``priority:COLUMN=a,b`` by its place in the list.
    """
    name, _, argument = policy.partition(":")
    if name == "priority":
        return [_place_in_list(*argument.split("=", 1)).asc_nulls_last()]
    if name in {"min", "max"}:
        column = _keep_column(argument)
        return [column.asc_nulls_last() if name == "min" else column.desc_nulls_last()]
    if name in {"longest", "shortest"}:
        length = F.col(schema.TEXT_LENGTH)
        return [length.desc() if name == "longest" else length.asc()]
    return [F.col(schema.DOC_ID).desc()] if name == "last" else []  # first: the last tie-break of all policies


def keep_columns(keep: Sequence[str]) -> list[str]:
    """Return the names of the user's columns that the policies read."""
    return sorted({policy.partition(":")[2].partition("=")[0] for policy in keep if ":" in policy})


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
    columns = [resolve_column(frame, name, option="keep").alias(_ORDER + name) for name in names]
    values = frame.select(resolve_column(frame, id_column, option="id_column").alias(schema.DOC_ID), *columns)
    for field in values.schema.fields:
        if field.dataType.typeName() in {"map", "array", "struct", "variant"}:
            name = field.name.removeprefix(_ORDER)
            raise InputError(f"keep: column {name} has type {field.dataType.simpleString()}, which has no order")
    return values


def _place_in_list(name: str, values: str) -> Column:
    """Place of a column's value in a comma-separated list, NULL if it is not there."""
    listed = F.array(*(F.lit(value) for value in values.split(",")))
    return F.nullif(F.array_position(listed, _keep_column(name).cast("string")), F.lit(0))


def _keep_column(name: str) -> Column:
    return F.col(f"`{_ORDER}{name}`")


def _with_group_id(fingerprints: DataFrame, components: DataFrame) -> DataFrame:
    node = node_id(fingerprints)
    labelled = fingerprints.withColumn("node", node).join(
        components.withColumnRenamed(schema.NODE_ID, "node"), on="node", how="left"
    )
    # a digest and a component id may be equal numbers, so the kind of group is part of the key
    return labelled.withColumn(
        schema.GROUP_ID, F.coalesce(F.col(schema.COMPONENT_ID), F.col("node"), F.col(schema.TEXT_DIGEST))
    ).withColumn("is_text_group", F.col("node").isNull())


def _is_same_text() -> Column:
    same_digest = F.col(schema.TEXT_DIGEST) == F.col(f"best.{schema.TEXT_DIGEST}")
    return same_digest & (F.col(schema.TEXT_LENGTH) == F.col(f"best.{schema.TEXT_LENGTH}"))


def _distance(words: list[Column]) -> Column:
    """Hamming distance to the representative, in the view in which the two are nearest; 0 in a group by equal text."""
    views = [hamming_distance(word, F.col("best.words")[view]) for view, word in enumerate(words)]
    nearest = F.least(*views) if len(views) > 1 else views[0]
    return F.when(F.col("is_text_group"), F.lit(0)).otherwise(nearest)


def _match(words: list[Column]) -> Column:
    is_same_node = F.array(*words) == F.col("best.words")
    same = F.when(_is_same_text(), schema.SAME_TEXT)
    return same.when(is_same_node, schema.SAME_FINGERPRINT).otherwise(schema.NEAR)
