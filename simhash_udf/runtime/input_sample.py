"""A few files in place of a whole input, for looks that must not take longer the larger the input is."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from urllib.parse import unquote

from pyspark.sql import DataFrame

from simhash_udf.config import InputSettings
from simhash_udf.runtime.inputs import FILE_FORMATS, Source, list_input, reader_options

COUNTED_FORMATS = ("parquet", "orc")
"""Formats whose files say how many rows they hold."""


@dataclass(frozen=True)
class InputSample:
    """Rows of some files of an input, how many, and how many the whole has, at least roughly."""

    frame: DataFrame
    rows: int
    all_rows: int


def sample_input(source: Source, settings: InputSettings, *, wanted_bytes: float) -> InputSample:
    """Return the rows of files of about so many bytes, the same ones each time; all rows where Spark reads no files.

    The rows of the whole are counted where that reads no data, and extrapolated from these files' otherwise.
    """
    spark = source.frame.sparkSession
    files = source.frame.inputFiles() if settings.input_format in FILE_FORMATS else []
    chosen = choose_files(files, source.bytes, wanted_bytes)
    if len(chosen) == len(files):
        rows = source.frame.count()
        return InputSample(source.frame, rows, rows)
    reader = spark.read.format(settings.input_format).options(**reader_options(settings)).schema(source.frame.schema)
    frame = reader.load(chosen)
    rows = frame.count()
    if settings.input_format in COUNTED_FORMATS:
        return InputSample(frame, rows, source.frame.count())
    share = list_input(spark, frame, settings, places=chosen).bytes / source.bytes
    return InputSample(frame, rows, round(rows / share))


def choose_files(files: Sequence[str], total_bytes: float, wanted_bytes: float) -> list[str]:
    """Return the paths of files of about so many bytes, two at least, spread over the whole by the hash of the name.

    Names that Spark would take for a pattern are left out, so fewer may come than there are.
    """
    paths = [unquote(file) for file in files]
    plain = [path for path in paths if not set(path) & set("[]{}*?\\")]
    number = max(2, ceil(wanted_bytes / max(total_bytes / max(len(files), 1), 1)))
    if number >= len(files) or len(plain) < number:
        return list(files)
    return sorted(plain, key=lambda path: hashlib.sha256(path.encode()).digest())[:number]
