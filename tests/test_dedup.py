"""Whole runs of the job: what is found, what is written, and that nothing but rows and settings decides it."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from simhash_udf.sample import Document, generate_documents
from simhash_udf.schema import groups as groups_schema
from simhash_udf.stages.outputs import ADDED_COLUMNS

ARTICLES = ("original", "exact_copy", "other_form", "light_edit", "heavy_edit")  # templates are made to look alike
DAYS = ("0012", "2026-01-01 10:00", "甲")
COLUMNS = pa.schema(
    [
        ("id", pa.string()),
        ("text", pa.string()),
        ("at", pa.timestamp("us", tz="UTC")),
        ("local", pa.timestamp("us")),
        ("price", pa.decimal128(38, 18)),
        ("tags", pa.map_(pa.string(), pa.list_(pa.int64()))),
        ("place", pa.struct([("x", pa.float64()), ("名", pa.string())])),
        ("raw", pa.binary()),
        ("small", pa.int8()),
        ("ratio", pa.float32()),
    ]
)


def documents() -> list[Document]:
    return [document for document in generate_documents(240, seed=7) if document.text is not None]


def row(number: int, document: Document) -> dict[str, Any]:
    """A row with a value of every kind of column, and a null in each now and then."""
    moment = datetime.datetime(1900, 1, 1, 0, 0, 0, 1) + datetime.timedelta(days=400 * number, microseconds=number)
    values = {
        "at": moment.replace(tzinfo=datetime.timezone.utc),
        "local": moment,
        "price": Decimal(-number) / 10**18,
        "tags": [("甲", [number, None]), ("", [])],
        "place": {"x": number / 7, "名": None},
        "raw": bytes([255, 0, number % 256]),
        "small": number % 256 - 128,
        "ratio": number / 3,
    }
    kept = {name: value for place, (name, value) in enumerate(values.items()) if (number + place) % 9}
    return {"id": document.id, "text": document.text} | kept


def write(directory: Path, rows: list[dict[str, Any]], files: int) -> Path:
    """The rows under ``dt=…`` directories, several files in each."""
    for number in range(files):
        for place, day in enumerate(DAYS):
            part = [entry for i, entry in enumerate(rows) if i % files == number and len(entry["id"]) % 3 == place]
            folder = directory / f"dt={day.replace(':', '%3A')}"
            folder.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.Table.from_pylist(part, schema=COLUMNS), folder / f"part-{number}.parquet")
    return directory


@pytest.fixture(scope="module")
def given() -> list[dict[str, Any]]:
    return [row(number, document) for number, document in enumerate(documents())]


@pytest.fixture(scope="module")
def place(given: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("in"), given, 1)


@pytest.fixture(scope="module")
def annotated(dedup: Callable[..., Any], place: Path) -> Any:
    return dedup(place, mode="annotate", keep=("longest",))


@pytest.fixture(scope="module")
def filtered(dedup: Callable[..., Any], place: Path) -> Any:
    return dedup(place, mode="filter", keep=("longest",))


def read(spark: SparkSession, path: Path, columns: list[str]) -> pa.Table:
    return spark.read.parquet(str(path)).select(columns).toArrow().sort_by("id")


def test_results_are_marked_whole_and_nothing_else_stays(annotated: Any) -> None:
    names = {path.name for path in annotated.path.iterdir()}
    assert names == {
        "_SUCCESS",
        "groups",
        "edges",
        "rejected",
        "documents",
        "report.json",
        "report.html",
        "thresholds.json",
    }
    assert all(len(list((annotated.path / name).glob("*.parquet"))) <= 2 for name in ("groups", "edges", "rejected"))
    assert len(list((annotated.path / "documents").rglob("*.parquet"))) <= 2 * len(DAYS)


def test_the_counts_of_the_report_add_up_and_are_those_of_the_tables(annotated: Any, given: list[Any]) -> None:
    counts = annotated.report["counts"]
    bad = counts["null_ids"] + counts["repeated_ids"] + counts["null_texts"]
    assert counts["documents"] == counts["fingerprinted"] + bad == len(given)
    assert counts["fingerprinted"] == counts["kept"] + counts["removed"]
    assert counts["members"] == annotated.table("groups").num_rows == counts["groups"] + counts["removed"]
    assert counts["groups"] == len(annotated.groups())
    assert counts["edges"] == annotated.table("edges").num_rows
    assert annotated.report["join"]["measured"]["records"] > 0
    assert annotated.report["is_calibrated"] is True
    assert annotated.report["settings"]["max_distance"] == 3


def test_planted_copies_are_found_and_texts_of_others_are_not(annotated: Any) -> None:
    cluster_of = {d.id: d.cluster for d in documents() if d.kind in ARTICLES}
    assert all(len({cluster_of.get(doc_id) for doc_id in group}) == 1 for group in annotated.groups())
    by_text = defaultdict(set)
    for document in documents():
        by_text[document.text].add(document.id)
    copies = [ids for ids in by_text.values() if len(ids) > 1]
    assert copies
    assert all(any(ids <= group for group in annotated.groups()) for ids in copies)


def test_annotate_keeps_every_column_and_its_type_to_the_bit(spark: SparkSession, annotated: Any, place: Path) -> None:
    names = [*COLUMNS.names, "dt"]
    assert read(spark, annotated.path / "documents", names).equals(read(spark, place, names))


def test_annotate_says_of_every_row_what_groups_says(spark: SparkSession, annotated: Any, given: list[Any]) -> None:
    found = read(spark, annotated.path / "documents", ["id", *ADDED_COLUMNS]).to_pylist()
    members = {entry["doc_id"]: entry for entry in annotated.rows("groups")}
    nothing = dict.fromkeys(ADDED_COLUMNS)
    assert [entry["id"] for entry in found] == sorted(entry["id"] for entry in given)
    for entry in found:
        expected = members.get(entry["id"], nothing)
        assert {name: entry[name] for name in ADDED_COLUMNS} == {name: expected[name] for name in ADDED_COLUMNS}


def test_partition_directories_stay_as_they_were(annotated: Any, filtered: Any, place: Path) -> None:
    layout = {path.name for path in place.iterdir()}
    assert "dt=0012" in layout
    for results in (annotated, filtered):
        assert {path.name for path in (results.path / "documents").iterdir() if path.is_dir()} == layout
        assert "dt" not in results.table("documents").column_names


def test_filter_keeps_one_of_each_group_and_all_the_rest(spark: SparkSession, filtered: Any, place: Path) -> None:
    names = [*COLUMNS.names, "dt"]
    removed = {entry["doc_id"] for entry in filtered.rows("groups") if not entry["is_representative"]}
    original = read(spark, place, names)
    kept = pa.array([doc_id.as_py() not in removed for doc_id in original["id"]])
    assert read(spark, filtered.path / "documents", names).equals(original.filter(kept))
    assert 0 < len(removed) == filtered.report["counts"]["removed"]


def test_what_filter_kept_has_no_group(dedup: Callable[..., Any], filtered: Any) -> None:
    thresholds = str(filtered.path / "thresholds.json")
    again = dedup(filtered.path / "documents", calibration=thresholds)
    assert again.groups() == set()
    assert again.report["counts"]["kept"] == filtered.report["counts"]["kept"]


def test_the_longest_text_of_each_group_is_kept(annotated: Any) -> None:
    """In characters of the normalised text: the oracle counts letters and digits."""
    letters = {d.id: sum(char.isalnum() for char in d.text or "") for d in documents()}
    longest: dict[int, int] = defaultdict(int)
    kept = {}
    for entry in annotated.rows("groups"):
        longest[entry["group_id"]] = max(longest[entry["group_id"]], letters[entry["doc_id"]])
        if entry["is_representative"]:
            kept[entry["group_id"]] = letters[entry["doc_id"]]
    assert all(kept[group] >= 0.95 * longest[group] for group in longest)  # blanks between words count too
    assert kept.keys() == longest.keys()


def test_order_files_partitions_and_adaptive_execution_change_no_row(
    spark: SparkSession,
    dedup: Callable[..., Any],
    given: list[Any],
    filtered: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = write(tmp_path / "in", given[::-1], 4)
    options = {"spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "7"}
    before = {name: spark.conf.get(name) for name in options}
    for name, value in options.items():
        spark.conf.set(name, value)
    try:
        found = dedup(place, mode="filter", keep=("longest",))
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)
    for name in ("groups", "edges", "documents", "rejected"):
        assert found.rows(name) == filtered.rows(name)
    assert found.report["counts"] == filtered.report["counts"]


def test_groups_have_the_schema_of_the_contract(spark: SparkSession, filtered: Any) -> None:
    found = spark.read.parquet(str(filtered.path / "groups")).schema
    assert found == groups_schema(found["doc_id"].dataType)
