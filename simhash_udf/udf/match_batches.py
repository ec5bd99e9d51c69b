"""A batch against the stored fingerprints, as a function for ``DataFrame.mapInArrow``."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simhash_udf import schema, store_schema
from simhash_udf.kernel.batch_query import Batch, BatchQuery, NearStored
from simhash_udf.kernel.bits import node_ids
from simhash_udf.udf.arrow import Batches, with_last

ROWS_PER_CHUNK = 1 << 19
"""Stored documents that are asked for at once: 4 MB a view."""

ROWS_PER_BATCH = 100_000


@dataclass
class _Held:
    """The batch that this worker process has indexed last: its tasks ask for the same one."""

    token: str = ""
    query: BatchQuery | None = None


_held = _Held()


@dataclass
class _Chunk:
    """Stored documents on their way to be asked for."""

    hashes: list[NDArray[np.int64]] = field(default_factory=list)
    words: list[NDArray[np.uint64]] = field(default_factory=list)
    rows: int = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Take the rows of ``id_hash, word_0 …``; one without a fingerprint has an id alone."""
        self.rows += batch.num_rows
        self.hashes.append(batch.column(0).to_numpy())
        views = batch.columns[1:]
        if views[0].null_count:
            has_value = pc.is_valid(views[0])
            views = [view.filter(has_value) for view in views]
        self.words.append(np.column_stack([view.to_numpy().view(np.uint64) for view in views]))


def match_batches(batch: Batch) -> Batches:
    """Return the function from stored ``id_hash, word_0 …`` to table scan: near nodes, then ids that are known."""
    token = uuid.uuid4().hex

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        query = _query_of(token, batch)
        known = [np.empty(0, np.int64)]

        def chunks() -> Iterator[NDArray[np.uint64]]:
            for chunk in _chunks(batches):
                known.append(query.known_ids(np.concatenate(chunk.hashes)))
                yield np.concatenate(chunk.words)

        near = query.near(chunks())
        yield from _near_batches(near, batch)
        yield from _known_batches(np.unique(np.concatenate(known)))

    return run


def _query_of(token: str, batch: Batch) -> BatchQuery:
    """The indexed batch, made once a worker process."""
    if _held.token != token or _held.query is None:
        _held.query = None  # before the next one takes its room
        _held.query, _held.token = BatchQuery(batch), token
    return _held.query


def _chunks(batches: Iterator[pa.RecordBatch]) -> Iterator[_Chunk]:
    chunk = _Chunk()
    for batch in with_last(batches):
        if batch is not None:
            chunk.add(batch)
        if chunk.rows >= ROWS_PER_CHUNK or (batch is None and chunk.rows):
            yield chunk
            chunk = _Chunk()


def _near_batches(near: NearStored, batch: Batch) -> Iterator[pa.RecordBatch]:
    ids = node_ids(batch.words[near.entry])
    for start in range(0, len(ids), ROWS_PER_BATCH):
        rows = slice(start, start + ROWS_PER_BATCH)
        distance = near.distance[rows].astype(np.int32)
        columns = [pa.array(ids[rows]), pa.array(near.stored[rows]), pa.array(distance)]
        yield pa.RecordBatch.from_arrays(columns, names=store_schema.SCAN.names)


def _known_batches(hashes: NDArray[np.int64]) -> Iterator[pa.RecordBatch]:
    for start in range(0, len(hashes), ROWS_PER_BATCH):
        part = hashes[start : start + ROWS_PER_BATCH]
        columns = [pa.array(part), pa.nulls(len(part), pa.int64()), pa.nulls(len(part), pa.int32())]
        yield pa.RecordBatch.from_arrays(columns, names=[schema.NODE_ID, *store_schema.SCAN.names[1:]])
