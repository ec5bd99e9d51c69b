"""The band join as functions for ``DataFrame.mapInArrow``: blocks, edges, forests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simhash_udf import schema
from simhash_udf.kernel.band_join import explode_blocks, join_block
from simhash_udf.kernel.edge_list import Edges, join_edges
from simhash_udf.kernel.forest import spanning_forest
from simhash_udf.kernel.join_counts import JoinCounts
from simhash_udf.kernel.plan import BandPlan
from simhash_udf.udf.arrow import Batches, with_last

NODES_PER_CHUNK = 2_000_000
"""Nodes packed at once: 16 MB a view, so a block of one band and range is some hundred kB and a task stays small."""

BYTES_PER_BATCH = 8_000_000
"""Bytes of blocks in one Arrow batch on its way to the shuffle."""

EDGES_PER_CHUNK = 4_000_000
"""Edges held before they are contracted: 80 MB, and about 600 MB while that is done."""


def explode_block_batches(plan: BandPlan, wave: int) -> Batches:
    """Return the function from node words to packed blocks of the bands of one wave."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        bands = plan.waves[wave]
        blocks = (block for words in _chunks_of_words(batches) for block in explode_blocks(words, plan, bands))
        yield from _block_batches(blocks)

    return run


def join_block_batches(plan: BandPlan, *, all_pairs: bool) -> Batches:
    """Return the function from all blocks of some slots to table joined; a partition must hold its slots whole."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        blocks: dict[int, list[bytes]] = {}
        for batch in batches:
            for slot, block in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                blocks.setdefault(slot, []).append(block)
        counts = JoinCounts()
        while blocks:
            slot, chunks = blocks.popitem()
            for edges in _edge_batches(join_block(slot, chunks, plan, all_pairs, counts)):
                yield _joined_edges(edges)
        if counts.records:
            yield _joined_counts(counts)

    return run


def forest_batches() -> Batches:
    """Return the function from edge batches to the minimum spanning forest of the partition, ordered by (src, dst)."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from _edge_batches(_contracted(batches))

    return run


def _chunks_of_words(batches: Iterable[pa.RecordBatch]) -> Iterator[NDArray[np.uint64]]:
    """Node words as ``(n, r)`` arrays of some millions; the batches have one BIGINT column a view."""
    held: list[NDArray[np.uint64]] = []
    for batch in with_last(batches):
        if batch is not None:
            views = [column.to_numpy(zero_copy_only=False).view(np.uint64) for column in batch.columns]
            held.append(np.column_stack(views))
        if held and (batch is None or sum(map(len, held)) >= NODES_PER_CHUNK):
            yield np.concatenate(held)
            held = []


def _block_batches(blocks: Iterable[tuple[int, bytes]]) -> Iterator[pa.RecordBatch]:
    """Blocks as batches of some megabytes: a batch of one small row costs more than it carries."""
    names = [schema.SLOT, schema.BLOCK]
    slots: list[int] = []
    held: list[bytes] = []
    size = 0
    for slot, block in blocks:
        slots.append(slot)
        held.append(block)
        size += len(block)
        if size >= BYTES_PER_BATCH:
            yield pa.RecordBatch.from_arrays([pa.array(slots, pa.int64()), pa.array(held, pa.binary())], names=names)
            slots, held, size = [], [], 0
    yield pa.RecordBatch.from_arrays([pa.array(slots, pa.int64()), pa.array(held, pa.binary())], names=names)


def _contracted(batches: Iterable[pa.RecordBatch]) -> Edges:
    """All edges of the partition, contracted to their forest whenever there are too many to hold."""
    held: list[Edges] = []
    num_edges, limit = 0, EDGES_PER_CHUNK
    for batch in batches:
        src, dst, distance = (column.to_numpy() for column in batch.columns)
        held.append(Edges(src, dst, distance.astype(np.uint8)))
        num_edges += batch.num_rows
        if num_edges > limit:
            held = [spanning_forest(join_edges(held))]
            num_edges = len(held[0])
            limit = max(EDGES_PER_CHUNK, 2 * num_edges)  # so that at least half of what is contracted next is new
    return spanning_forest(join_edges(held))


def _edge_batches(edges: Edges) -> Iterator[pa.RecordBatch]:
    names = [schema.SRC, schema.DST, schema.DISTANCE]
    columns = [pa.array(edges.src), pa.array(edges.dst), pa.array(edges.distance.astype(np.int32))]
    table = pa.RecordBatch.from_arrays(columns, names=names)
    for start in range(0, table.num_rows, 100_000):
        yield table.slice(start, 100_000)


def _joined_edges(edges: pa.RecordBatch) -> pa.RecordBatch:
    """Edges as rows of table joined."""
    unknown = pa.nulls(edges.num_rows, pa.int64())
    return pa.RecordBatch.from_arrays([*edges.columns, unknown, unknown], names=schema.JOINED.names)


def _joined_counts(counts: JoinCounts) -> pa.RecordBatch:
    """What a task did as a row of table joined."""
    ends = [pa.nulls(1, kind) for kind in (pa.int64(), pa.int64(), pa.int32())]
    done = [pa.array([number], pa.int64()) for number in (counts.records, round(counts.comparisons))]
    return pa.RecordBatch.from_arrays([*ends, *done], names=schema.JOINED.names)
