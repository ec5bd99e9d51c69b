"""Forgetting: documents are taken out of a store, with every file that has their ids or fingerprints."""

from __future__ import annotations

import logging
import posixpath

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from simhash_udf import schema, store_schema
from simhash_udf.runtime.tables import StageTable
from simhash_udf.stages.remaining import name_changes, regroup_remaining
from simhash_udf.stages.stored import (
    BROADCAST_KEYS,
    GROUP_KEY,
    NODE_KEY,
    current_groups,
    current_memberships,
    documents_of_nodes,
    rows_with,
    with_node_key,
)
from simhash_udf.store import layout
from simhash_udf.store.changing import Change, Files, change, count_groups
from simhash_udf.store.ids import read_ids
from simhash_udf.store.manifest import FORGET, DataFile, Manifest
from simhash_udf.store.publishing import delete_data
from simhash_udf.store.views import num_views

log = logging.getLogger("simhash_udf")

_NAMED = {layout.ANSWERS: store_schema.DUPLICATE_OF, layout.CHANGES: schema.REPRESENTATIVE_ID}
"""Tables that name a second document, and where: the row stays without that name."""


def forget_documents(spark: SparkSession, store: str, path: str, *, wait_s: float) -> str:
    """Take the documents whose ids are in a file out of a store, and return one line on what was done.

    What is left of their groups stays together; a group that lost its representative gets another one by the keep
    policies, and the change is listed. Files with their ids are removed at once, so a reader that is at one fails.

    Parameters
    ----------
    spark
        Session that reads and writes.
    store
        Directory of the store.
    path
        As for `ids.read_ids`.
    wait_s
        Seconds to wait for another run.

    Raises
    ------
    InputError
        There is no store, it is damaged or held, or the file has no ids of its type.
    """
    with change(spark, store, "forget", wait_s=wait_s) as made:
        fields = StructType.fromJson(made.newest.schemas[layout.FINGERPRINTS])
        ids = made.tables.table("ids", {}, lambda: read_ids(spark, path, fields[schema.DOC_ID].dataType))
        found = made.tables.table("found", {}, lambda: _found(made, ids))
        if not found.rows:
            return f"{store}: none of {ids.rows} ids is in the store; nothing was changed"
        remaining = made.tables.table("remaining", {}, lambda: _remaining(made, found))
        tables = _regrouped(made, found, remaining) | _without(made, ids)
        changed = made.write(f"new_{layout.CHANGES}", _changes(remaining.frame, made.version), rows=remaining.rows)
        tables[layout.CHANGES] = (*tables[layout.CHANGES], *changed)
        manifest = made.publish(FORGET, tables, counts=_counts(made, tables, found.rows))
        _remove_replaced(store, made.newest, manifest)
    lost = sum(file.rows for file in changed)
    return (
        f"{store}: version {manifest.version}; {found.rows} documents taken out, {ids.rows - found.rows} ids unknown, "
        f"{lost} others in another group or with another representative"
    )


def _found(made: Change, ids: StageTable) -> DataFrame:
    """``doc_id, node_id, is_text_group`` of the documents to forget."""
    stored = made.frames.table(layout.FINGERPRINTS)
    mine = rows_with(stored, ids.frame, [schema.DOC_ID], num_wanted=ids.rows)
    return with_node_key(mine).select(schema.DOC_ID, *NODE_KEY)


def _remaining(made: Change, found: StageTable) -> DataFrame:
    """The other documents of their groups, with the groups that these are in now."""
    frames = made.frames
    memberships = current_memberships(frames.table(layout.MEMBERSHIPS)).drop(store_schema.VERSION)
    touched = rows_with(memberships, found.frame, NODE_KEY, num_wanted=found.rows).select(*GROUP_KEY).distinct()
    nodes = memberships.join(touched, on=GROUP_KEY, how="left_semi")
    groups = current_groups(frames.table(layout.GROUPS)).select(*GROUP_KEY, schema.REPRESENTATIVE_ID)
    documents = documents_of_nodes(frames.table(layout.FINGERPRINTS), nodes, num_wanted=BROADCAST_KEYS + 1)
    left = documents.join(found.frame.select(schema.DOC_ID), on=schema.DOC_ID, how="left_anti")
    placed = left.join(nodes, on=NODE_KEY, how="inner").join(groups, on=GROUP_KEY, how="inner")
    keep = made.newest.specification["keep"]
    return regroup_remaining(placed, num_views=num_views(frames), keep=keep)


