"""Which document of a group is kept, and how near the others are to it.

The functions here read columns that a stage has made: those of table fingerprints, the values that policies ask for
under the names of `keep_column`, and a struct ``best`` with ``doc_id, text_digest, text_length, words`` of the document
that is kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.udf.columns import hamming_distance

KEEP_PREFIX = "keep_"
"""Columns of the user that the policies read stand in our tables under their names with this before them."""


def order_of(policy: str) -> list[Column]:
    """Return the sort order of a keep policy: the document to keep comes first, missing values last.

    ``first`` and ``last`` are by document id, ``longest`` and ``shortest`` by characters of the normalised text,
    ``min:COLUMN`` and ``max:COLUMN`` by a column, ``priority:COLUMN=a,b`` by its place in the list.
    """
    name, _, argument = policy.partition(":")
    if name == "priority":
        return [_place_in_list(*argument.split("=", 1)).asc_nulls_last()]
    if name in {"min", "max"}:
        column = keep_column(argument)
        return [column.asc_nulls_last() if name == "min" else column.desc_nulls_last()]
    if name in {"longest", "shortest"}:
        length = F.col(schema.TEXT_LENGTH)
        return [length.desc() if name == "longest" else length.asc()]
    return [F.col(schema.DOC_ID).desc() if name == "last" else F.col(schema.DOC_ID).asc()]


def keep_columns(keep: Sequence[str]) -> list[str]:
    """Return the names of the user's columns that the policies read."""
    return sorted({policy.partition(":")[2].partition("=")[0] for policy in keep if ":" in policy})


def keep_column(name: str) -> Column:
    """Return the column with the values of one of the user's columns."""
    return F.col(f"`{KEEP_PREFIX}{name.replace('`', '``')}`")


def distance_to_best(words: Sequence[Column]) -> Column:
    """Return the Hamming distance to the document that is kept, in the view in which the two are nearest.

    It is 0 where the column ``is_text_group`` is true. ``words`` has one column a view.
    """
    views = [hamming_distance(word, F.col("best.words")[view]) for view, word in enumerate(words)]
    nearest = F.least(*views) if len(views) > 1 else views[0]
    return F.when(F.col("is_text_group"), F.lit(0)).otherwise(nearest)


def match_with_best(words: Sequence[Column]) -> Column:
    """Return why a document is in the group of the one that is kept: same text, same fingerprint, or near."""
    is_same_node = F.array(*words) == F.col("best.words")
    same = F.when(_is_same_text(), schema.SAME_TEXT)
    return same.when(is_same_node, schema.SAME_FINGERPRINT).otherwise(schema.NEAR)


def _place_in_list(name: str, values: str) -> Column:
    """Place of a column's value in a comma-separated list, NULL if it is not there."""
    listed = F.array(*(F.lit(value) for value in values.split(",")))
    return F.nullif(F.array_position(listed, keep_column(name).cast("string")), F.lit(0))


def _is_same_text() -> Column:
    same_digest = F.col(schema.TEXT_DIGEST) == F.col(f"best.{schema.TEXT_DIGEST}")
    return same_digest & (F.col(schema.TEXT_LENGTH) == F.col(f"best.{schema.TEXT_LENGTH}"))
