"""A batch on its way into the store: from its documents to the groups that they are in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from simhash_udf import schema, store_schema
from simhash_udf.config import Settings
from simhash_udf.keeping import KEEP_PREFIX
from simhash_udf.pipeline.connecting import Connector
from simhash_udf.pipeline.fingerprinting import Fingerprinted
from simhash_udf.pipeline.grouping import check_node_ids
from simhash_udf.runtime.tables import StageTable, Tables
from simhash_udf.stages.assignment import Parts, assign_groups, build_graph
from simhash_udf.stages.stored import (
    NODE_KEY,
    current_groups,
    current_memberships,
    documents_of_texts,
    rows_with,
    with_node_key,
)
from simhash_udf.store.admission import Admitted
from simhash_udf.store.frames import StoreFrames
from simhash_udf.store.layout import FINGERPRINTS, GROUPS, MEMBERSHIPS
from simhash_udf.store.matching import Matcher, Near
from simhash_udf.store.reading import find_documents


@dataclass(frozen=True)
class Assigned:
    """Which groups a batch makes or changes.

    Parameters
    ----------
    table
        Table assigned.
    old
        ``node_id, is_text_group, group_id`` of the stored nodes that the batch is near to, before it came.
    """

    table: StageTable
    old: StageTable


def store_columns(made: Fingerprinted, keep_values: DataFrame | None, settings: Settings, tables: Tables) -> StageTable:
    """Return the batch in the columns of a store's fingerprints."""
    run_id = settings.run_id or ""
    frame = made.table.frame.withColumns(
        {store_schema.ID_HASH: F.xxhash64(schema.DOC_ID), store_schema.RUN_ID: F.lit(run_id)}
    )
    if keep_values is None:
        return StageTable(frame, made.table.digest, made.table.rows)
    key = {"fingerprints": made.table.digest, "keep": list(settings.keep), "run_id": run_id}
    return tables.table("documents", key, lambda: frame.join(keep_values, on=schema.DOC_ID, how="left"))


def stored_schema(documents: DataFrame, num_views: int) -> StructType:
    """Return the schema of a store's fingerprints for a batch in its columns."""
    keep = [field for field in documents.schema.fields if field.name.startswith(KEEP_PREFIX)]
    return store_schema.stored(documents.schema[schema.DOC_ID].dataType, num_views, keep)


def assign_batch(admitted: Admitted, matcher: Matcher, settings: Settings, tables: Tables) -> Assigned:
    """Return the groups of a batch of at least one document."""
    batch = admitted.batch
    check_node_ids(batch.frame)
    near = matcher.near_by_join(batch) if admitted.is_joined else matcher.near_by_scan(batch, admitted.scan)
    key: dict[str, Any] = {"near": near.digest, "batch": batch.digest}
    frames = matcher.frames
    old = tables.table("old", key, lambda: _old_nodes(near, batch, frames))
    graph = build_graph(near.edges, old.frame)
    connector = Connector(tables, matcher.cores)
    components = tables.table("components", key, lambda: connector.components(graph, near.rows + old.rows))

    def build() -> DataFrame:
        parts = Parts(with_node_key(batch.frame), _singles(old, frames), _groups(old, frames))
        return assign_groups(parts, components.frame, num_views=matcher.num_views, keep=settings.keep)

    assigned = tables.table("assigned", key | {"keep": list(settings.keep)}, build)
    return Assigned(assigned, old)


def _old_nodes(near: Near, batch: StageTable, frames: StoreFrames) -> DataFrame:
    """``node_id, is_text_group, group_id`` of the stored nodes that a batch has to do with."""
    nodes = near.old.select(schema.NODE_ID, F.lit(False).alias(store_schema.IS_TEXT_GROUP))
    texts = with_node_key(batch.frame).select(*NODE_KEY).filter(store_schema.IS_TEXT_GROUP)
    stored_texts = documents_of_texts(frames.table(FINGERPRINTS), texts, num_wanted=batch.rows)
    nodes = nodes.unionByName(stored_texts.select(*NODE_KEY)).distinct()
    rows = rows_with(frames.table(MEMBERSHIPS), nodes, NODE_KEY, num_wanted=near.rows)
    current = current_memberships(rows).drop(store_schema.VERSION)
    return nodes.join(current, on=NODE_KEY, how="left")


def _singles(old: StageTable, frames: StoreFrames) -> DataFrame:
    """Stored documents without a duplicate that the batch is near to."""
    nodes = old.frame.filter(F.col(schema.GROUP_ID).isNull())
    if not old.rows:
        return with_node_key(frames.table(FINGERPRINTS).limit(0))
    return find_documents(frames, nodes, num_wanted=old.rows)


def _groups(old: StageTable, frames: StoreFrames) -> DataFrame:
    """Stored groups that the batch is near to."""
    keys = [schema.GROUP_ID, store_schema.IS_TEXT_GROUP]
    named = old.frame.filter(F.col(schema.GROUP_ID).isNotNull())
    return current_groups(rows_with(frames.table(GROUPS), named, keys, num_wanted=old.rows))
