"""The input as Spark reads it, and a digest of its listing that tells whether it is still the same."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from py4j.protocol import Py4JError  # type: ignore[import-untyped, unused-ignore]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from simhash_udf.config import InputSettings
from simhash_udf.errors import InputError, SettingError
from simhash_udf.runtime.session import num_cores

FILE_FORMATS = ("parquet", "json", "csv", "orc", "text")


@dataclass(frozen=True)
class Listing:
    """Files of an input: how many, how many bytes, and a digest of names, sizes and modification times."""

    files: int
    bytes: int
    digest: str


@dataclass(frozen=True)
class Source:
    """The input of a run: its rows, a digest that changes when they do, its size, and the cluster's cores."""

    frame: DataFrame
    digest: str
    bytes: int
    cores: int


def read_source(spark: SparkSession, settings: InputSettings) -> Source:
    """Return the input with its listing."""
    frame = read_input(spark, settings)
    listing = list_input(spark, frame, settings)
    return Source(frame, listing.digest, listing.bytes, num_cores(spark))


def input_places(settings: InputSettings) -> list[str]:
    """Return the paths that are read; none for tables."""
    return [] if settings.input_format == "table" else list(settings.input)


def read_input(spark: SparkSession, settings: InputSettings) -> DataFrame:
    """Return the input's rows with all their columns; partition values are the text they are in the path.

    Raises
    ------
    InputError
        There is nothing to read at one of the places, or Spark cannot read it.
    """
    if not settings.input:
        raise SettingError("input is required; give --input PATH")
    try:
        if settings.input_format == "table":
            tables = [spark.table(name) for name in settings.input]
            frame = tables[0]
            for table in tables[1:]:
                frame = frame.unionByName(table)
            return frame
        reader = spark.read.format(settings.input_format).options(**reader_options(settings))
        return reader.load(list(settings.input))
    except (PySparkException, Py4JError) as error:  # an unknown format comes as the second
        raise InputError(
            f"input {', '.join(settings.input)} cannot be read as {settings.input_format}: {_reason(error)}"
        ) from None


def list_input(
    spark: SparkSession, frame: DataFrame, settings: InputSettings, *, places: Sequence[str] | None = None
) -> Listing:
    """Return the listing of the input's files; for an input without files a digest that no later run has.

    With places, the listing of these files alone. Cost: one listing by Spark; no file is opened.
    """
    if places is None:
        places = settings.input if settings.input_format in FILE_FORMATS else frame.inputFiles()
    if not places:
        return Listing(0, 0, uuid.uuid4().hex)
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(list(places))
    entry = F.xxhash64("path", "length", F.col("modificationTime").cast("double")).cast("decimal(38,0)")
    row = files.agg(F.count("*"), F.coalesce(F.sum("length"), F.lit(0)), F.coalesce(F.sum(entry), F.lit(0))).first()
    if row is None:
        raise InputError(f"input {', '.join(settings.input)} cannot be listed")
    return Listing(int(row[0]), int(row[1]), f"{row[0]}-{row[1]}-{row[2]}")


def partition_columns(spark: SparkSession, frame: DataFrame, settings: InputSettings) -> list[str]:
    """Return the columns that come from directory names (``dt=2026-01-01``), in the order of the directories."""
    if settings.input_format not in FILE_FORMATS:
        return []
    reader = spark.read.format(settings.input_format).options(**reader_options(settings))
    in_files = reader.option("recursiveFileLookup", "true").load(list(settings.input)).columns
    return [name for name in frame.columns if name not in in_files]


def reader_options(settings: InputSettings) -> dict[str, str]:
    """Return the options of Spark's reader, given as KEY=VALUE."""
    pairs = [option.partition("=") for option in settings.input_option]
    for name, separator, _ in pairs:
        if not separator:
            raise SettingError(f"input_option takes KEY=VALUE, got {name!r}")
    return {name: value for name, _, value in pairs}


def _reason(error: Exception) -> str:
    """What Spark says, in its first sentence."""
    lines = str(error).split("SQLSTATE")[0].strip().splitlines()
    said = [line.removeprefix(": ") for line in lines if not line.startswith("An error occurred while calling")]
    return said[0] if said else "unknown reason"
