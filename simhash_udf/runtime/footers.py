"""What Parquet files say of themselves: the columns in their footers, and which files cannot be read at all.

Footers are read by the driver, many at a time. No Spark here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from simhash_udf.errors import InputError
from simhash_udf.runtime.storage import filesystem

READERS = 32
"""Footers read at the same time; an object store takes 30 ms for each."""

INT96 = pa.timestamp("us", tz="UTC")
"""What Spark makes of the old timestamps of twelve bytes."""

NO_BYTE = "it has no byte"

Columns = tuple[tuple[str, pa.DataType], ...]


@dataclass(frozen=True)
class Footers:
    """The files of an input by the columns they have.

    Attributes
    ----------
    files
        Whole files.
    faults
        Files that cannot be read, with the reason.
    empty
        Whole files without rows.
    """

    files: dict[Columns, list[str]]
    faults: dict[str, str]
    empty: frozenset[str]


def read_footers(paths: Sequence[str]) -> Footers | None:
    """Return the columns of the files, each set of columns with its files in the order given.

    Parameters
    ----------
    paths
        Local paths, or addresses without escapes.

    Returns
    -------
    Footers or None
        None if Arrow has no file system for one of them.
    """
    try:
        for path in paths:
            locate(path)
    except InputError:
        return None
    with ThreadPoolExecutor(READERS) as pool:
        found = list(pool.map(_read_footer, paths))
    files: dict[Columns, list[str]] = defaultdict(list)
    faults: dict[str, str] = {}
    empty = set()
    for path, footer in zip(paths, found, strict=True):
        if isinstance(footer, str):
            faults[path] = footer
            continue
        columns, rows = footer
        files[columns].append(path)
        if not rows:
            empty.add(path)
    return Footers(dict(files), faults, frozenset(empty))


def locate(path: str) -> tuple[fs.FileSystem, str]:
    """Return the file system and the place in it of a local path, or of an address without escapes."""
    if path.startswith("/"):
        return fs.LocalFileSystem(), path
    scheme, _, rest = path.partition("://")
    host, _, place = rest.partition("/")
    files, root = _root(f"{scheme}://{host}/")
    return files, f"{root.rstrip('/')}/{place}"


@lru_cache(maxsize=64)
def _root(address: str) -> tuple[fs.FileSystem, str]:
    return filesystem(address)


def _read_footer(path: str) -> tuple[Columns, int] | str:
    """The columns of a file and its number of rows, or why it cannot be read."""
    files, place = locate(path)
    try:
        with files.open_input_file(place) as stream:
            if not stream.size():
                return NO_BYTE
            file = pq.ParquetFile(stream)
            schema, rows = file.schema, file.metadata.num_rows
        fields = schema.to_arrow_schema()  # some have the types that Arrow notes beside those of Parquet
    except (pa.ArrowException, OSError) as error:
        return str(error).splitlines()[0]
    old = {leaf.path for leaf in map(schema.column, range(len(schema))) if leaf.physical_type == "INT96"}
    return tuple((field.name, INT96 if field.name in old else field.type) for field in fields), rows
