"""The sample corpus as Parquet files, in one folder for each source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from simhash_udf.errors import SettingError
from simhash_udf.sample.corpus import Document

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("text", pa.string()),
        pa.field("published", pa.date32()),
        pa.field("cluster", pa.string()),
        pa.field("kind", pa.string()),
    ]
)
"""Columns of a file; the column ``source`` is in the folder's name, as Spark and Hive do it."""


def write_corpus(documents: Iterable[Document], directory: Path, *, rows_per_file: int = 1000) -> Counter[str]:
    """Write the documents to ``directory/source=NAME/part-*.parquet`` and return how many there are of each kind.

    Memory holds at most `rows_per_file` documents of each source.

    Raises
    ------
    SettingError
        If the directory has something in it: two corpora in one would be read as one.
    """
    if directory.exists() and any(directory.iterdir()):
        raise SettingError(f"{directory} is not empty; give another directory, or --overwrite to replace it")
    counts: Counter[str] = Counter()
    waiting: dict[str, list[Document]] = {}
    written: Counter[str] = Counter()
    for document in documents:
        counts[document.kind] += 1
        rows = waiting.setdefault(document.source, [])
        rows.append(document)
        if len(rows) == rows_per_file:
            _write_file(waiting.pop(document.source), directory, written)
    for rows in waiting.values():
        _write_file(rows, directory, written)
    return counts


def _write_file(rows: list[Document], directory: Path, written: Counter[str]) -> None:
    source = rows[0].source
    folder = directory / f"source={source}"
    folder.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pylist([asdict(row) for row in rows], schema=SCHEMA)
    pq.write_table(table, folder / f"part-{written[source]:05d}.parquet")
    written[source] += 1
