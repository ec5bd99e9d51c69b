"""What all functions for ``DataFrame.mapInArrow`` share: their type, and an end that they can see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa

Batches = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def with_last(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch | None]:
    """Give the batches, then None."""
    yield from batches
    yield None
