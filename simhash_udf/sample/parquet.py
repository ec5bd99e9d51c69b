"""The sample corpus as Parquet files, in one folder for each source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
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

TABLE_ROWS = 1000


def write_corpus(documents: Iterable[Document], directory: Path, *, rows_per_file: int = 1000) -> Counter[str]:
    """Write the documents to ``directory/source=NAME/part-*.parquet`` and return how many there are of each kind.

    Memory holds at most `rows_per_file` documents of each source, and a thousand more.

    Raises
    ------
    SettingError
        If the directory has something in it: two corpora in one would be read as one.
    """
    return write_tables(_to_tables(documents), directory, rows_per_file=rows_per_file)


def write_tables(tables: Iterable[pa.Table], directory: Path, *, rows_per_file: int = 1000) -> Counter[str]:
    """Write tables of documents, with their ``source`` in a column, as `write_corpus` does: into the same files."""
    if directory.exists() and any(directory.iterdir()):
        raise SettingError(f"{directory} is not empty; give another directory, or --overwrite to replace it")
    counts: Counter[str] = Counter()
    waiting: dict[str, pa.Table] = {}
    written: Counter[str] = Counter()
    for table in tables:
        for row in pc.value_counts(table["kind"]).to_pylist():
            counts[row["values"]] += row["counts"]
        for source in pc.unique(table["source"]).to_pylist():
            rows = table.filter(pc.equal(table["source"], source)).select(SCHEMA.names).cast(SCHEMA)
            waiting[source] = pa.concat_tables([waiting.get(source, SCHEMA.empty_table()), rows])
            while waiting[source].num_rows >= rows_per_file:
                _write_file(waiting[source].slice(0, rows_per_file), directory, source, written)
                waiting[source] = waiting[source].slice(rows_per_file)
    for source, rest in waiting.items():
        if rest.num_rows:
            _write_file(rest, directory, source, written)
    return counts


def _to_tables(documents: Iterable[Document]) -> Iterator[pa.Table]:
    documents = iter(documents)
    while rows := list(islice(documents, TABLE_ROWS)):
        names = [*SCHEMA.names, "source"]
        yield pa.table({name: pa.array([getattr(row, name) for row in rows], _type_of(name)) for name in names})


def _type_of(name: str) -> pa.DataType:
    return SCHEMA.field(name).type if name in SCHEMA.names else pa.string()


def _write_file(rows: pa.Table, directory: Path, source: str, written: Counter[str]) -> None:
    folder = directory / f"source={source}"
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows.combine_chunks(), folder / f"part-{written[source]:05d}.parquet")
    written[source] += 1
