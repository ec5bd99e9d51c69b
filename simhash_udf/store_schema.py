"""Column names and table schemas of a store, and of the stages that add a batch to one."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import types as T

from simhash_udf import schema

ID_HASH = "id_hash"
RUN_ID = "run_id"
VERSION = "version"
IS_TEXT_GROUP = "is_text_group"
OLD_ID = "old_id"

ANSWER = "answer"
DUPLICATE_OF = "duplicate_of"
DUPLICATE_OF_RUN = "duplicate_of_run"
NEW, DUPLICATE, KNOWN = "new", "duplicate", "known"

CHANGE = "change"
OLD_GROUP_ID = "old_group_id"
NEW_GROUP_ID = "new_group_id"
FIRST_DUPLICATE, MERGED, REPRESENTATIVE, REGROUPED, ALONE = (
    "first_duplicate",
    "merged",
    "representative",
    "regrouped",
    "alone",
)

OLD_GROUP, OLD_SINGLE, ARRIVAL = range(3)
"""Parts of a batch's groups, in the order in which they give the representative: what is in the store goes first."""

SCAN = T.StructType(
    [
        T.StructField(schema.NODE_ID, T.LongType(), False),
        T.StructField(OLD_ID, T.LongType()),
        T.StructField(schema.DISTANCE, T.IntegerType()),
    ]
)
"""What a scan of the stored fingerprints finds: a node of the batch with a stored one that it is near to; or, with no
more than the first column, the hash of a document id that batch and store have both."""

MEMBERSHIPS = T.StructType(
    [
        T.StructField(schema.NODE_ID, T.LongType()),
        T.StructField(IS_TEXT_GROUP, T.BooleanType()),
        T.StructField(schema.GROUP_ID, T.LongType()),
        T.StructField(VERSION, T.LongType()),
    ]
)
"""The group of a node from that version on, until a newer row; NULL if it is in none any more."""


def stored(doc_id_type: T.DataType, num_views: int, keep: Sequence[T.StructField]) -> T.StructType:
    """Return the schema of a store's fingerprints: that of the table of this name, and three kinds of columns more.

    ``id_hash`` is Spark's xxhash64 of ``doc_id``; ``run_id`` the run it came in; ``keep_…`` the user's columns that the
    keep policies read.
    """
    more = [T.StructField(ID_HASH, T.LongType()), T.StructField(RUN_ID, T.StringType())]
    return T.StructType([*schema.fingerprints(doc_id_type, num_views).fields, *more, *keep])


def groups(doc_id_type: T.DataType) -> T.StructType:
    """Return the schema of a store's groups: size and representative from that version on, until a newer row.

    A ``group_size`` of 0 says that there is no such group any more.
    """
    return T.StructType(
        [
            T.StructField(schema.GROUP_ID, T.LongType()),
            T.StructField(IS_TEXT_GROUP, T.BooleanType()),
            T.StructField(schema.GROUP_SIZE, T.LongType()),
            T.StructField(schema.REPRESENTATIVE_ID, doc_id_type),
            T.StructField(RUN_ID, T.StringType()),
            T.StructField(schema.TEXT_DIGEST, T.LongType()),
            T.StructField(schema.TEXT_LENGTH, T.IntegerType()),
            T.StructField(schema.FINGERPRINTS, T.ArrayType(T.LongType())),
            T.StructField(VERSION, T.LongType()),
        ]
    )


def answers(doc_id_type: T.DataType) -> T.StructType:
    """Return the schema of answers: one row for each document of a run that was not set aside."""
    return T.StructType(
        [
            T.StructField(schema.DOC_ID, doc_id_type),
            T.StructField(ANSWER, T.StringType()),
            T.StructField(DUPLICATE_OF, doc_id_type),
            T.StructField(DUPLICATE_OF_RUN, T.StringType()),
            T.StructField(schema.DISTANCE, T.IntegerType()),
            T.StructField(schema.MATCH, T.StringType()),
            T.StructField(schema.GROUP_ID, T.LongType()),
            T.StructField(RUN_ID, T.StringType()),
        ]
    )


def changes(doc_id_type: T.DataType) -> T.StructType:
    """Return the schema of changes: older documents whose group or representative is another one since that version."""
    return T.StructType(
        [
            T.StructField(schema.DOC_ID, doc_id_type),
            T.StructField(CHANGE, T.StringType()),
            T.StructField(OLD_GROUP_ID, T.LongType()),
            T.StructField(NEW_GROUP_ID, T.LongType()),
            T.StructField(schema.REPRESENTATIVE_ID, doc_id_type),
            T.StructField(VERSION, T.LongType()),
        ]
    )


def assigned(doc_id_type: T.DataType) -> T.StructType:
    """Return the schema of assigned: what a batch's groups are made of, one row a part.

    A part is a group of the store (``part`` 0), a document of it that had no duplicate (1), or a document of the batch
    (2). ``group_size`` is 1 where a document stays alone.
    """
    best = [
        T.StructField(schema.DOC_ID, doc_id_type),
        T.StructField(RUN_ID, T.StringType()),
        T.StructField(schema.TEXT_DIGEST, T.LongType()),
        T.StructField(schema.TEXT_LENGTH, T.IntegerType()),
        T.StructField("words", T.ArrayType(T.LongType())),
    ]
    return T.StructType(
        [
            T.StructField("part", T.IntegerType()),
            T.StructField(schema.NODE_ID, T.LongType()),
            T.StructField(IS_TEXT_GROUP, T.BooleanType()),
            T.StructField(OLD_GROUP_ID, T.LongType()),
            T.StructField("part_size", T.LongType()),
            T.StructField(schema.DOC_ID, doc_id_type),
            T.StructField(schema.GROUP_ID, T.LongType()),
            T.StructField(schema.GROUP_SIZE, T.LongType()),
            T.StructField("best", T.StructType(best)),
            T.StructField(schema.DISTANCE, T.IntegerType()),
            T.StructField(schema.MATCH, T.StringType()),
        ]
    )
