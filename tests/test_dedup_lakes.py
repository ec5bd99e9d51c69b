"""Whole runs on what lakes have: odd bytes in every column, very long texts, places that cannot be written."""

from __future__ import annotations

import datetime
import json
import struct
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from simhash_udf.runtime import entry
from tests.environment import job_environment

ROOT = Path(__file__).resolve().parent.parent
CLASSIC = {"calibration": "none", "max_distance": 3}
MOMENT = datetime.datetime(1582, 10, 4, 23, 59, 59, 999_999)


def raw_strings(values: list[bytes | None]) -> pa.Array:
    """Bytes as they are in a column of strings, UTF-8 or not."""
    blob = pa.array(values, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(blob), blob.buffers(), blob.null_count)


def doubles(*bits: int) -> pa.Array:
    return pa.array([struct.unpack("<d", struct.pack("<Q", value))[0] for value in bits])


IDS = [b"\xed\xa0\x80", b"\xed\xa0\x81", b"\x00", b"a\xff"]
TEXTS = [b"\xe7\x94\xb2\xff\x00\xe4\xb9\x99", b"\xe7\x94\xb2\xfe\x00\xe4\xb9\x99", b"\xed\xb0\x80", b"\xe4\xb8\x99"]
ODD = pa.table(
    {
        "id": raw_strings(IDS),
        "text": raw_strings(TEXTS),
        "bytes": raw_strings([b"\xff\xfe", b"", None, b"\xed\xa0\x80"]),
        # Spark writes every NaN as this one
        "double": doubles(0x8000000000000000, 0x7FF8000000000000, 0x0000000000000001, 0xFFF0000000000000),
        "at": pa.array([MOMENT, None, MOMENT.replace(year=9999), MOMENT.replace(year=1)], pa.timestamp("us", tz="UTC")),
        "local": pa.array([MOMENT] * 4, pa.timestamp("us")),
        "price": pa.array([Decimal(10**37), Decimal(-1), None, Decimal(0)], pa.decimal128(38, 0)),
        "map": pa.array([[("k", [1, None])], [], None, [("", None)]], pa.map_(pa.string(), pa.list_(pa.int8()))),
        "list": pa.array([[[]], None, [None], [["甲\x00"]]], pa.list_(pa.list_(pa.string()))),
        "day": pa.array([datetime.date(1, 1, 1), datetime.date(9999, 12, 31), None, datetime.date(1582, 10, 10)]),
    }
)


def as_bytes(table: pa.Table) -> list[dict[str, Any]]:
    """Rows by id, with strings as bytes and doubles by their bits, so that equal means equal to the bit."""
    for name in ("id", "text", "bytes"):
        table = table.set_column(table.column_names.index(name), name, table[name].cast(pa.binary()))
    rows = table.to_pylist()
    return sorted((row | {"double": struct.pack("<d", row["double"])} for row in rows), key=lambda row: row["id"])


@pytest.mark.parametrize("mode", ["annotate", "filter"])
def test_every_column_keeps_its_bits_also_where_they_are_no_text(dedup: Callable[..., Any], mode: str) -> None:
    results = dedup(ODD, mode=mode, **CLASSIC)
    removed = results.table("groups").filter(pc.invert(results.table("groups")["is_representative"]))
    gone = set(removed["doc_id"].cast(pa.binary()).to_pylist()) if mode == "filter" else set()
    found = results.table("documents").select(ODD.column_names)
    assert as_bytes(found) == [row for row in as_bytes(ODD) if row["id"] not in gone]
    assert found.schema.types == ODD.schema.types


def test_bytes_that_are_no_text_are_one_replacement_character(dedup: Callable[..., Any]) -> None:
    groups = dedup(ODD, **CLASSIC).table("groups")
    assert set(groups["doc_id"].cast(pa.binary()).to_pylist()) == set(IDS[:2])
    assert set(groups["match"].to_pylist()) == {"same_text"}


