"""Outputs: the user's rows with the groups' columns beside them, or only the rows to keep."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.columns import resolve_column
from simhash_udf.errors import InputError

ADDED_COLUMNS = (
    schema.GROUP_ID,
    schema.GROUP_SIZE,
    schema.IS_REPRESENTATIVE,
    schema.REPRESENTATIVE_ID,
    schema.DISTANCE,
    schema.MATCH,
    schema.SIMILARITY,
)
_KEY = "__doc_id"


def check_free_names(frame: DataFrame, mode: str, added: Sequence[str] = ADDED_COLUMNS) -> None:
    """Refuse an input whose columns have the names that ``mode=annotate`` adds.

    Raises
    ------
    InputError
        The input already has a column of such a name.
    """
    taken = sorted({name.lower() for name in frame.columns} & set(added))
    if mode == "annotate" and taken:
        raise InputError(
            f"mode=annotate adds column {taken[0]}, which the input has already; rename it or use mode=groups"
        )


def select_edges(edges: DataFrame) -> DataFrame:
    """Return ``src, dst, distance, similarity``; the last is NULL if texts were not compared."""
    unknown = F.lit(None).cast("double").alias(schema.SIMILARITY)
    similarity = F.col(schema.SIMILARITY) if schema.SIMILARITY in edges.columns else unknown
    return edges.select(*schema.EDGES.names, similarity)


def annotate_documents(frame: DataFrame, groups: DataFrame, *, id_column: str) -> DataFrame:
    """Return every row with all its columns and those of `ADDED_COLUMNS`, NULL where a document has no duplicate."""
    keyed = frame.withColumn(_KEY, resolve_column(frame, id_column, option="id_column"))
    added = groups.select(F.col(schema.DOC_ID).alias(_KEY), *ADDED_COLUMNS)
    return keyed.join(added, on=_KEY, how="left").drop(_KEY)


def filter_documents(frame: DataFrame, groups: DataFrame, *, id_column: str) -> DataFrame:
    """Return the rows to keep, unchanged: those without a duplicate, and of each group its representative."""
    removed = groups.filter(~F.col(schema.IS_REPRESENTATIVE)).select(F.col(schema.DOC_ID).alias(_KEY))
    keyed = frame.withColumn(_KEY, resolve_column(frame, id_column, option="id_column"))
    return keyed.join(removed, on=_KEY, how="left_anti").drop(_KEY)
