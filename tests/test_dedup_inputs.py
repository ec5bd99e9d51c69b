"""Whole runs on inputs that are odd: ids, nulls, names, types, lengths, and nothing at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simhash_udf.errors import InputError

CLASSIC = {"calibration": "none"}
LOW, HIGH = -(2**63), 2**63 - 1
BLANKS = ["", "   ", "\u3000\u3000", "\n\t"]


def table(**columns: Any) -> pa.Table:
    return pa.table(columns)


@pytest.fixture(scope="module")
def mixed(dedup: Callable[..., Any]) -> Any:
    """Good rows at the ends of the id range among null ids, repeated ids, null texts and texts of no word."""
    rows = [(LOW, "数据清洗流程"), (HIGH, "数据清洗流程！"), (1234567890123456789, "甲"), (9007199254740993, "乙")]
    rows += [(None, "丙"), (None, None), (5, "数据清洗流程"), (5, None), (6, None), (7, None)]
    rows += [(100 + number, text) for number, text in enumerate([*BLANKS, "！！！", "😀😀😀", "桥", "船", "桥"])]
    rows += [(200, "长" * 3000), (201, "我想学游泳"), (202, "她在喝红茶")]
    documents = pa.table(list(zip(*rows, strict=True)), schema=pa.schema([("id", pa.int64()), ("text", pa.string())]))
    documents = documents.append_column("n", pa.array(range(len(rows))))
    return dedup(documents, on_bad_rows="set_aside", max_chars=2000, mode="annotate", **CLASSIC)


def test_only_equal_texts_are_grouped_where_there_is_no_word(mixed: Any) -> None:
    assert mixed.groups() == {frozenset({LOW, HIGH}), frozenset({100, 101, 102, 103}), frozenset({106, 108})}
    assert {row["match"] for row in mixed.rows("groups")} == {"same_text"}
    assert {row["distance"] for row in mixed.rows("groups")} == {0}


def test_rows_that_are_set_aside_are_written_whole_with_the_reason(mixed: Any) -> None:
    reasons = {row["n"]: row["reason"] for row in mixed.rows("rejected")}
    expected = {4: "null_id", 5: "null_id", 6: "repeated_id", 7: "repeated_id", 8: "null_text", 9: "null_text"}
    assert reasons == expected
    assert mixed.table("rejected").column_names == ["id", "text", "n", "reason"]


def test_every_row_is_written_once_with_its_id_to_the_last_digit(mixed: Any) -> None:
    kept = mixed.table("documents")
    assert sorted(kept["n"].to_pylist() + mixed.table("rejected")["n"].to_pylist()) == list(range(22))
    assert kept.schema.field("id").type == pa.int64()
    assert {LOW, HIGH, 1234567890123456789, 9007199254740993} <= set(kept["id"].to_pylist())


def test_the_counts_name_every_row(mixed: Any) -> None:
    counts = mixed.report["counts"]
    expected = {"documents": 22, "null_ids": 2, "repeated_ids": 2, "null_texts": 2, "fingerprinted": 16, "cut": 1}
    assert {name: counts[name] for name in expected} == expected
    assert counts["without_fingerprint"] == 6
    assert (counts["groups"], counts["members"], counts["removed"], counts["kept"]) == (3, 8, 5, 11)
    assert mixed.report["is_calibrated"] is False


@pytest.mark.parametrize(
    ("ids", "texts", "policy", "message"),
    [
        (
            ["1", None, None],
            ["甲", "乙", "丙"],
            None,
            r"^2 rows have a null id in column 'id'; .*on_bad_rows=set_aside",
        ),
        (["1", "1", "2"], ["甲", "乙", "丙"], None, r"^2 rows have an id that other rows have too in column 'id'"),
        (["1", "2", "3"], ["甲", None, ""], "fail", r"^1 rows have a null in column 'text'"),
    ],
)
def test_bad_rows_stop_the_run_with_their_number(
    dedup: Callable[..., Any], ids: list[Any], texts: list[Any], policy: str | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        dedup(table(id=ids, text=texts), on_bad_rows=policy, **CLASSIC)


@pytest.fixture(scope="module")
def odd(dedup: Callable[..., Any]) -> Any:
    """Names with dots, ids of every shape, text in bytes, nanosecond timestamps, columns that differ by type alone."""
    ids = ["库/甲-1", "库/乙-2", "6f1c0e1e-8f3e-4f0e-9c43-0a57ed3d9f4b", "0012", "12", " "]
    texts = [text.encode() for text in ("同一段文字", "同一段文字", "数据", "数据")] + [b"\xff\xfe", b"a\xffb"]
    stamps = pa.array([1_700_000_000_123_456_789 + number for number in range(6)], pa.timestamp("ns"))
    documents = pa.table({"doc.key": ids, "meta.text": texts, "ts": stamps, "__doc": list("abcdef")})
    return dedup(documents, id_column="doc.key", text_column="meta.text", mode="annotate", **CLASSIC)


def test_ids_and_texts_of_any_shape_are_mapped_back(odd: Any) -> None:
    pairs = {frozenset({"库/甲-1", "库/乙-2"}), frozenset({"6f1c0e1e-8f3e-4f0e-9c43-0a57ed3d9f4b", "0012"})}
    assert odd.groups() == pairs
    assert odd.report["counts"]["documents"] == odd.report["counts"]["fingerprinted"] == 6


def test_nanoseconds_that_nobody_asked_for_are_kept_as_numbers(odd: Any) -> None:
    found = {row["doc.key"]: row for row in odd.rows("documents")}
    assert found["0012"]["ts"] == 1_700_000_000_123_456_792
    assert found["12"]["meta.text"] == b"\xff\xfe"
    assert [row["__doc"] for row in sorted(found.values(), key=lambda row: row["ts"])] == list("abcdef")


@pytest.mark.parametrize("mode", ["annotate", "filter"])
def test_no_row_is_a_result_with_all_columns(dedup: Callable[..., Any], mode: str) -> None:
    empty = pa.table({"id": pa.array([], pa.int64()), "text": pa.array([], pa.string())})
    results = dedup(empty, mode=mode)
    assert (results.path / "_SUCCESS").exists()
    assert results.table("groups").num_rows == results.table("documents").num_rows == 0
    assert results.table("groups").column_names[:3] == ["doc_id", "group_id", "group_size"]
    assert results.table("groups").schema.field("doc_id").type == pa.int64()
    assert results.table("edges").column_names[:3] == ["src", "dst", "distance"]
    assert results.report["counts"]["kept"] == 0


def test_nothing_duplicated_is_a_result_too(dedup: Callable[..., Any]) -> None:
    results = dedup(table(id=["1", "2"], text=["我想学游泳", "她在喝红茶"]), mode="filter")
    assert results.groups() == set()
    assert sorted(results.table("documents")["id"].to_pylist()) == ["1", "2"]
    counts = results.report["counts"]
    assert (counts["groups"], counts["removed"], counts["kept"]) == (0, 0, 2)


def test_three_thousand_copies_of_one_page_are_one_node(dedup: Callable[..., Any]) -> None:
    texts = ["本页面暂时无法访问请稍后再试"] * 3000 + [
        f"第{chr(0x4E00 + i)}篇 {chr(0x5E00 + 37 * i)}文" for i in range(10)
    ]
    results = dedup(table(id=[f"d{number:04d}" for number in range(3010)], text=texts), mode="filter", **CLASSIC)
    assert [len(group) for group in results.groups()] == [3000]
    assert results.table("documents").num_rows == 11
    assert results.report["counts"]["edges"] == 0
    assert results.report["largest_groups"][0]["group_size"] == 3000


def test_texts_of_half_a_megabyte_and_endless_runs_get_through(dedup: Callable[..., Any]) -> None:
    sentence = "数据清洗流程，"
    texts = [f"{number} " + sentence * (512 * 1024 // len(sentence.encode())) for number in range(32)]
    texts += ["鑫" * 200_000, "中国" * 100_000, "数据清洗流程"]
    results = dedup(table(id=list(range(35)), text=texts), **CLASSIC)
    assert frozenset(range(32)) in {group & frozenset(range(32)) for group in results.groups()}
    assert results.report["counts"]["fingerprinted"] == 35


def test_a_text_column_that_some_files_lack_is_counted(dedup: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    pq.write_table(table(id=["1"], text=["同一段文字"]), tmp_path / "in" / "a.parquet")
    pq.write_table(table(id=["2"], content=["同一段文字"]), tmp_path / "in" / "b.parquet")
    for column, lacking in {"text": "2", "content": "1"}.items():
        results = dedup(tmp_path / "in", text_column=column, **CLASSIC)
        assert results.report["counts"]["null_texts"] == 1
        assert [(row["id"], row["reason"]) for row in results.rows("rejected")] == [(lacking, "null_text")]
    with pytest.raises(InputError, match="text_column='body' is not in the input; its columns are id, text, content"):
        dedup(tmp_path / "in", text_column="body", **CLASSIC)


@pytest.mark.parametrize("mode", ["annotate", "filter"])
def test_files_that_disagree_on_ids_and_columns_are_carried_whole(
    dedup: Callable[..., Any], tmp_path: Path, mode: str
) -> None:
    narrow, wide = pa.array([1, 2], pa.int32()), pa.array([10_000_000_000, 10_000_000_001], pa.int64())
    (tmp_path / "in").mkdir()
    pq.write_table(table(id=narrow, text=["甲乙丙", "丁"]), tmp_path / "in" / "a.parquet")
    pq.write_table(table(id=wide, site=["x", "y"], text=["甲乙丙", "戊"]), tmp_path / "in" / "b.parquet")
    results = dedup(tmp_path / "in", mode=mode, **CLASSIC)
    assert results.groups() == {frozenset({1, 10_000_000_000})}
    sites = {row["id"]: row["site"] for row in results.rows("documents")}
    expected = {1: None, 2: None, 10_000_000_001: "y"} | ({10_000_000_000: "x"} if mode == "annotate" else {})
    assert sites == expected


def test_columns_that_differ_in_case_stop_the_run_by_name(dedup: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match=r"(?i)text"):
        dedup(table(id=["1"], text=["甲"], Text=["乙"]), **CLASSIC)


def test_few_features_mean_equal_text_or_nothing(dedup: Callable[..., Any]) -> None:
    texts = ["甲 乙", "乙 甲", "甲 乙", "我 在 家 看 书", "书 看 家 在 我"]
    results = dedup(table(id=list("abcde"), text=texts), tokenizer="word", min_features=3, **CLASSIC)
    assert results.groups() == {frozenset("ac"), frozenset("de")}
    assert {
        row["match"] for row in results.rows("groups") if row["doc_id"] in "de" and not row["is_representative"]
    } == {"same_fingerprint"}
    assert results.report["counts"]["without_fingerprint"] == 3


def test_the_same_rows_in_two_files_are_read_from_both(dedup: Callable[..., Any], tmp_path: Path) -> None:
    for name in "ab":
        pq.write_table(table(id=[name], text=["同一段文字"]), tmp_path / f"{name}.parquet")
    places = tuple(str(tmp_path / f"{name}.parquet") for name in "ab")
    results = dedup(tmp_path, input=places, output=str(tmp_path.parent / f"{tmp_path.name}-out"), **CLASSIC)
    assert results.groups() == {frozenset("ab")}
