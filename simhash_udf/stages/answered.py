"""The rows of a batch by their answers: with them beside, those that are new, and those that were set aside."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema, store_schema
from simhash_udf.columns import resolve_column

ADDED_COLUMNS = (
    store_schema.ANSWER,
    store_schema.DUPLICATE_OF,
    store_schema.DUPLICATE_OF_RUN,
    schema.DISTANCE,
    schema.MATCH,
    schema.GROUP_ID,
)
"""Columns that stand beside each row with ``mode=annotate``."""

OTHER_TEXT = "other_text"
"""Why a row is set aside whose id is in the store with another text."""

_KEY = "__doc_id"


def annotate_answered(frame: DataFrame, answers: DataFrame, *, id_column: str) -> DataFrame:
    """Return every row that has an answer, with all its columns and those of `ADDED_COLUMNS`."""
    added = answers.select(F.col(schema.DOC_ID).alias(_KEY), *ADDED_COLUMNS)
    return _keyed(frame, id_column).join(added, on=_KEY, how="inner").drop(_KEY)


def filter_new(frame: DataFrame, answers: DataFrame, *, id_column: str) -> DataFrame:
    """Return the rows that are new, unchanged: duplicates of nothing older, and one of each new group."""
    new = answers.filter(F.col(store_schema.ANSWER) == store_schema.NEW).select(F.col(schema.DOC_ID).alias(_KEY))
    return _keyed(frame, id_column).join(new, on=_KEY, how="left_semi").drop(_KEY)


def with_other_texts(rejected: DataFrame, usable: DataFrame, answers: DataFrame, *, id_column: str) -> DataFrame:
    """Return the rejected rows, and with them the usable ones that have no answer, as their ids were taken.

    Parameters
    ----------
    rejected
        Rows that are set aside for what they are; their last column is the reason.
    usable
        The others, in the same columns without the reason.
    answers
        The table of that name, of this batch.
    id_column
        Column of document ids.
    """
    answered = answers.select(F.col(schema.DOC_ID).alias(_KEY))
    taken = _keyed(usable, id_column).join(answered, on=_KEY, how="left_anti").drop(_KEY)
    return rejected.unionByName(taken.withColumn(rejected.columns[-1], F.lit(OTHER_TEXT)))


def _keyed(frame: DataFrame, id_column: str) -> DataFrame:
    return frame.withColumn(_KEY, resolve_column(frame, id_column, option="id_column"))
