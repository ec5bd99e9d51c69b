"""The tables of a version as DataFrames, and new tables as files with their digests."""

from __future__ import annotations

import posixpath
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from simhash_udf.errors import InputError
from simhash_udf.runtime.digests import digest_of_file
from simhash_udf.runtime.storage import filesystem, list_files
from simhash_udf.store import layout
from simhash_udf.store.manifest import DataFile, Manifest

ROWS_PER_FILE = 5_000_000
"""Rows of a file; of fingerprints they are 100 to 300 MB, two or three row groups."""

THREADS = 4


@dataclass(frozen=True)
class StoreFrames:
    """The tables of one version.

    Parameters
    ----------
    spark
        Session that reads them.
    store
        Directory of the store.
    manifest
        The version.
    """

    spark: SparkSession
    store: str
    manifest: Manifest

    def table(self, name: str) -> DataFrame:
        """Return a table; it has no rows where no file is named. Damaged pages stop the reader."""
        schema = StructType.fromJson(self.manifest.schemas[name])
        files = self.manifest.tables.get(name, ())
        if not files:
            return self.spark.createDataFrame([], schema)
        return self.files([file.path for file in files], schema)

    def files(self, paths: list[str], schema: StructType) -> DataFrame:
        """Return some files of a table."""
        reader = self.spark.read.schema(schema).option("parquet.page.verify-checksum.enabled", "true")
        return reader.parquet(*(f"{self.store}/{path}" for path in paths))

    def rows(self, name: str) -> int:
        """Return how many rows a table has."""
        return sum(file.rows for file in self.manifest.tables.get(name, ()))


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


def write_files(frame: DataFrame, store: str, directory: str, name: str, *, rows: int) -> tuple[DataFile, ...]:
    """Write a table of so many rows under a directory of the store, in few files, and describe them."""
    if not rows:
        return ()
    place = f"{directory}/{name}"
    frame.coalesce(-(-rows // ROWS_PER_FILE)).write.parquet(f"{store}/{place}")
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
