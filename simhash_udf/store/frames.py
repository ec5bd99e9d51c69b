"""The tables of a version as DataFrames, and new tables as files with their digests."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from simhash_udf.store.files import describe_files
from simhash_udf.store.manifest import DataFile, Manifest

ROWS_PER_FILE = 5_000_000
"""Rows of a file; of fingerprints they are 100 to 300 MB, two or three row groups."""


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


def write_files(frame: DataFrame, store: str, directory: str, name: str, *, rows: int) -> tuple[DataFile, ...]:
    """Write a table of at most so many rows under a directory of the store, in few files, and describe them."""
    if not rows:
        return ()
    place = f"{directory}/{name}"
    frame.coalesce(-(-rows // ROWS_PER_FILE)).write.parquet(f"{store}/{place}")
    return describe_files(store, place)
