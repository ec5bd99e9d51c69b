"""Files of a store's fingerprints, read by the tasks themselves, as functions for ``DataFrame.mapInArrow``.

Spark hands rows to Python one at a time, which for two numbers a document costs more than looking them up does; Arrow
reads a column of a file as it is. Pages are compared with their checksums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from simhash_udf import schema, store_schema
from simhash_udf.kernel.batch_query import Batch
from simhash_udf.udf.arrow import Batches
from simhash_udf.udf.match_batches import match_batches

Open = Callable[[str], pa.NativeFile]
"""Opens a file of a store; it travels to the tasks by its name."""


def match_files(batch: Batch, open_file: Open) -> Batches:
    """Return the function from ``path, part, parts`` to table scan; see `match_batches`.

    A row stands for the row groups ``part``, ``part + parts``, … of a file of fingerprints.
    """
    views = batch.words.shape[1]
    words = schema.FINGERPRINT if views == 1 else schema.FINGERPRINTS
    match = match_batches(batch)

    def stored(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for group in _row_groups(batches, open_file):
            table = group.read([store_schema.ID_HASH, words])
            columns = [table.column(1)] if views == 1 else [pc.list_element(table.column(1), v) for v in range(views)]
            names = [f"word_{view}" for view in range(views)]
            yield from pa.table([table.column(0), *columns], [store_schema.ID_HASH, *names]).to_batches()

    return lambda batches: match(stored(batches))


def find_in_files(nodes: NDArray[np.int64], node_column: str, fields: pa.Schema, open_file: Open) -> Batches:
    """Return the function from ``path, part, parts`` to the rows of these fields that belong to some nodes."""
    wanted = pa.array(np.unique(nodes))

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for group in _row_groups(batches, open_file):
            is_wanted = pc.is_in(group.read([node_column]).column(0), value_set=wanted)
            if pc.any(is_wanted).as_py():
                found = group.read(fields.names).filter(is_wanted)
                yield from found.cast(fields).to_batches()

    return run


class _RowGroup:
    """A row group of a file that is open."""

    def __init__(self, path: str, file: pq.ParquetFile, number: int) -> None:
        self._path, self._file, self._number = path, file, number

    def read(self, columns: Sequence[str]) -> pa.Table:
        with _Named(self._path):
            return self._file.read_row_group(self._number, columns=list(columns)).select(list(columns))


class _Named:
    """A context in which an error names the file that was being read."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: object, error: object, at: object) -> None:
        if isinstance(error, (OSError, KeyError, pa.ArrowException)):  # the second: a column is not there
            raise OSError(f"{self._path} cannot be read: {error}") from error


def _row_groups(batches: Iterator[pa.RecordBatch], open_file: Open) -> Iterator[_RowGroup]:
    for batch in batches:
        for path, part, parts in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            with _Named(path):
                stream = open_file(path)
                file = pq.ParquetFile(stream, page_checksum_verification=True)
            with stream:
                for number in range(part, file.num_row_groups, parts):
                    yield _RowGroup(path, file, number)
