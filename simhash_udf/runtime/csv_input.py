"""CSV rows that do not fit the columns: found and counted before a field of them is lost.

Spark cuts a row of too many fields, which is a text with a comma and no quotes as often as not, and goes on. Its own
strict mode stops, but puts the row's text into the logs.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, DataFrameReader
from pyspark.sql import functions as F
from pyspark.sql import types as T

from simhash_udf.errors import InputError

_WHOLE_ROW = "__whole_row"


def check_rows(reader: DataFrameReader, frame: DataFrame, places: Sequence[str]) -> None:
    """Refuse files with rows of too many or too few fields, or of values that do not fit their type.

    Parameters
    ----------
    reader
        Reader of CSV with its options; it is used up.
    frame
        What it reads.
    places
        Files or directories.

    Raises
    ------
    InputError
        There are such rows; the message counts them.

    Notes
    -----
    Costs one pass over the files.
    """
    fields = T.StructType([*frame.schema.fields, T.StructField(_WHOLE_ROW, T.StringType())])
    marked = reader.option("columnNameOfCorruptRecord", _WHOLE_ROW).schema(fields).load(list(places))
    whole_row = F.col(_WHOLE_ROW)
    # the hash asks for every column, so that every field is parsed
    values = F.xxhash64(*(F.col("`" + name.replace("`", "``") + "`") for name in marked.columns))
    first = marked.filter(whole_row.isNotNull()).agg(F.count("*"), F.max(values)).first()
    if first is not None and first[0]:
        raise InputError(
            f"{first[0]} rows of {', '.join(places)} do not fit the columns {', '.join(frame.columns[:10])}: they have "
            "too many or too few fields; mend them, or take them as far as they go with --input-option mode=PERMISSIVE"
        )
