"""Components as functions for ``DataFrame.mapInArrow``: in one task, or in the rounds of `kernel.contraction`.

Between rounds (node, label) pairs travel packed: one row for each task and slot, with 16 bytes a pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simhash_udf import schema
from simhash_udf.kernel.contraction import Pairs, contract_edges, mix_ids, settle_nodes
from simhash_udf.kernel.forest import connected_components
from simhash_udf.udf.arrow import Batches, with_last

Nodes = NDArray[np.int64]

EDGES_PER_CHUNK = 4_000_000
"""Edges held before they are contracted: 64 MB, and about 500 MB while that is done."""

ROWS_PER_BATCH = 100_000
"""Rows of a batch on its way out: some megabytes."""

BYTES_PER_BATCH = 8_000_000

_NO_PAIRS: Pairs = np.empty((0, 2), np.int64)


def component_batches() -> Batches:
    """Return the function from ``(src, dst)`` batches to the components of the partition, table components."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        src, dst = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        num_edges, limit = 0, EDGES_PER_CHUNK
        for batch in with_last(batches):
            if batch is not None:
                src.append(batch.column(0).to_numpy())
                dst.append(batch.column(1).to_numpy())
                num_edges += batch.num_rows
            if num_edges > limit or batch is None:
                ends = np.concatenate(src), np.concatenate(dst)
                src, dst = [], []  # gives the memory of the batches back
                nodes, labels = connected_components(*ends)
                src, dst, num_edges = [labels[nodes != labels]], [nodes[nodes != labels]], 0
                limit = max(EDGES_PER_CHUNK, len(src[0]))  # at least half of what is contracted next is new
        yield from _sliced([nodes, labels], schema.COMPONENTS.names)

    return run


def contract_batches(slot_bits: int) -> Batches:
    """Return the function from ``(src, dst)`` batches to the pairs of the first round, table contraction.

    Memory is bounded however large the partition: what does not fit is another piece.
    """

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for src, dst in _chunks(batches):
            yield from _blocks(contract_edges(mix_ids(src), mix_ids(dst)), _NO_PAIRS, slot_bits)

    return run


def settle_batches(slot_bits: int) -> Batches:
    """Return the function from all blocks of some slots to what becomes of their nodes, table contraction."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        pairs: list[bytes] = []
        smallest: list[bytes] = []
        for batch in batches:
            pairs += batch.column(1).to_pylist()
            smallest += batch.column(2).to_pylist()
        settled = settle_nodes(_unpacked(pairs), _unpacked(smallest))
        yield from _rows(settled.pointers, [schema.NODE_ID, schema.LABEL])
        yield from _rows(settled.roots, [schema.NODE_ID, schema.COMPONENT_ID])
        yield from _blocks(settled.pairs, settled.smallest, slot_bits)

    return run


def _chunks(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[Nodes, Nodes]]:
    """Edges in pieces of `EDGES_PER_CHUNK` or a little more."""
    src: list[Nodes] = []
    dst: list[Nodes] = []
    num_edges = 0
    for batch in with_last(batches):
        if batch is not None:
            src.append(batch.column(0).to_numpy())
            dst.append(batch.column(1).to_numpy())
            num_edges += batch.num_rows
        if num_edges >= EDGES_PER_CHUNK or (batch is None and num_edges):
            yield np.concatenate(src), np.concatenate(dst)
            src, dst, num_edges = [], [], 0


def _unpacked(blocks: list[bytes]) -> Pairs:
    """Pairs of all blocks; the list is empty afterwards, to give its memory back."""
    whole = b"".join(blocks)
    blocks.clear()
    return np.frombuffer(whole, np.int64).reshape(-1, 2)


def _blocks(pairs: Pairs, smallest: Pairs, slot_bits: int) -> Iterator[pa.RecordBatch]:
    """Rows with the pairs of each slot, which is the leading bits of the mixed node; both come ordered by node."""
    num_slots = 1 << slot_bits
    first = (np.arange(1, num_slots) - num_slots // 2) << (64 - slot_bits) if slot_bits else np.empty(0, np.int64)
    parts = [np.split(values, np.searchsorted(values[:, 0], first)) for values in (pairs, smallest)]
    held: list[tuple[int, int, bytes, bytes]] = []
    size = 0
    for slot, (of_pairs, of_smallest) in enumerate(zip(*parts, strict=True)):
        if len(of_pairs) or len(of_smallest):
            held.append((slot, len(of_pairs), of_pairs.tobytes(), of_smallest.tobytes()))
            size += of_pairs.nbytes + of_smallest.nbytes
        if held and (size >= BYTES_PER_BATCH or slot == num_slots - 1):
            slots, counts, packed, minima = zip(*held, strict=True)
            columns = [pa.array(slots), pa.array(counts), pa.array(packed, pa.binary()), pa.array(minima, pa.binary())]
            yield _table(columns, [schema.SLOT, schema.NUM_PAIRS, schema.PAIRS, schema.SMALLEST])
            held, size = [], 0


def _rows(pairs: Pairs, names: list[str]) -> Iterator[pa.RecordBatch]:
    """Pairs as rows of two columns of table contraction."""
    for batch in _sliced([pairs[:, 0], pairs[:, 1]], names):
        yield _table(batch.columns, names)


def _table(columns: list[pa.Array], names: list[str]) -> pa.RecordBatch:
    """Rows of table contraction; columns that are not given are NULL."""
    given = dict(zip(names, columns, strict=True))
    nulls = {
        name: pa.nulls(len(columns[0]), pa.binary() if name in {schema.PAIRS, schema.SMALLEST} else pa.int64())
        for name in schema.CONTRACTION.names
    }
    return pa.RecordBatch.from_pydict(nulls | given)


def _sliced(columns: list[Nodes], names: list[str]) -> Iterator[pa.RecordBatch]:
    """Columns as batches of a size that Spark is at ease with."""
    whole = pa.RecordBatch.from_arrays([pa.array(column) for column in columns], names=names)
    for start in range(0, whole.num_rows, ROWS_PER_BATCH):
        yield whole.slice(start, ROWS_PER_BATCH)