@pytest.mark.processes
def test_documents_of_50_megabytes_get_through(dedup: Callable[..., Any]) -> None:
    sentence = "仓库每天清点一次，清单寄给三个部门。"
    long = sentence * (50_000_000 // len(sentence.encode()))
    table = pa.table({"id": [1, 2, 3, 4], "text": [long, long.replace("，", ", "), "短文", long[: len(long) // 2]]})
    results = dedup(table, mode="filter", **CLASSIC)
    assert frozenset({1, 2}) in {group & {1, 2} for group in results.groups()}
    kept = results.table("documents")
    assert 3 in kept["id"].to_pylist()
    assert all(text in (long, "短文") for text in kept["text"].to_pylist())


def test_nested_columns_are_taken_by_their_paths(dedup: Callable[..., Any]) -> None:
    meta = [{"key": "a", "body": "同样的话"}, None, {"key": "b", "body": "同样的话"}, {"key": "c", "body": None}]
    results = dedup(
        pa.table({"meta": meta, "n": range(4)}),
        id_column="meta.key",
        text_column="meta.body",
        on_bad_rows="set_aside",
        **CLASSIC,
    )
    assert results.groups() == {frozenset("ab")}
    assert {row["n"]: row["reason"] for row in results.rows("rejected")} == {1: "null_id", 3: "null_text"}


@pytest.mark.parametrize("option", ["--output", "--work-dir"])
def test_a_place_that_cannot_be_written_is_found_before_the_work(
    submit: Callable[..., Any], tmp_path: Path, option: str
) -> None:
    pq.write_table(pa.table({"id": ["1"], "text": ["甲"]}), tmp_path / "in.parquet")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    places = {"--output": tmp_path / "out"} | {option: tmp_path / "file" / "under"}
    code, lines = submit("--input", tmp_path / "in.parquet", *(word for pair in places.items() for word in pair))
    assert code == entry.EXIT_REFUSED
    assert len(lines) == 1
    assert f"{tmp_path}/file/under" in lines[0]
    assert not (tmp_path / "out" / "_SUCCESS").exists()


MARK = "玄武岩标记七三九"


@pytest.mark.processes
def test_no_text_of_a_document_reaches_the_logs_or_the_report(tmp_path: Path) -> None:
    """A run that works, and runs that stop at every kind of fault; all that they print is searched."""
    texts = [f"{MARK}，第{number // 2}段，{chr(0x4E00 + number // 2) * 9}" for number in range(40)]
    good = tmp_path / "good.parquet"
    pq.write_table(pa.table({"id": [f"d{number}" for number in range(40)], "text": texts}), good)
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(good.read_bytes()[:60] + b"\xff" * 90 + good.read_bytes()[150:])
    torn, wide, bare = (tmp_path / name for name in ("torn.json", "wide.csv", "bare.csv"))
    torn.write_text(json.dumps({"id": 1, "text": MARK}) + f'\n{{"id": 2, "text": "{MARK}\n', encoding="utf-8")
    wide.write_text(f"id,text\n1,{MARK}\n2,{MARK},{MARK}\n", encoding="utf-8")
    bare.write_text(f"1,{MARK * 20}\n2,{MARK}\n", encoding="utf-8")
    header = ["--input-option", "header=true"]
    runs: list[tuple[int, list[Any]]] = [
        (0, [good, "--verify", "jaccard:0.5"]),
        (2, [damaged]),
        (2, [torn, "--input-format", "json"]),
        (2, [torn, "--input-format", "json", "--input-option", "mode=FAILFAST"]),
        (2, [wide, "--input-format", "csv", *header]),
        (2, [bare, "--input-format", "csv", *header]),
        (2, [good, "--id-column", "text", "--keep", "max:none"]),
    ]
    environment = job_environment(PYTHONPATH=str(ROOT))
    for number, (code, arguments) in enumerate(runs):
        output = tmp_path / f"out{number}"
        job = [sys.executable, str(ROOT / "jobs" / "dedup.py"), "--output", str(output), "--input"]
        shown = subprocess.run(
            [*job, *map(str, arguments)], capture_output=True, text=True, check=False, env=environment, timeout=300
        )
        assert shown.returncode == code, shown.stderr
        assert MARK not in shown.stdout + shown.stderr
        assert all(MARK not in path.read_text(encoding="utf-8") for path in output.glob("*.json"))
