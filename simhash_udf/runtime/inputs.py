"""The input: all of its files and columns, and a digest of its listing that tells whether it is still the same."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from py4j.protocol import Py4JError  # type: ignore[import-untyped, unused-ignore]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql import functions as F

from simhash_udf.config import InputSettings
from simhash_udf.errors import InputError, SettingError
from simhash_udf.runtime.csv_input import check_rows
from simhash_udf.runtime.footers import read_footers
from simhash_udf.runtime.parquet_input import check_whole, fitting_schema
from simhash_udf.runtime.session import num_cores
from simhash_udf.runtime.spark_errors import as_input_error, spark_says

FILE_FORMATS = ("parquet", "json", "csv", "orc", "text")

CAREFUL_OPTIONS = {
    # a column that the first file lacks is a column all the same
    "orc": {"mergeSchema": "true"},
    # a line end within quotes is text; every file's header is looked at
    "csv": {"multiLine": "true", "enforceSchema": "false"},
}
"""Options of Spark's readers under which nothing is lost in silence; each yields to one given as ``input_option``."""


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
    if settings.input_format in FILE_FORMATS:
        _refuse_unread_files(listing.files, _files(spark, settings).count(), settings)
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
            return _read_tables(spark, settings.input)
        return _read_files(spark, settings)
    except (PySparkException, Py4JError) as error:  # an unknown format comes as the second
        raise as_input_error(error, input_places(settings)) or InputError(
            f"input {', '.join(settings.input)} cannot be read as {settings.input_format}: {spark_says(error)}"
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
    reader = spark.read.format("binaryFile").options(**reader_options(settings))
    files = reader.option("recursiveFileLookup", "true").load(list(places))
    entry = F.xxhash64("path", "length", F.col("modificationTime").cast("double")).cast("decimal(38,0)")
    row = files.agg(F.count("*"), F.coalesce(F.sum("length"), F.lit(0)), F.coalesce(F.sum(entry), F.lit(0))).first()
    if row is None:
        raise InputError(f"input {', '.join(settings.input)} cannot be listed")
    return Listing(int(row[0]), int(row[1]), f"{row[0]}-{row[1]}-{row[2]}")


def partition_columns(spark: SparkSession, settings: InputSettings) -> list[str]:
    """Return the columns that come from directory names (``dt=2026-01-01``), in the order of the directories."""
    if settings.input_format not in FILE_FORMATS:
        return []
    # read as text: that has one column beside them, and no file is opened
    return spark.read.format("text").options(**reader_options(settings)).load(list(settings.input)).columns[1:]


def reader_options(settings: InputSettings) -> dict[str, str]:
    """Return the options of Spark's reader: those that lose nothing, and those given as KEY=VALUE, which win."""
    given = {}
    for option in settings.input_option:
        name, separator, value = option.partition("=")
        if not separator:
            raise SettingError(f"input_option takes KEY=VALUE, got {name!r}")
        given[name] = value
    taken = {name.lower() for name in given}
    careful = CAREFUL_OPTIONS.get(settings.input_format, {})
    return {name: value for name, value in careful.items() if name.lower() not in taken} | given


def _read_tables(spark: SparkSession, names: Sequence[str]) -> DataFrame:
    first, *others = (spark.table(name) for name in names)
    for table in others:
        first = first.unionByName(table)
    return first


def _read_files(spark: SparkSession, settings: InputSettings) -> DataFrame:
    """The files as Spark reads them, with a closer look at the formats in which it passes over things in silence."""
    options = reader_options(settings)
    places = list(settings.input)
    given = {name.lower() for name in options}
    if settings.input_format == "parquet" and "mergeschema" not in given:
        return _read_parquet(spark, settings, options)
    frame = _reader(spark, settings).load(places)
    if settings.input_format == "csv" and "mode" not in given:
        check_rows(_reader(spark, settings), frame, places)
    return frame


def _read_parquet(spark: SparkSession, settings: InputSettings, options: dict[str, str]) -> DataFrame:
    """Parquet with columns that fit all files; as Spark reads it where they agree, or Arrow cannot reach them."""
    places = list(settings.input)
    plain, error = _load(_reader(spark, settings), places)
    footers = read_footers(_paths(spark, settings))
    if footers is not None and (footers.files or footers.faults):
        conf = spark.conf.get("spark.sql.files.ignoreCorruptFiles", "false")
        check_whole(footers, may_skip="true" in (conf, options.get("ignoreCorruptFiles")))
        schema = fitting_schema(footers, settings, plain)
        if schema is not None:
            return _reader(spark, settings).schema(schema).load(places)
    if plain is None:
        raise error or InputError(f"input {', '.join(places)} cannot be read")
    return plain


def _reader(spark: SparkSession, settings: InputSettings) -> DataFrameReader:
    return spark.read.format(settings.input_format).options(**reader_options(settings))


def _load(reader: DataFrameReader, places: list[str]) -> tuple[DataFrame | None, Exception | None]:
    """What Spark reads by itself, or its objection."""
    try:
        return reader.load(places), None
    except (PySparkException, Py4JError) as error:
        return None, error


def _refuse_unread_files(there: int, read: int, settings: InputSettings) -> None:
    """Spark passes over directories whose names are no partition values, without a word."""
    if read < there:
        raise InputError(
            f"only {read} of the {there} files in {', '.join(settings.input)} would be read: Spark passes over "
            "subdirectories that are not all named like dt=2026-01-01; give --input-option recursiveFileLookup=true "
            "to read all of them, or a pattern as --input for those you mean"
        )


def _files(spark: SparkSession, settings: InputSettings) -> DataFrame:
    """The files that Spark reads, without those it takes for hidden."""
    return spark.read.format("binaryFile").options(**reader_options(settings)).load(list(settings.input))


def _paths(spark: SparkSession, settings: InputSettings) -> list[str]:
    """Their paths without escapes, those of files without a byte too; none where there is nothing."""
    try:
        files = map(unquote, _files(spark, settings).inputFiles())
        return sorted(re.sub("^file:/+", "/", file) for file in files)
    except PySparkException:
        return []
