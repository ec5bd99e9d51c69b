"""Outputs: the user's rows come back as they were, with the groups beside them or without the duplicates."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from simhash_udf import schema
from simhash_udf.errors import InputError
from simhash_udf.stages.outputs import ADDED_COLUMNS, annotate_documents, check_free_names, filter_documents


@pytest.fixture(scope="module")
def documents(spark: SparkSession) -> DataFrame:
    """Six rows whose id column has a dot, with a map, an array, a struct, bytes and nulls."""
    columns = "`doc.key` string, text string, m map<string,int>, a array<double>, s struct<x:decimal(20,4)>, b binary"
    rows = [(key, f"文{key}", {"甲": 1}, [0.1, None], None, b"\xff\x00") for key in "ABCDE"]
    return spark.createDataFrame([*rows, ("F", None, None, None, None, None)], columns).repartition(2)


@pytest.fixture(scope="module")
def groups(spark: SparkSession) -> DataFrame:
    rows = [
        ("A", 5, 2, False, "B", 3, "near", 0.75, 7),
        ("B", 5, 2, True, "B", 0, "same_text", 1.0, 7),
        ("D", -9, 2, True, "D", 0, "same_text", 1.0, 7),
        ("E", -9, 2, False, "D", 0, "same_fingerprint", None, 7),
    ]
    kind = spark.createDataFrame([("",)], ["id"]).schema["id"].dataType
    return spark.createDataFrame(rows, schema.groups(kind))


def by_key(frame: DataFrame) -> dict[str, tuple[Any, ...]]:
    rows = frame.collect()
    assert len(rows) == len({row[0] for row in rows})
    return {row[0]: tuple(row) for row in rows}


def test_annotate_adds_the_columns_to_every_row_and_null_to_the_unique(documents: DataFrame, groups: DataFrame) -> None:
    annotated = annotate_documents(documents, groups, id_column="doc.key")
    assert annotated.schema.fields[:6] == documents.schema.fields
    assert annotated.columns[6:] == list(ADDED_COLUMNS)
    found, original = by_key(annotated), by_key(documents)
    assert {key: row[:6] for key, row in found.items()} == original
    added = {row.doc_id: tuple(row)[1:8] for row in groups.collect()}
    assert {key: row[6:] for key, row in found.items()} == {key: added.get(key, (None,) * 7) for key in original}


def test_filter_keeps_the_unique_and_the_representatives_unchanged(documents: DataFrame, groups: DataFrame) -> None:
    kept = filter_documents(documents, groups, id_column="doc.key")
    assert kept.schema == documents.schema
    original = by_key(documents)
    assert by_key(kept) == {key: original[key] for key in "BCDF"}


def test_no_group_leaves_every_row(documents: DataFrame, groups: DataFrame) -> None:
    none = groups.limit(0)
    assert by_key(filter_documents(documents, none, id_column="doc.key")) == by_key(documents)
    annotated = annotate_documents(documents, none, id_column="doc.key")
    assert {row[6:] for row in by_key(annotated).values()} == {(None,) * 7}


def test_a_name_that_annotate_needs_is_refused_there_alone(spark: SparkSession) -> None:
    frame = spark.createDataFrame([], "id long, text string, Distance int")
    with pytest.raises(InputError, match="mode=annotate adds column distance, which the input has already"):
        check_free_names(frame, "annotate")
    for mode in ("groups", "filter"):
        check_free_names(frame, mode)
