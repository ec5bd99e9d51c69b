"""The text half of the kernel as functions for ``DataFrame.mapInArrow``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from simhash_udf import schema
from simhash_udf.kernel.bits import node_ids
from simhash_udf.kernel.document_frequencies import document_frequencies
from simhash_udf.kernel.fingerprint import Fingerprints, fingerprinter
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.udf.arrow import Batches, with_last

TERMS_PER_BATCH = 500_000
"""Features counted in a task before they are passed on: about 80 MB."""


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
        for batch in with_last(batches):
            if batch is not None:
                found.update(document_frequencies(batch.column(0), recipe))
            if len(found) > TERMS_PER_BATCH or batch is None:
                columns = [pa.array(list(found), pa.string()), pa.array(list(found.values()), pa.int64())]
                yield pa.RecordBatch.from_arrays(columns, names=["term", "df"])
                found.clear()

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
