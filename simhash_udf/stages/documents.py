"""Documents: the user's rows, and the two columns of them that the job works on."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from simhash_udf import schema
from simhash_udf.errors import InputError
from simhash_udf.columns import resolve_column

NULL_ID = "null_id"
REPEATED_ID = "repeated_id"
NULL_TEXT = "null_text"


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
    if not isinstance(id_type, T.AtomicType):
        raise InputError(f"id_column={id_column!r} has type {id_type.simpleString()}; ids must be plain comparable values")
    if not isinstance(text_type, T.StringType | T.BinaryType):
        raise InputError(
            f"text_column={text_column!r} has type {text_type.simpleString()}; give a string or binary column, or cast it"
        )
    return documents.withColumn(schema.TEXT, F.make_valid_utf8(F.col(schema.TEXT).cast("string")))


def repeated_ids(documents: DataFrame) -> DataFrame:
    """Return ``doc_id`` and ``rows`` of every id that stands in two rows or more. One shuffle of the ids."""
    counted = documents.filter(F.col(schema.DOC_ID).isNotNull()).groupBy(schema.DOC_ID).agg(F.count("*").alias("rows"))
    return counted.filter(F.col("rows") > 1)


def without_bad_rows(documents: DataFrame, repeated: DataFrame | None) -> DataFrame:
    """Return the rows with a text and an id of their own; ``repeated`` is None where no id is repeated."""
    usable = documents.filter(F.col(schema.DOC_ID).isNotNull() & F.col(schema.TEXT).isNotNull())
    return usable if repeated is None else usable.join(repeated, on=schema.DOC_ID, how="left_anti")


def select_rejected(frame: DataFrame, repeated: DataFrame, *, id_column: str, text_column: str) -> DataFrame:
    """Return the rows that are set aside, with all their columns and the ``reason``.

    A repeated id sets aside every row that has it: which of them is meant, nothing tells.
    """
    doc_id = resolve_column(frame, id_column, option="id_column")
    text = resolve_column(frame, text_column, option="text_column")
    marked = frame.withColumn("__doc_id", doc_id).join(
        F.broadcast(repeated.select(F.col(schema.DOC_ID).alias("__doc_id"), F.lit(True).alias("__is_repeated"))),
        on="__doc_id",
        how="left",
    )
    reason = (
        F.when(doc_id.isNull(), NULL_ID).when(F.col("__is_repeated"), REPEATED_ID).when(text.isNull(), NULL_TEXT)
    )
    return marked.withColumn(schema.REASON, reason).filter(F.col(schema.REASON).isNotNull()).drop("__doc_id", "__is_repeated")


def calibration_sample(documents: DataFrame, size: int) -> DataFrame:
    """Return the texts of the ``size`` documents whose ids have the smallest hash: the same in any order and partitioning."""
    by_hash = documents.orderBy(F.xxhash64(schema.DOC_ID), F.col(schema.DOC_ID))
    return by_hash.limit(size).select(schema.TEXT)
