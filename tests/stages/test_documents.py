"""Documents: which columns are taken, what is set aside, and that nothing else changes."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from simhash_udf.errors import InputError
from simhash_udf.stages.documents import (
    repeated_ids,
    select_documents,
    select_rejected,
    without_bad_rows,
    without_rejected,
)

NAMES = {"id_column": "id", "text_column": "text"}


def rows(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in frame.collect()), key=repr)


@pytest.mark.parametrize(
    ("kind", "ids"),
    [
        ("long", [-(2**63), 2**63 - 1, 1234567890123456789, 9007199254740993, 0]),
        ("int", [-(2**31), 2**31 - 1, 0]),
        ("string", ["库/甲-1", "0012", "", " ", "6f1c0e1e-8f3e-4f0e-9c43-0a57ed3d9f4b", "😀"]),
        ("binary", [b"\xff\x00", b"a"]),
        ("decimal(38,0)", [Decimal(10**37), Decimal(-1)]),
        ("date", [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)]),
    ],
)
def test_ids_of_any_plain_type_pass_unchanged(spark: SparkSession, kind: str, ids: list[Any]) -> None:
    frame = spark.createDataFrame([(value, "甲") for value in ids], f"id {kind}, text string")
    documents = select_documents(frame, **NAMES)
    assert documents.schema["doc_id"].dataType == frame.schema["id"].dataType
    assert sorted(row.doc_id for row in documents.collect()) == sorted(ids)


def test_text_in_bytes_is_read_as_utf8_and_faulty_bytes_are_replaced(spark: SparkSession) -> None:
    given = [(1, bytes.fromhex("e695b0e68dae")), (2, b"\xff\xfe"), (3, b"a\xe6\x95b"), (4, None), (5, b"")]
    documents = select_documents(spark.createDataFrame(given, "id int, text binary"), **NAMES)
    expected = [(number, text if text is None else text.decode("utf-8", "replace")) for number, text in given]
    assert rows(documents) == sorted(expected, key=repr)


@pytest.mark.parametrize(
    ("columns", "name", "message"),
    [
        ("id long, content string", "text", r"text_column='text' is not in the input; its columns are id, content"),
        ("id long, text long", "text", r"text_column='text' has type bigint; give a string or binary column"),
        ("id long, text array<string>", "text", r"has type array<string>"),
        ("id long, m struct<text:string>", "m.body", r"text_column='m.body' is not in the input"),
        ("id map<string,string>, text string", "text", r"id_column='id' has type map<string,string>"),
        ("id array<int>, text string", "text", r"id_column='id' has type array<int>"),
        ("id variant, text string", "text", r"id_column='id' has type variant"),
    ],
)
def test_columns_that_do_not_fit_are_refused_by_name_and_type(
    spark: SparkSession, columns: str, name: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        select_documents(spark.createDataFrame([], columns), id_column="id", text_column=name)


def test_columns_that_differ_only_in_case_are_refused_and_both_named(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, "a", "b")], "id int, text string, Text string")
    with pytest.raises(InputError, match="text_column='text' fits the columns text and Text"):
        select_documents(frame, **NAMES)


@pytest.mark.parametrize(
    ("columns", "row", "name"),
    [
        ("id int, `meta.text` string", (1, "甲"), "meta.text"),
        ("id int, meta struct<text:string>", (1, ("甲",)), "meta.text"),
        ("id int, meta struct<text:string>, `meta.text` string", (1, ("乙",), "甲"), "meta.text"),
        ("id int, `a``b c` string", (1, "甲"), "a`b c"),
    ],
)
def test_dots_in_names_are_a_flat_column_first_and_a_path_second(
    spark: SparkSession, columns: str, row: tuple[Any, ...], name: str
) -> None:
    frame = spark.createDataFrame([row], columns)
    assert rows(select_documents(frame, id_column="id", text_column=name)) == [(1, "甲")]


@pytest.fixture(scope="module")
def mixed(spark: SparkSession) -> DataFrame:
    """Good rows, null ids, repeated ids (one of them 500 times), null and empty texts."""
    given = [("1", "甲", 1), (None, "乙", 2), (None, None, 3), ("2", None, 4), ("3", "", 5), ("4", " ", 6)]
    given += [("5", "丙", 7), ("5", None, 8)] + [("skewed", f"丁{i}", 10 + i) for i in range(500)]
    return spark.createDataFrame(given, "id string, text string, n int").repartition(3)


def test_repeated_ids_are_counted_and_null_ids_are_not(mixed: DataFrame) -> None:
    assert rows(repeated_ids(select_documents(mixed, **NAMES))) == [("5", 2), ("skewed", 500)]


def test_usable_rows_have_a_text_and_an_id_of_their_own(mixed: DataFrame) -> None:
    documents = select_documents(mixed, **NAMES)
    repeated = repeated_ids(documents)
    assert rows(without_bad_rows(documents, repeated)) == [("1", "甲"), ("3", ""), ("4", " ")]
    assert without_bad_rows(documents, None).count() == 504


def test_every_row_is_either_rejected_with_a_reason_or_kept(mixed: DataFrame) -> None:
    repeated = repeated_ids(select_documents(mixed, **NAMES))
    rejected = select_rejected(mixed, repeated, **NAMES)
    kept = without_rejected(mixed, repeated, **NAMES)
    assert rejected.columns == ["id", "text", "n", "reason"]
    assert kept.schema == mixed.schema
    reasons = {row.n: row.reason for row in rejected.collect()}
    expected = {2: "null_id", 3: "null_id", 4: "null_text"}
    assert reasons == expected | dict.fromkeys([7, 8, *range(10, 510)], "repeated_id")
    assert sorted(rows(kept) + rows(rejected.drop("reason")), key=repr) == rows(mixed)


def test_an_input_with_its_own_reason_keeps_it(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(None, "甲", "mine")], "id int, text string, Reason string")
    rejected = select_rejected(frame, repeated_ids(select_documents(frame, **NAMES)), **NAMES)
    assert rejected.columns == ["id", "text", "Reason", "reason_"]
    assert rows(rejected) == [(None, "甲", "mine", "null_id")]


def test_no_row_gives_empty_tables(spark: SparkSession) -> None:
    frame = spark.createDataFrame([], "id string, text string")
    documents = select_documents(frame, **NAMES)
    repeated = repeated_ids(documents)
    assert [rows(table) for table in (documents, repeated, without_bad_rows(documents, repeated))] == [[], [], []]
