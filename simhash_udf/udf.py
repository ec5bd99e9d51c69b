"""The kernel as Spark functions: the one place where arrays meet DataFrames.

Two kinds: Column functions (`simhash_of`, `hamming_distance`) and functions for ``DataFrame.mapInArrow``, made by a
``…_batches`` factory. Each factory returns a closure over plain values, so whatever a worker needs (dictionaries, the
plan) travels with the task.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.kernel.band_join import explode_blocks, join_block
from simhash_udf.kernel.bits import node_ids
from simhash_udf.kernel.document_frequencies import document_frequencies
from simhash_udf.kernel.edge_list import Edges, join_edges, no_edges
from simhash_udf.kernel.fingerprint import Fingerprints, fingerprinter
from simhash_udf.kernel.forest import connected_components, spanning_forest
from simhash_udf.kernel.recipe import Recipe

if TYPE_CHECKING:
    from simhash_udf.kernel.plan import BandPlan

Batches = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

NODES_PER_CHUNK = 2_000_000
"""Nodes packed at once: 16 MB a view, so a block of one band and range is some hundred kB and a task stays small."""

BYTES_PER_BATCH = 8_000_000
"""Bytes of blocks in one Arrow batch on its way to the shuffle."""

TERMS_PER_BATCH = 500_000
"""Features counted in a task before they are passed on: about 80 MB."""

EDGES_PER_CHUNK = 4_000_000
"""Edges held before they are contracted to a forest: about 80 MB."""


def simhash_of(recipe: Recipe) -> Callable[[Column | str], Column]:
    """Return the pandas UDF of a recipe's first view: text in, ``BIGINT`` fingerprint out, NULL without features."""

    @F.pandas_udf("long")  # type: ignore[attr-defined, call-overload, untyped-decorator, unused-ignore]  # PySpark leaves it untyped
    def simhash_udf(texts: pd.Series) -> pd.Series:
        found = fingerprinter(recipe)(pa.array(texts, pa.string(), from_pandas=True))
        values = pd.array(found.values[:, 0].view(np.int64), dtype="Int64")
        values[~found.has_value] = pd.NA
        return pd.Series(values)

    wrapped: Callable[[Column | str], Column] = simhash_udf
    return wrapped


def hamming_distance(a: Column | str, b: Column | str) -> Column:
    """Return the number of bits in which two fingerprint columns differ, 0 to 64, NULL where one is NULL.

    Parameters
    ----------
    a, b
        ``BIGINT`` columns or their names; both signs are right.

    Examples
    --------
    >>> from simhash_udf import hamming_distance
    >>> frame.withColumn("distance", hamming_distance("fingerprint", "other"))  # doctest: +SKIP
    """
    first, second = (F.col(column) if isinstance(column, str) else column for column in (a, b))
    # BIGINT on both sides: bit_count of a negative narrow integer counts 64 sign-extended bits
    return F.bit_count(first.cast("long").bitwiseXOR(second.cast("long"))).cast("int")


def fingerprint_batches(recipe: Recipe) -> Batches:
    """Return the function from ``(doc_id, text)`` batches to fingerprints; ids pass through untouched."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        compute = fingerprinter(recipe)
        for batch in batches:
            yield _fingerprint_batch(batch.column(0), compute(batch.column(1)))

    return run


def score_batches(recipe: Recipe) -> Batches:
    """Return the function from ``text`` batches to one list of 64 scores a view, flat; NaN for texts that have none."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        compute = fingerprinter(recipe)
        for batch in batches:
            scores = compute.scores(batch.column(0))
            flat = pa.array(list(scores.reshape(len(scores), -1)), pa.list_(pa.float64()))
            yield pa.RecordBatch.from_arrays([flat], names=["scores"])

    return run


def document_frequency_batches(recipe: Recipe) -> Batches:
    """Return the function from ``text`` batches to ``(term, df)``; a term comes more than once if there are many."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found: Counter[str] = Counter()
        for batch in _with_last(batches):
            if batch is not None:
                found.update(document_frequencies(batch.column(0), recipe))
            if len(found) > TERMS_PER_BATCH or batch is None:
                columns = [pa.array(list(found), pa.string()), pa.array(list(found.values()), pa.int64())]
                yield pa.RecordBatch.from_arrays(columns, names=["term", "df"])
                found.clear()

    return run


def explode_block_batches(plan: BandPlan, wave: int) -> Batches:
    """Return the function from node words to packed blocks of the bands of one wave."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        bands = plan.waves[wave]
        blocks = (block for words in _chunks_of_words(batches) for block in explode_blocks(words, plan, bands))
        yield from _block_batches(blocks)

    return run


