"""Documents: the user's rows, and the two columns of them that the job works on."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from simhash_udf import schema
from simhash_udf.columns import resolve_column
from simhash_udf.errors import InputError

NULL_ID = "null_id"
REPEATED_ID = "repeated_id"
NULL_TEXT = "null_text"

_ID = "__doc_id"
_REASON = "__reason"


def select_documents(frame: DataFrame, *, id_column: str, text_column: str) -> DataFrame:
    """Return ``doc_id`` (type unchanged) and ``text`` (bytes that are not UTF-8 replaced by U+FFFD) of every row.

    Raises
    ------
    InputError
        A column is missing, ids cannot be compared (maps), or the text column holds neither strings nor bytes.
    """
    doc_id = resolve_column(frame, id_column, option="id_column")
    text = resolve_column(frame, text_column, option="text_column")
    documents = frame.select(doc_id.alias(schema.DOC_ID), text.alias(schema.TEXT))
    id_type, text_type = (field.dataType for field in documents.schema)
    if not isinstance(id_type, T.AtomicType) or isinstance(id_type, T.VariantType):
        raise InputError(
            f"id_column={id_column!r} has type {id_type.simpleString()}; ids must be plain comparable values"
        )
    if not isinstance(text_type, T.StringType | T.BinaryType):
        given = text_type.simpleString()
        raise InputError(f"text_column={text_column!r} has type {given}; give a string or binary column, or cast it")
    return documents.withColumn(schema.TEXT, F.make_valid_utf8(F.col(schema.TEXT).cast("string")))


def repeated_ids(documents: DataFrame) -> DataFrame:
    """Return ``doc_id`` and ``rows`` of every id that stands in two rows or more. One shuffle of the ids."""
    counted = documents.filter(F.col(schema.DOC_ID).isNotNull()).groupBy(schema.DOC_ID).agg(F.count("*").alias("rows"))
    return counted.filter(F.col("rows") > 1)


def without_bad_rows(documents: DataFrame, repeated: DataFrame | None) -> DataFrame:
    """Return the rows with a text and an id of their own; ``repeated`` is None where no id is repeated."""
    usable = documents.filter(F.col(schema.DOC_ID).isNotNull() & F.col(schema.TEXT).isNotNull())
    return usable if repeated is None else usable.join(repeated, on=schema.DOC_ID, how="left_anti")


def without_rejected(frame: DataFrame, repeated: DataFrame, *, id_column: str, text_column: str) -> DataFrame:
    """Return the rows that are not set aside, with all their columns."""
    return _with_reason(frame, repeated, id_column, text_column).filter(F.col(_REASON).isNull()).select(*_quoted(frame))


def select_rejected(frame: DataFrame, repeated: DataFrame, *, id_column: str, text_column: str) -> DataFrame:
    """Return the rows that are set aside, with all their columns and the ``reason``.

    A repeated id sets aside every row that has it: which of them is meant, nothing tells. An input that has a column
    ``reason`` keeps it, and ours is ``reason_``.
    """
    rejected = _with_reason(frame, repeated, id_column, text_column).filter(F.col(_REASON).isNotNull())
    return rejected.select(*_quoted(frame), F.col(_REASON).alias(_free_name(frame, schema.REASON)))


def _with_reason(frame: DataFrame, repeated: DataFrame, id_column: str, text_column: str) -> DataFrame:
    """The rows with why each is set aside, NULL where it is not."""
    doc_id = resolve_column(frame, id_column, option="id_column")
    text = resolve_column(frame, text_column, option="text_column")
    is_repeated = repeated.select(F.col(schema.DOC_ID).alias(_ID), F.lit(True).alias("__is_repeated"))
    marked = frame.withColumn(_ID, doc_id).join(is_repeated, on=_ID, how="left")
    reason = F.when(doc_id.isNull(), NULL_ID).when(F.col("__is_repeated"), REPEATED_ID).when(text.isNull(), NULL_TEXT)
    return marked.withColumn(_REASON, reason)


def _free_name(frame: DataFrame, name: str) -> str:
    """The name, with as many underscores as make it different from the columns of the frame in any case."""
    taken = {column.lower() for column in frame.columns}
    while name in taken:
        name += "_"
    return name


def _quoted(frame: DataFrame) -> list[Column]:
    return [F.col("`" + name.replace("`", "``") + "`") for name in frame.columns]
