"""Outputs: the user's rows with the groups' columns beside them, or only the rows to keep."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.errors import InputError
from simhash_udf.columns import resolve_column

ADDED_COLUMNS = (
    schema.GROUP_ID,
    schema.GROUP_SIZE,
    schema.IS_REPRESENTATIVE,
    schema.REPRESENTATIVE_ID,
    schema.DISTANCE,
    schema.MATCH,
)
_KEY = "__doc_id"


def annotate_documents(frame: DataFrame, groups: DataFrame, *, id_column: str) -> DataFrame:
    """Return every row with all its columns and those of `ADDED_COLUMNS`, NULL where a document has no duplicate.

    Raises
    ------
    InputError
        The input already has a column of such a name.
    """
    taken = {name.lower() for name in frame.columns} & set(ADDED_COLUMNS)
    if taken:
        raise InputError(f"mode=annotate adds column {sorted(taken)[0]}, which the input has already; rename it or use mode=groups")
    return _with_groups(frame, groups.select(schema.DOC_ID, *ADDED_COLUMNS), id_column).drop(_KEY)


def filter_documents(frame: DataFrame, groups: DataFrame, *, id_column: str) -> DataFrame:
    """Return the rows to keep, unchanged: those without a duplicate, and of each group its representative."""
    removed = groups.filter(~F.col(schema.IS_REPRESENTATIVE)).select(schema.DOC_ID)
    keyed = frame.withColumn(_KEY, resolve_column(frame, id_column, option="id_column"))
    kept = keyed.join(removed.withColumnRenamed(schema.DOC_ID, _KEY), on=_KEY, how="left_anti")
    return kept.select(*(keyed[f"`{name}`"] for name in frame.columns))


def _with_groups(frame: DataFrame, groups: DataFrame, id_column: str) -> DataFrame:
    keyed = frame.withColumn(_KEY, resolve_column(frame, id_column, option="id_column"))
    joined = keyed.join(groups.withColumnRenamed(schema.DOC_ID, _KEY), on=_KEY, how="left")
    return joined.select(_KEY, *(F.col(f"`{name}`") for name in frame.columns), *ADDED_COLUMNS)
