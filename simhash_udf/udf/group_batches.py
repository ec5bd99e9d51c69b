"""The kernel's second look at texts and its groups around leaders, as functions for ``DataFrame.mapInArrow``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simhash_udf import schema
from simhash_udf.kernel.candidates import Fragments, next_candidates
from simhash_udf.kernel.edge_rule import EdgeRule
from simhash_udf.kernel.leaders import Followers, find_leaders
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.kernel.similarity import VectorMaker, similarities, stack_vectors, vectors_of_blobs
from simhash_udf.udf.arrow import Batches

ROWS_PER_BATCH = 100_000


def vector_batches(recipe: Recipe) -> Batches:
    """Return the function from ``(text_id, text_digest, text)`` to the table vectors."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        make = VectorMaker(recipe)
        for batch in batches:
            hashes, weights = make(batch.column(2)).blobs()
            blobs = [pa.array(hashes, pa.binary()), pa.array(weights, pa.binary())]
            yield pa.RecordBatch.from_arrays([batch.column(0), batch.column(1), *blobs], names=schema.VECTORS.names)

    return run


def similarity_batches(measure: str) -> Batches:
    """Return the function that compares each row's text with that of the last row before it that has no ``dst``.

    Rows are ``src, dst, distance, component_id, text_digest, hashes, weights``, sorted by (src, dst), nulls first: of
    each src one row without dst, which has its vector, then its pairs, each with the vector of dst. What comes out is
    table checks. Texts of equal digest have similarity 1. Only one vector is carried from batch to batch.
    """

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        held, held_digest = vectors_of_blobs([b""], [b""]), 0
        for batch in filter(len, batches):
            blobs = (batch.column(name).to_pylist() for name in (schema.HASHES, schema.WEIGHTS))
            vectors = stack_vectors([held, vectors_of_blobs(*blobs)])  # position 0 is the vector carried
            digests = np.append(held_digest, batch.column(schema.TEXT_DIGEST).to_numpy())
            is_first = batch.column(schema.DST).is_null().to_numpy(zero_copy_only=False)
            positions = np.arange(1, batch.num_rows + 1)
            first = np.maximum.accumulate(np.where(is_first, positions, 0))
            left, right = first[~is_first], positions[~is_first]
            found = similarities(vectors, left, right, measure)
            found[digests[left] == digests[right]] = 1.0
            pairs = batch.filter(pa.array(~is_first)).select(schema.CHECKS.names[:-1])
            yield pa.RecordBatch.from_arrays([*pairs.columns, pa.array(found)], names=schema.CHECKS.names)
            held, held_digest = vectors.take(first[-1:]), int(digests[first[-1]])

    return run


def candidate_batches(rule: EdgeRule, *, per_text: int, turn: int) -> Batches:
    """Return the function from whole components to the pairs to compare next.

    Rows are ``component_id, a, b, words``: with words a text and its fragment, without them a pair that was compared.
    What comes out is ``src, dst, distance, component_id``.
    """

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        table = _table(batches)
        if table is None:
            return
        (component, ids, fragment), words, pairs = _texts_and_pairs(table)
        order = np.lexsort((ids, component))
        component, ids, words = component[order], ids[order], words[order]
        compared = _positions(ids, pairs)
        texts = Fragments(component, fragment[order], words, compared)
        left, right, distance = next_candidates(texts, rule, per_text=per_text, turn=turn)
        # left < right by id, so src < dst
        columns = [ids[left], ids[right], distance.astype(np.int32), component[left]]
        yield from _sliced(columns, schema.CHECKS.names[:-1])

    return run


def leader_batches(rule: EdgeRule) -> Batches:
    """Return the function from whole components to the table leaders.

    Rows are ``component_id, a, b, words, is_leader``: with words a node and its place in keep order, without them a
    leader and a node that must not follow it.
    """

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        table = _table(batches)
        if table is None:
            return
        (component, ids, place), words, pairs = _texts_and_pairs(table)
        is_leader = table.column("is_leader").drop_null().to_numpy()
        order = np.lexsort((place, component))
        component, ids = component[order], ids[order]
        nodes = Followers(component, words[order], is_leader[order], _positions(ids, pairs))
        yield from _sliced([component, ids, ids[find_leaders(nodes, rule)]], schema.LEADERS.names)

    return run


def _table(batches: Iterator[pa.RecordBatch]) -> pa.Table | None:
    """All rows of the partition, None if none of them has words."""
    held = [batch for batch in batches if batch.num_rows]
    table = pa.Table.from_batches(held) if held else None
    return table if table and table.column("words").null_count < table.num_rows else None


def _texts_and_pairs(table: pa.Table) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64]]:
    """Rows with words as ``(component, a, b)`` and their words, and ``(a, b)`` of the rows without."""
    words = table.column("words")
    texts, pairs = table.filter(words.is_valid()), table.filter(words.is_null())
    flat = texts.column("words").combine_chunks().flatten().to_numpy().view(np.uint64)
    keys = np.stack([texts.column(name).to_numpy() for name in (schema.COMPONENT_ID, "a", "b")])
    return keys, flat.reshape(texts.num_rows, -1), np.stack([pairs.column(name).to_numpy() for name in ("a", "b")])


def _positions(ids: NDArray[np.int64], pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the ends of each pair stand among the ids; pairs with an end that is not there are left out."""
    order = np.argsort(ids)
    places = np.minimum(np.searchsorted(ids[order], pairs), len(ids) - 1)
    is_there = (ids[order][places] == pairs).all(axis=0)
    return order[places[:, is_there]]


def _sliced(columns: list[NDArray[np.int64]], names: list[str]) -> Iterator[pa.RecordBatch]:
    table = pa.RecordBatch.from_arrays([pa.array(column) for column in columns], names=names)
    for start in range(0, table.num_rows, ROWS_PER_BATCH):
        yield table.slice(start, ROWS_PER_BATCH)
