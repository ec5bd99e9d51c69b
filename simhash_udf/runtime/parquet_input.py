"""Parquet files that do not agree on their columns, read as one table without losing any.

Spark takes the columns of one file and stops, or forgets columns, where others differ. Here every footer is looked at
first: columns that only some files have are NULL in the others, and types are widened where nothing is lost by it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import types as T

from simhash_udf.config import GroupSettings, InputSettings
from simhash_udf.errors import InputError
from simhash_udf.runtime.footers import NO_BYTE, Columns, Footers
from simhash_udf.runtime.parquet_types import spark_type, wider

log = logging.getLogger("simhash_udf")

MAX_NAMED = 3
"""Files named in a message."""


@dataclass(frozen=True)
class Column:
    """A column of an input: its name where it was seen first, its types with a file that has each, and its files."""

    name: str
    kinds: dict[pa.DataType, str]
    files: int


def fitting_schema(footers: Footers, settings: InputSettings, plain: DataFrame | None) -> T.StructType | None:
    """Return the columns with which Spark reads all of the files, None if it needs no help.

    Parameters
    ----------
    footers
        What the files hold.
    settings
        Which columns are needed, and whether the others are carried to an output.
    plain
        The input as Spark reads it by itself, None if it does not.

    Raises
    ------
    InputError
        A column that is needed cannot be read: the message names it and the files that disagree.
    """
    if plain is not None and len(footers.files) == 1:
        return None
    files = _with_rows(footers)
    columns = _gather(files)
    _warn_of_missing(columns, files, settings)
    known = {} if plain is None else {field.name.lower(): field for field in plain.schema.fields}
    is_sure = files == footers.files  # else Spark may have asked a file without rows
    kinds = {key: _kind_of(column, known.get(key) if is_sure else None) for key, column in columns.items()}
    unfit = {columns[key].name: kind for key, kind in kinds.items() if isinstance(kind, str)}
    _report_unfit(unfit, settings)
    order = [key for key in known if key in columns] + [key for key in columns if key not in known]
    fields = [
        T.StructField(known[key].name if key in known else columns[key].name, kind)
        for key in order
        if isinstance(kind := kinds[key], T.DataType)
    ]
    return T.StructType(fields)


def check_whole(footers: Footers, *, may_skip: bool) -> None:
    """Refuse files without a footer, or with ``may_skip`` warn of them; files of no byte are warned of alone.

    Raises
    ------
    InputError
        A file is cut off, not allowed to be read, or no Parquet file; the message names the first ones.
    """
    blank = [path for path, reason in footers.faults.items() if reason == NO_BYTE]
    if blank:
        log.warning("%d files have not a single byte, as %s", len(blank), blank[0])
    faults = [f"{path}: {reason}" for path, reason in footers.faults.items() if reason != NO_BYTE]
    if not faults:
        return
    count = len(footers.faults) + sum(map(len, footers.files.values()))
    message = f"{len(faults)} of {count} files cannot be read as parquet ({'; '.join(faults[:MAX_NAMED])})"
    if not may_skip:
        raise InputError(f"{message}; write them again or take them away")
    log.warning("%s; they are passed over", message)


def _with_rows(footers: Footers) -> dict[Columns, list[str]]:
    """The files that have rows; all of them if none has."""
    found = {kinds: [path for path in paths if path not in footers.empty] for kinds, paths in footers.files.items()}
    return {kinds: paths for kinds, paths in found.items() if paths} or footers.files


def _gather(files: Mapping[Columns, Sequence[str]]) -> dict[str, Column]:
    """Every column by its name in lower case, as Spark finds it in a file."""
    found: dict[str, Column] = {}
    for columns, paths in files.items():
        if len({name.lower() for name, _ in columns}) < len(columns):
            names = sorted((name for name, _ in columns), key=str.lower)
            raise InputError(f"{paths[0]} has columns that differ only in case, among {', '.join(names)}; rename one")
        for name, kind in columns:
            known = found.get(name.lower(), Column(name, {}, 0))
            kinds = known.kinds if kind in known.kinds else known.kinds | {kind: paths[0]}
            found[name.lower()] = Column(known.name, kinds, known.files + len(paths))
    return found


def _kind_of(column: Column, known: T.StructField | None) -> T.DataType | str:
    """The type that holds all values of a column, or why there is none."""
    if known is not None and len(column.kinds) == 1:
        return known.dataType
    kinds = list(column.kinds.items())
    whole, first = None, ""
    for kind, path in kinds:
        given = spark_type(kind)
        if given is None:
            return f"Spark cannot read its type {kind} in {path}"
        both = given if whole is None else wider(whole, given)
        if both is None:
            return f"it is {kinds[0][0]} in {first} and {kind} in {path}"
        whole, first = both, first or path
    return whole if whole is not None else "it has no type"


def _report_unfit(unfit: Mapping[str, str], settings: InputSettings) -> None:
    """Refuse what is needed, and warn of what is left out."""
    carries_all = isinstance(settings, GroupSettings) and settings.mode != "groups"
    for option in ("id_column", "text_column"):
        for name, reason in unfit.items():
            wanted = getattr(settings, option)
            if name.lower() in (wanted.lower(), wanted.split(".")[0].lower()):
                raise InputError(f"{option}={wanted!r} cannot be read: {reason}; convert these files to one type")
    for name, reason in unfit.items():
        if carries_all:
            raise InputError(
                f"column {name!r} cannot be carried to documents/: {reason}; convert it, or use mode=groups"
            )
        log.warning("column %r is left out: %s", name, reason)


def _warn_of_missing(
    columns: Mapping[str, Column], files: Mapping[Columns, Sequence[str]], settings: InputSettings
) -> None:
    """Say how many files lack the id or the text: their rows have NULL there."""
    count = sum(map(len, files.values()))
    for option in ("id_column", "text_column"):
        name = getattr(settings, option).lower()
        if name in columns and columns[name].files < count:
            lacking = next(paths for kinds, paths in files.items() if name not in {seen.lower() for seen, _ in kinds})
            missing = count - columns[name].files
            log.warning("%s=%r is missing in %d of %d files, as in %s", option, name, missing, count, lacking[0])
