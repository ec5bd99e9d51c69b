"""Errors of Spark that are no fault of the job: what they say in one sentence, without any text of a document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

from simhash_udf.errors import InputError
from simhash_udf.runtime.storage import overlaps

_UNREADABLE = re.compile(r"\[FAILED_READ_FILE\.(\w+)\] Encountered error while reading file (\S+?)\.?\s")
_MISMATCH = re.compile(r"column: \[([^\]]*)\], physicalType: (\w+), logicalType: (\w+)")
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


def _why(message: str) -> str:
    mismatch = _MISMATCH.search(message)
    if mismatch:
        return f"has column {mismatch[1]} as {mismatch[2]}, and Spark expected {mismatch[3]}; convert it to one type"
    if _HEADER in message:
        return "has another header than the first file; give files of one header, or read them one by one"
    if _ROW in message:
        return "has a row that does not fit the columns; mend it, or leave --input-option mode to the job"
    return "cannot be read: it is damaged, cut off, or of another format; write it again or take it away"
