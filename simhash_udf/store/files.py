"""The files of a store's tables: whether they are there, and what a manifest says of each; no Spark."""

from __future__ import annotations

import posixpath
from concurrent.futures import ThreadPoolExecutor

import pyarrow.parquet as pq

from simhash_udf.errors import InputError
from simhash_udf.runtime.digests import digest_of_file
from simhash_udf.runtime.storage import filesystem, list_files
from simhash_udf.store import layout
from simhash_udf.store.manifest import DataFile, Manifest

THREADS = 4


def check_files(store: str, manifest: Manifest) -> None:
    """Refuse a store of which a file is missing or has another size; one listing, no file is opened.

    Raises
    ------
    InputError
        The message names the first three.
    """
    sizes = list_files(f"{store}/{layout.DATA}")
    bad = []
    for files in manifest.tables.values():
        for file in files:
            size = sizes.get(posixpath.relpath(file.path, layout.DATA))
            if size != file.bytes:
                bad.append(f"{file.path} ({'missing' if size is None else f'{size} bytes instead of {file.bytes}'})")
    if bad:
        raise InputError(
            f"store={store} is damaged: {', '.join(bad[:3])}"
            + (f" and {len(bad) - 3} more" if len(bad) > 3 else "")
            + "; restore the files from a copy"
        )


def describe_files(store: str, place: str) -> tuple[DataFile, ...]:
    """Return the Parquet files under a directory of the store that have rows, as they are."""
    names = [file for file in list_files(f"{store}/{place}") if file.endswith(".parquet")]
    with ThreadPoolExecutor(THREADS) as pool:
        files = list(pool.map(lambda file: describe_file(store, f"{place}/{file}"), names))
    return tuple(file for file in files if file.rows)


def describe_file(store: str, path: str) -> DataFile:
    """Return rows, bytes and digest of a Parquet file as it is."""
    files, place = filesystem(f"{store}/{path}")
    with files.open_input_file(place) as stream:
        size = stream.size()
        rows = pq.ParquetFile(stream).metadata.num_rows
    return DataFile(path, rows, size, digest_of_file(f"{store}/{path}"))
