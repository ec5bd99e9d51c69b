"""Errors of Spark that are no fault of the job: what they say in one sentence, without any text of a document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

from pyspark.errors import IllegalArgumentException

from simhash_udf.errors import InputError, SettingError
from simhash_udf.runtime.storage import overlaps

_UNREADABLE = re.compile(r"\[FAILED_READ_FILE\.(\w+)\] Encountered error while reading file (\S+?)\.?\s")
_MISMATCH = re.compile(r"column: \[([^\]]*)\], physicalType: (\w+), logicalType: (\w+)")
_BAD_SETTING = re.compile(
    r": [\w.]*IllegalArgumentException: ([^\n]+)|(Could not parse Master URL[^\n]*)"
    r"|: [\w.]*\.(?:FileNotFound|NoSuchFile)Exception: (\S+)"
)
_ZSTD = "native zStandard library not available"
_ROW = "MALFORMED_RECORD_IN_PARSING"
_HEADER = "CSV header does not conform to the schema"
_TEXT_FOLLOWS = re.compile(r"(record parsing|The value|Invalid value): .*", re.DOTALL)


def spark_says(error: Exception) -> str:
    """Return the first sentence of an error of Spark; values that it quotes are left out."""
    lines = str(error).split("SQLSTATE")[0].strip().splitlines()
    said = [line.removeprefix(": ") for line in lines if not line.startswith("An error occurred while calling")]
    return _TEXT_FOLLOWS.sub(r"\1", said[0]) if said else "unknown reason"


def as_input_error(error: Exception, places: Sequence[str]) -> InputError | None:
    """Return what is wrong with a file of the input, None if the error is about something else.

    Parameters
    ----------
    error
        Raised by an action of Spark.
    places
        The input; a file elsewhere, as a stage table, is no fault of it.
    """
    message = str(error)
    found = _UNREADABLE.search(message)
    if not found:
        return None
    file = re.sub("^file:/+", "/", unquote(found[2]))
    if not any(overlaps(file, place) for place in places):
        return None
    return InputError(f"{file} {_why(message)}")


def as_setting_error(error: Exception) -> SettingError | None:
    """Return which setting keeps Spark from starting, None if it is something else that a later try may mend.

    Parameters
    ----------
    error
        Raised by the start of a session.
    """
    found = _BAD_SETTING.search(str(error))
    if found and found[3]:
        said = f"{found[3]} is not there"
    elif found or isinstance(error, IllegalArgumentException):
        said = (found[1] or found[2]).split("SQLSTATE")[0].strip() if found else spark_says(error)
    else:
        return None
    return SettingError(f"Spark does not start with these settings: {said}")


def _why(message: str) -> str:
    mismatch = _MISMATCH.search(message)
    if mismatch:
        return f"has column {mismatch[1]} as {mismatch[2]}, and Spark expected {mismatch[3]}; convert it to one type"
    if _ZSTD in message:
        return "is compressed with zstd, which this Spark reads with Hadoop's native library alone; use gzip"
    if _HEADER in message:
        return "has another header than the first file; give files of one header, or read them one by one"
    if _ROW in message:
        return "has a row that does not fit the columns; mend it, or leave --input-option mode to the job"
    return "cannot be read: it is damaged, cut off, or of another format; write it again or take it away"
