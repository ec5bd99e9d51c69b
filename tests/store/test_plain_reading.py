"""A store read by the page docs/store.md alone: its Python, its columns and its SQL, and nothing of this package."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from tests.store.model import worlds
from tests.store.nightly import Nightly

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "store.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```(python|sql)\n(.*?)```", PAGE, re.DOTALL)
VIEWS = {"fingerprints", "node_id"}

Read = Callable[[str], DataFrame]


@pytest.fixture(scope="module", params=[1, 2], ids=["one view", "two views"])
def store(request: pytest.FixtureRequest, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Nightly:
    """A store of two nights with merged groups, and texts without a fingerprint."""
    docs = worlds(8, count=40, views=request.param, k=3)
    made = Nightly(spark, tmp_path_factory.mktemp("plain") / "store", views=request.param)
    made.add("monday", docs[::2])
    made.add("tuesday", docs[1::2])
    return made


@pytest.fixture
def read(store: Nightly, spark: SparkSession) -> Read:
    """The Python of the page with another path and another table."""
    (code,) = (code for _, code in SNIPPETS if "newest = max" in code)

    def of_table(name: str) -> DataFrame:
        given = {"spark": spark}
        exec(code.replace("lake/pages-store", str(store.path)).replace("fingerprints", name), given)
        frame = given["frame"]
        assert isinstance(frame, DataFrame)
        return frame

    return of_table


def documented(row: str) -> set[str]:
    """Columns of a table on the page: those of the row that begins so, without the values of column answer."""
    (line,) = (line for line in PAGE.splitlines() if line.startswith(f"| `{row}` |"))
    text = line.split("|")[2]
    return set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([a-z_, ]+)`", text)))) - {"new", "duplicate", "known"}


@pytest.mark.parametrize("row", ["fingerprints", "memberships", "groups", "answers/", "changes/"])
def test_a_table_has_the_columns_of_the_page_and_no_others(read: Read, store: Nightly, row: str) -> None:
    wanted = documented(row)
    if row == "fingerprints":
        wanted = wanted - (VIEWS if store.views == 1 else set()) | {"keep_day"}
    assert set(read(row.rstrip("/")).columns) == wanted


def test_rows_are_those_that_went_in(read: Read, store: Nightly) -> None:
    fingerprints = read("fingerprints")
    assert fingerprints.count() == store.frames.manifest.counts["documents"]
    assert {row.run_id for row in fingerprints.select("run_id").distinct().collect()} == {"monday", "tuesday"}
    assert isinstance(fingerprints.schema["fingerprint"].dataType, T.LongType)
    kinds = {row.answer for row in read("answers").select("answer").distinct().collect()}
    assert kinds == {"new", "duplicate"}
    assert {row.change for row in read("changes").collect()} <= {"first_duplicate", "merged"}


def test_the_sql_of_the_page_gives_the_current_groups(read: Read, store: Nightly, spark: SparkSession) -> None:
    (query,) = (code for kind, code in SNIPPETS if kind == "sql" and "max_by" in code)
    if store.views > 1:
        query = query.replace("coalesce(f.fingerprint, f.text_digest)", "coalesce(f.node_id, f.text_digest)")
    for name in ("fingerprints", "memberships"):
        read(name).createOrReplaceTempView(name)
    found = {tuple(row) for row in spark.sql(query).filter("group_id IS NOT NULL").collect()}
    wanted: set[tuple[Any, ...]] = {(row[0], row[1]) for row in store.rows()}
    assert found == wanted
