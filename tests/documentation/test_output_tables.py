"""The page of the output tables has the columns and types that the code has."""

from __future__ import annotations

import re

import pytest
from pyspark.sql import types as T

from simhash_udf import schema
from simhash_udf.stages.documents import NULL_ID, NULL_TEXT, REPEATED_ID
from simhash_udf.stages.outputs import ADDED_COLUMNS
from tests.documentation.snippets import ROOT

PAGE = (ROOT / "docs" / "output-tables.md").read_text(encoding="utf-8")
ID = T.StringType()
SIMILARITY = T.StructField(schema.SIMILARITY, T.DoubleType())
TABLES = {
    "groups/": schema.groups(ID),
    "edges/": T.StructType([*schema.EDGES.fields, SIMILARITY]),
    "fingerprints/": schema.fingerprints(ID, 2),
}


def section(title: str) -> str:
    """The text of a section, without those below it."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, title
    return found[1]


def columns_of(title: str) -> list[tuple[str, str, str]]:
    """Name, type and null rule of each column in a section's table."""
    return re.findall(r"^\| `(\w+)` \| `([^`]+)` \| ([^|]+) \|", section(title), re.MULTILINE)


def report_keys() -> tuple[set[str], set[str]]:
    """The keys of report.json that the page names, and of its counts."""
    tables = section("report.json").split("`counts`:")
    rows = [re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE) for table in tables]
    keys, counts = ({name for row in part for name in re.findall(r"`(\w+)`", row)} for part in rows)
    return keys, counts


@pytest.mark.parametrize("title", TABLES)
def test_columns_and_types_are_those_of_the_schema(title: str) -> None:
    shown = [(name, kind) for name, kind, _ in columns_of(title)]
    made = [(field.name, field.dataType.simpleString()) for field in TABLES[title].fields]
    is_id = {schema.DOC_ID, schema.REPRESENTATIVE_ID}
    assert shown == [(name, "ID" if name in is_id else kind) for name, kind in made]


def test_what_the_schema_says_is_never_null_is_said_on_the_page() -> None:
    rules = {name: null for name, _, null in columns_of("edges/")}
    assert all(rules[field.name] == "never" for field in schema.EDGES.fields)


def test_the_columns_that_annotate_adds_are_named_in_order() -> None:
    line = next(line for line in section("documents/").splitlines() if line.startswith("`"))
    assert tuple(re.findall(r"`(\w+)`", line)) == ADDED_COLUMNS


def test_every_reason_and_every_kind_of_match_is_named() -> None:
    assert {NULL_ID, NULL_TEXT, REPEATED_ID} <= set(re.findall(r"^\| `(\w+)` \|", section("rejected/"), re.MULTILINE))
    assert all(f"`{match}`" in section("groups/") for match in (schema.SAME_TEXT, schema.SAME_FINGERPRINT, schema.NEAR))
