"""Rebuilding: groups anew from the stored fingerprints, as one run over all documents makes them; no text is read."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from simhash_udf import schema, store_schema
from simhash_udf.columns import view_words
from simhash_udf.config import Settings, validated
from simhash_udf.pipeline.connecting import Connector
from simhash_udf.pipeline.joining import join_nodes
from simhash_udf.pipeline.planning import plan_join
from simhash_udf.runtime.tables import StageTable
from simhash_udf.stages.fingerprints import select_nodes
from simhash_udf.stages.groups import build_groups
from simhash_udf.stages.remaining import changes_between
from simhash_udf.stages.stored import with_node_key
from simhash_udf.store import layout
from simhash_udf.store.changing import Change, change, count_groups
from simhash_udf.store.manifest import REBUILD
from simhash_udf.store.views import members_of_store, num_views


def rebuild_store(
    spark: SparkSession, store: str, *, max_distance: int, max_total_distance: int | None, wait_s: float
) -> str:
    """Make the groups of a store anew for a k, and return one line on what was done.

    Group ids and representatives are those of one run over all its documents; documents whose group or representative
    is another one now are listed as changes.

    Raises
    ------
    SettingError
        The distance is out of range, or the join would cost more than the settings allow.
    InputError
        There is no store, or it is damaged or held.
    """
    with change(spark, store, "rebuild", wait_s=wait_s) as made:
        views = tuple(view["tokenizer"] for view in made.newest.specification["views"])
        given: dict[str, Any] = {"max_distance": max_distance, "max_total_distance": max_total_distance, "views": views}
        settings: Settings = validated(Settings, given)
        members = made.tables.table("groups", {}, lambda: _groups(made, settings))
        old = members_of_store(made.frames).select(schema.DOC_ID, schema.GROUP_ID, schema.REPRESENTATIVE_ID)
        changes = made.tables.table("changes", {}, lambda: changes_between(old, members.frame, version=made.version))
        named = made.tables.table("named", {}, lambda: _named_groups(made, members))
        tables = {
            layout.MEMBERSHIPS: made.write(layout.MEMBERSHIPS, _memberships(made, members.frame), rows=members.rows),
            layout.GROUPS: made.write(layout.GROUPS, named.frame, rows=named.rows),
            layout.CHANGES: (
                *made.newest.tables.get(layout.CHANGES, ()),
                *made.write(layout.CHANGES, changes.frame, rows=changes.rows),
            ),
        }
        counts = {"documents": made.newest.counts["documents"], **count_groups(named.frame)}
        limits = {"max_distance": settings.max_distance, "max_total_distance": settings.total_distance}
        manifest = made.publish(REBUILD, tables, counts=counts, **limits)
    return (
        f"{store}: version {manifest.version}, {counts['groups']} groups with {counts['members']} members for "
        f"max_distance={max_distance}; {changes.rows} documents changed"
    )


def _groups(made: Change, settings: Settings) -> DataFrame:
    """Table groups of all stored documents."""
    stored = made.frames.table(layout.FINGERPRINTS)
    views = num_views(made.frames)
    nodes = select_nodes(stored, num_views=views)
    plan = plan_join(nodes, made.frames.rows(layout.FINGERPRINTS), settings, made.cores)
    joined = join_nodes(nodes, plan, settings, made.tables, {"store": made.newest.version})
    connector = Connector(made.tables, made.cores)
    key = {"pairs": joined.digests}
    components = made.tables.table("components", key, lambda: connector.components(joined.edges, joined.rows))
    keep = made.newest.specification["keep"]
    return build_groups(stored, components.frame, num_views=views, keep=keep, keep_values=None)


def _node_key(members: DataFrame) -> DataFrame:
    """Members with the key of their node: the group's id for texts without a fingerprint, which is their digest."""
    has_none = F.col(schema.NODE_ID).isNull()
    return members.withColumns(
        {
            store_schema.IS_TEXT_GROUP: has_none,
            schema.NODE_ID: F.when(has_none, F.col(schema.GROUP_ID)).otherwise(F.col(schema.NODE_ID)),
        }
    )


def _memberships(made: Change, members: DataFrame) -> DataFrame:
    rows = _node_key(members).select(schema.NODE_ID, store_schema.IS_TEXT_GROUP, schema.GROUP_ID).distinct()
    return rows.withColumn(store_schema.VERSION, F.lit(made.version).cast("long"))


def _named_groups(made: Change, members: StageTable) -> DataFrame:
    """Rows of a store's groups, from the members that are kept."""
    kept = _node_key(members.frame.filter(schema.IS_REPRESENTATIVE))
    stored = with_node_key(made.frames.table(layout.FINGERPRINTS))
    described = stored.drop(schema.NODE_ID, store_schema.IS_TEXT_GROUP)
    words = F.array(*view_words(described, num_views(made.frames))).alias("representative_words")
    columns = [schema.DOC_ID, store_schema.RUN_ID, schema.TEXT_DIGEST, schema.TEXT_LENGTH]
    named = kept.join(described.select(*columns, words), on=schema.DOC_ID, how="inner")
    return named.select(
        schema.GROUP_ID,
        store_schema.IS_TEXT_GROUP,
        schema.GROUP_SIZE,
        F.col(schema.DOC_ID).alias(schema.REPRESENTATIVE_ID),
        *columns[1:],
        F.col("representative_words").alias(schema.FINGERPRINTS),
        F.lit(made.version).cast("long").alias(store_schema.VERSION),
    )
