"""Passes over the stored fingerprints: by the tasks themselves where the store lies on disks, else by Spark.

On an object store or HDFS Spark reads, with the credentials that it has; there the hand-over of rows to Python is most
of what a pass costs.
"""

from __future__ import annotations

import pyarrow as pa
from pyarrow import fs
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from simhash_udf import schema, store_schema
from simhash_udf.columns import node_id
from simhash_udf.kernel.batch_query import Batch
from simhash_udf.runtime.session import num_cores
from simhash_udf.runtime.storage import filesystem, normalized_path
from simhash_udf.stages.stored import BROADCAST_KEYS, documents_of_nodes, documents_of_texts, scan_stored
from simhash_udf.store.frames import StoreFrames
from simhash_udf.store.layout import FINGERPRINTS
from simhash_udf.udf.stored_files import find_in_files, match_files

BYTES_PER_PART = 64 << 20
"""Of a file that one task reads at a time: half of a row group as Spark writes them, so that few tasks have none."""

_PLAIN = (T.StringType, T.LongType, T.IntegerType, T.ShortType, T.ByteType, T.BooleanType, T.DoubleType, T.DateType)
"""Types that Arrow reads from a Parquet file as Spark does, whatever the session's time zone and modes."""


def scan_store(frames: StoreFrames, batch: Batch) -> DataFrame:
    """Return table scan: stored nodes near the batch's, and ids that both have.

    Cost: one pass over ``id_hash`` and the fingerprints, 8 bytes and 8 a view for each stored document; no shuffle.
    """
    if not _is_on_disks(frames):
        return scan_stored(frames.table(FINGERPRINTS), batch)
    return _parts(frames).mapInArrow(match_files(batch, open_stored), store_schema.SCAN)


def find_documents(frames: StoreFrames, nodes: DataFrame, *, num_wanted: int) -> DataFrame:
    """Return the stored documents of some nodes, with ``node_id, is_text_group``; see `documents_of_nodes`.

    Cost: one pass over one column of the fingerprints; the others are read of row groups that have such documents.
    """
    stored = frames.table(FINGERPRINTS)
    if num_wanted > BROADCAST_KEYS or not _is_on_disks(frames) or not all(map(_is_plain, stored.schema.fields)):
        return documents_of_nodes(stored, nodes, num_wanted=num_wanted)
    wanted = nodes.filter(~F.col(store_schema.IS_TEXT_GROUP)).select(schema.NODE_ID).toArrow().column(0).to_numpy()
    column = schema.NODE_ID if schema.NODE_ID in stored.columns else schema.FINGERPRINT
    find = find_in_files(wanted, column, to_arrow_schema(stored.schema), open_stored)
    found = _parts(frames).mapInArrow(find, stored.schema)
    found = found.withColumns({schema.NODE_ID: node_id(found), store_schema.IS_TEXT_GROUP: F.lit(False)})
    texts = nodes.filter(store_schema.IS_TEXT_GROUP)
    return found.unionByName(documents_of_texts(stored, texts, num_wanted=num_wanted))


def open_stored(path: str) -> pa.NativeFile:
    """Open a file of a store."""
    files, place = filesystem(path)
    return files.open_input_file(place)


def _is_on_disks(frames: StoreFrames) -> bool:
    """Whether the files are local to all that read them, Spark's tasks too."""
    is_local = isinstance(filesystem(frames.store)[0], fs.LocalFileSystem)
    return is_local and bool(frames.rows(FINGERPRINTS))


def _is_plain(field: T.StructField) -> bool:
    kind = field.dataType
    return isinstance(kind.elementType if isinstance(kind, T.ArrayType) else kind, _PLAIN)


def _parts(frames: StoreFrames) -> DataFrame:
    """``path, part, parts`` of the files of fingerprints, dealt out evenly; no file is opened for it."""
    rows: list[tuple[str, int, int]] = []
    place = normalized_path(frames.store)  # tasks have another working directory
    for file in frames.manifest.tables[FINGERPRINTS]:
        parts = -(-file.bytes // BYTES_PER_PART)
        rows += [(f"{place}/{file.path}", part, parts) for part in range(parts)]
    frame = frames.spark.createDataFrame(rows, "path string, part int, parts int")
    tasks = max(4 * num_cores(frames.spark), sum(file.bytes for file in frames.manifest.tables[FINGERPRINTS]) >> 28)
    return frame.coalesce(1).repartition(min(tasks, len(rows)))  # from one partition rows go round in turn