def join_block_batches(plan: BandPlan, *, all_pairs: bool) -> Batches:
    """Return the function from all blocks of some slots to their edges; a partition must hold its slots whole."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        blocks: dict[int, list[bytes]] = {}
        for batch in batches:
            for slot, block in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                blocks.setdefault(slot, []).append(block)
        while blocks:
            slot, chunks = blocks.popitem()
            yield from _edge_batches(join_block(slot, chunks, plan, all_pairs))

    return run


def forest_batches() -> Batches:
    """Return the function from edge batches to the minimum spanning forest of the partition, ordered by (src, dst)."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from _edge_batches(_contracted(batches))

    return run


def component_batches() -> Batches:
    """Return the function from edge batches to the components of the partition: ``(node_id, component_id)``."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        edges = _contracted(batches)
        nodes, labels = connected_components(edges.src, edges.dst)
        yield pa.RecordBatch.from_arrays(
            [pa.array(nodes), pa.array(labels)], names=[schema.NODE_ID, schema.COMPONENT_ID]
        )

    return run


def star_batches() -> Batches:
    """Return the function from ``(src, dst)`` batches to stars around the smallest node of each component."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        src, dst = np.empty(0, np.int64), np.empty(0, np.int64)
        for batch in _with_last(batches):
            if batch is not None:
                src = np.concatenate([src, batch.column(0).to_numpy()])
                dst = np.concatenate([dst, batch.column(1).to_numpy()])
            if len(src) > EDGES_PER_CHUNK or batch is None:
                nodes, labels = connected_components(src, dst)
                src, dst = labels[nodes != labels], nodes[nodes != labels]  # src < dst: the label is the smallest
        yield pa.RecordBatch.from_arrays([pa.array(src), pa.array(dst)], names=[schema.SRC, schema.DST])

    return run


def _fingerprint_batch(doc_ids: pa.Array, found: Fingerprints) -> pa.RecordBatch:
    """Arrow batch of the fingerprints table; the columns for several views only where there are several."""
    missing = ~found.has_value
    words = found.values.view(np.int64)
    columns = [
        doc_ids,
        pa.array(words[:, 0], mask=missing),
        pa.array(found.feature_count, pa.int32()),
        pa.array(found.text_length, pa.int32()),
        pa.array(found.text_digest, pa.int64()),
        pa.array(found.is_cut, pa.bool_()),
    ]
    names = [
        schema.DOC_ID,
        schema.FINGERPRINT,
        schema.FEATURE_COUNT,
        schema.TEXT_LENGTH,
        schema.TEXT_DIGEST,
        schema.IS_CUT,
    ]
    if words.shape[1] > 1:
        offsets = pa.array(np.arange(len(words) + 1) * words.shape[1], pa.int32())
        lists = pa.ListArray.from_arrays(offsets, pa.array(words.reshape(-1)), mask=pa.array(missing))
        columns += [lists, pa.array(node_ids(found.values), mask=missing)]
        names += [schema.FINGERPRINTS, schema.NODE_ID]
    return pa.RecordBatch.from_arrays(columns, names=names)


def _chunks_of_words(batches: Iterable[pa.RecordBatch]) -> Iterator[NDArray[np.uint64]]:
    """Node words as ``(n, r)`` arrays of some millions; the batches have one BIGINT column a view."""
    held: list[NDArray[np.uint64]] = []
    for batch in _with_last(batches):
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
    held = [no_edges()]
    count = 0
    for batch in batches:
        src, dst, distance = (column.to_numpy() for column in batch.columns)
        held.append(Edges(src, dst, distance.astype(np.uint8)))
        count += batch.num_rows
        if count > EDGES_PER_CHUNK:
            held = [spanning_forest(join_edges(held))]
            count = 0
    return spanning_forest(join_edges(held))


def _edge_batches(edges: Edges) -> Iterator[pa.RecordBatch]:
    names = [schema.SRC, schema.DST, schema.DISTANCE]
    columns = [pa.array(edges.src), pa.array(edges.dst), pa.array(edges.distance.astype(np.int32))]
    table = pa.RecordBatch.from_arrays(columns, names=names)
    for start in range(0, table.num_rows, 100_000):
        yield table.slice(start, 100_000)


def _with_last(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch | None]:
    """The batches, then None."""
    yield from batches
    yield None