def _regrouped(made: Change, found: StageTable, remaining: StageTable) -> Files:
    """Current memberships and groups, with what remains of the groups that lost documents."""
    frames = made.frames
    memberships = current_memberships(frames.table(layout.MEMBERSHIPS))
    groups = current_groups(frames.table(layout.GROUPS))
    touched = rows_with(memberships, found.frame, NODE_KEY, num_wanted=found.rows).select(*GROUP_KEY).distinct()
    version = F.lit(made.version).cast("long").alias(store_schema.VERSION)
    left = remaining.frame.filter(F.col(schema.GROUP_SIZE) > 1)
    nodes = left.select(*NODE_KEY, schema.GROUP_ID, version).distinct()
    names = left.dropDuplicates(GROUP_KEY).select(*groups.columns[:-1], version)
    tables = {
        layout.MEMBERSHIPS: memberships.join(touched, on=GROUP_KEY, how="left_anti").unionByName(nodes),
        layout.GROUPS: groups.join(touched, on=GROUP_KEY, how="left_anti").unionByName(names),
    }
    return {
        name: made.write(name, frame.select(*frames.table(name).columns), rows=frames.rows(name))
        for name, frame in tables.items()
    }


def _without(made: Change, ids: StageTable) -> Files:
    """The other tables without the ids: files that have them are written anew, the others stay."""
    return {name: _rewritten(made, name, ids) for name in (layout.FINGERPRINTS, layout.ANSWERS, layout.CHANGES)}


def _rewritten(made: Change, name: str, ids: StageTable) -> tuple[DataFile, ...]:
    """The files of a table, with new ones in place of those that have the ids."""
    files = made.newest.tables.get(name, ())
    if not files:
        return ()
    named = _NAMED.get(name)
    hits = _files_with(made.frames.table(name), ids, [schema.DOC_ID, *([named] if named else [])])
    stale = [file for file in files if posixpath.basename(file.path) in hits]
    if not stale:
        return files
    frame = made.frames.files([file.path for file in stale], StructType.fromJson(made.newest.schemas[name]))
    columns = frame.columns
    frame = frame.join(_few(ids), on=schema.DOC_ID, how="left_anti")
    if named:
        gone = ids.frame.select(F.col(schema.DOC_ID).alias(named), F.lit(True).alias("is_gone"))
        marked = frame.join(gone, on=named, how="left")
        frame = marked.withColumn(named, F.when(F.col("is_gone").isNull(), F.col(named)))
    rows = sum(file.rows for file in stale)
    written = made.write(name, frame.select(*(F.col(f"`{column}`") for column in columns)), rows=rows)
    return (*(file for file in files if file not in stale), *written)


def _files_with(frame: DataFrame, ids: StageTable, columns: list[str]) -> set[str]:
    """Names of the files in which one of the columns has one of the ids; there are few files."""
    placed = frame.select(*columns, F.element_at(F.split("_metadata.file_path", "/"), -1).alias("file"))
    found: set[str] = set()
    for column in columns:
        wanted = _few(ids).withColumnRenamed(schema.DOC_ID, column)
        rows = placed.join(wanted, on=column, how="left_semi").select("file").distinct().collect()
        found |= {row["file"] for row in rows}
    return found


def _few(ids: StageTable) -> DataFrame:
    return F.broadcast(ids.frame) if ids.rows <= BROADCAST_KEYS else ids.frame


def _changes(remaining: DataFrame, version: int) -> DataFrame:
    """Table changes of what remains."""
    is_alone = F.col(schema.GROUP_SIZE) == 1
    rows = remaining.select(
        schema.DOC_ID,
        store_schema.OLD_GROUP_ID,
        "old_representative_id",
        F.when(~is_alone, F.col(schema.GROUP_ID)).alias(store_schema.NEW_GROUP_ID),
        F.when(~is_alone, F.col(schema.REPRESENTATIVE_ID)).alias(schema.REPRESENTATIVE_ID),
    )
    return name_changes(rows, version=version)


def _counts(made: Change, tables: Files, forgotten: int) -> dict[str, int]:
    """What the store has afterwards."""
    fields = StructType.fromJson(made.newest.schemas[layout.GROUPS])
    files = [file.path for file in tables[layout.GROUPS]]
    groups = made.frames.files(files, fields) if files else made.frames.table(layout.GROUPS).limit(0)
    return {"documents": made.newest.counts["documents"] - forgotten, **count_groups(groups)}


def _remove_replaced(store: str, before: Manifest, after: Manifest) -> None:
    """Remove the files that the new version does not name, with their checksums."""
    kept = {file.path for files in after.tables.values() for file in files}
    for files in before.tables.values():
        for file in files:
            if file.path not in kept:
                delete_data(store, file.path)
