"""Compaction: many small files become few, and rows that newer ones replaced go."""

from __future__ import annotations

from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from simhash_udf.stages.stored import current_groups, current_memberships
from simhash_udf.store import layout
from simhash_udf.store.changing import Change, Files, change
from simhash_udf.store.frames import ROWS_PER_FILE
from simhash_udf.store.manifest import COMPACT, DataFile

APPENDED = (layout.FINGERPRINTS, layout.ANSWERS, layout.CHANGES)


def compact_store(spark: SparkSession, store: str, *, wait_s: float) -> str:
    """Compact a store and return one line on what was done.

    Files of half of `ROWS_PER_FILE` rows and more stay as they are. What was replaced is removed by the next run, so a
    reader that is at it comes to its end.
    """
    with change(spark, store, "compact", wait_s=wait_s) as made:
        before = made.newest.tables
        tables = {name: _merged(made, name) for name in APPENDED} | current_tables(made)
        manifest = made.publish(COMPACT, tables)
    files = [sum(len(files) for files in tables.values()) for tables in (before, manifest.tables)]
    return f"{store}: version {manifest.version}, {files[0]} files became {files[1]}"


def current_tables(made: Change) -> Files:
    """Write the current rows of memberships and groups."""
    tables = {layout.MEMBERSHIPS: current_memberships, layout.GROUPS: current_groups}
    frames = made.frames
    return {
        name: made.write(name, current(frames.table(name)), rows=frames.rows(name)) for name, current in tables.items()
    }


def _merged(made: Change, name: str) -> tuple[DataFile, ...]:
    """The files of a table, small ones merged."""
    files = made.newest.tables.get(name, ())
    small = [file for file in files if file.rows < ROWS_PER_FILE // 2]
    if len(small) < 2:
        return files
    frame = made.frames.files([file.path for file in small], StructType.fromJson(made.newest.schemas[name]))
    written = made.write(name, frame, rows=sum(file.rows for file in small))
    return (*(file for file in files if file not in small), *written)
