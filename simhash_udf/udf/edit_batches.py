"""Edited documents measured in Spark's workers: a function for ``DataFrame.mapInArrow``."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from simhash_udf.evaluation.trial import EditTrial, try_edits
from simhash_udf.udf.arrow import Batches


def edit_batches(trial: EditTrial) -> Batches:
    """Return the function from numbers of documents to what `evaluation.trial.try_edits` says of them."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if batch.num_rows:
                yield from try_edits(trial, batch.column(0).to_pylist()).to_batches()

    return run
