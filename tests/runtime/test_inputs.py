"""Reading files as lakes have them: all files, all columns and all rows, or a refusal that names what is wrong."""

from __future__ import annotations

import datetime
import gzip
import json
import logging
import os
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pyspark
import pytest
from pyspark.sql import SparkSession

from simhash_udf.config import Settings, validated
from simhash_udf.errors import InputError
from simhash_udf.runtime.inputs import partition_columns, read_source

DAY = datetime.date(1582, 10, 4)
NOON = datetime.datetime(1582, 10, 4, 12, 0, 0, 1)


@pytest.fixture
def read(spark: SparkSession) -> Callable[..., list[dict[str, Any]]]:
    """A function that reads an input and returns its rows in the order of their ids."""

    def run(*places: object, **settings: Any) -> list[dict[str, Any]]:
        values = {"input": tuple(map(str, places))} | settings
        frame = read_source(spark, validated(Settings, values)).frame
        return sorted(frame.toArrow().to_pylist(), key=lambda row: str(row.get("id")))

    return run


def write(directory: Path, **files: pa.Table) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    for name, table in files.items():
        pq.write_table(table, directory / f"{name}.parquet")
    return directory


def documents(*ids: str, **columns: Any) -> pa.Table:
    return pa.table({"id": list(ids), "text": ["甲"] * len(ids)} | columns)


@pytest.mark.parametrize("turned", [False, True], ids=["narrow first", "wide first"])
@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        (pa.array([-(2**31), 7], pa.int32()), pa.array([-(2**63), 2**63 - 1], pa.int64())),
        (pa.array([-128, 127], pa.int8()), pa.array([10**10, 0], pa.int64())),
        (pa.array([255, 0], pa.uint8()), pa.array([-1, 2**31 - 1], pa.int32())),
        (pa.array([0.1, -0.0], pa.float32()), pa.array([0.1, 1e300], pa.float64())),
        (
            pa.array([Decimal("9.99"), None], pa.decimal128(3, 2)),
            pa.array([Decimal(10**20), None], pa.decimal128(21, 0)),
        ),
        (pa.array([-5, 2**31 - 1], pa.int32()), pa.array([Decimal("0.05"), None], pa.decimal128(12, 2))),
        (pa.array([DAY, None]), pa.array([NOON, None], pa.timestamp("us"))),
        (pa.array([[1], []], pa.list_(pa.int32())), pa.array([[10**10], None], pa.list_(pa.int64()))),
        (pa.array([{"a": 1}, None]), pa.array([{"a": 2, "b": "乙"}, None])),
        (pa.array([b"\xff", b""]), pa.array(["乙", None])),
    ],
    ids=lambda column: str(column.type),
)
def test_types_that_disagree_are_widened_and_no_value_changes(
    read: Callable[..., Any], tmp_path: Path, narrow: pa.Array, wide: pa.Array, turned: bool
) -> None:
    first, second = (wide, narrow) if turned else (narrow, wide)
    place = write(tmp_path / "in", a=documents("1", "2", value=first), b=documents("3", "4", value=second))
    found = [row["value"] for row in read(place)]
    assert len(found) == 4
    for one, other in zip(found, [*first.to_pylist(), *second.to_pylist()], strict=True):
        assert plain(one) == plain(other)


def plain(value: Any) -> Any:
    """A value in one form whatever its type: dates as moments, text as bytes, fields without those that are null."""
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return datetime.datetime(value.year, value.month, value.day)
    if isinstance(value, dict):
        return {name: inner for name, inner in value.items() if inner is not None}
    return value.encode() if isinstance(value, str) else value


@pytest.mark.parametrize("turned", [False, True], ids=["short first", "long first"])
def test_columns_that_only_some_files_have_are_null_in_the_others(
    read: Callable[..., Any], tmp_path: Path, turned: bool
) -> None:
    files = [documents("1"), documents("2", site=["x"]), documents("3", Day=[DAY])]
    place = write(tmp_path / "in", **dict(zip("cba" if turned else "abc", files, strict=True)))
    found = [{name.lower(): value for name, value in row.items() if value is not None} for row in read(place)]
    base = {"text": "甲"}
    assert found == [{"id": "1"} | base, {"id": "2", "site": "x"} | base, {"id": "3", "day": DAY} | base]


def test_a_text_that_only_later_files_have_is_found_and_the_rest_is_counted_in_a_warning(
    read: Callable[..., Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bare = pa.table({"id": ["1"], "content": ["甲"]})
    place = write(tmp_path / "in", a=bare, b=bare.set_column(0, "id", pa.array(["2"])), c=documents("3"))
    assert [row["text"] for row in read(place)] == [None, None, "甲"]
    (line,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert line == f"text_column='text' is missing in 2 of 3 files, as in {place}/a.parquet"


def test_names_that_differ_only_in_case_are_one_column_across_files_and_refused_within_one(
    read: Callable[..., Any], tmp_path: Path
) -> None:
    other = pa.table({"ID": ["2"], "Text": ["乙"], "n": [1]})
    place = write(tmp_path / "in", a=documents("1"), b=other)
    assert [(row["id"], row["text"]) for row in read(place)] == [("1", "甲"), ("2", "乙")]
    write(place, c=documents("3", TEXT=["丙"]))
    with pytest.raises(InputError, match=r"(?i)text"):
        read(place)


UNFIT = {
    "types": (
        pa.array([5]),
        pa.array(["5"]),
        r"it is (int64|string) in .*/a\.parquet and (int64|string) in .*/b\.parquet",
    ),
    "time": (pa.array([1], pa.time64("us")), None, r"Spark cannot read its type time64\[us\] in .*/a\.parquet"),
    "nested": (pa.array([[datetime.time(1)]]), None, r"Spark cannot read its type list<element: time64"),
    "float16": (pa.array(np.array([1.5], np.float16)), None, "Spark cannot read its type halffloat"),
    "digits": (pa.array([1]).cast(pa.decimal256(60, 2)), None, r"Spark cannot read its type decimal256\(60, 2\)"),
}


@pytest.mark.parametrize(("first", "second", "reason"), UNFIT.values(), ids=UNFIT)
def test_a_column_that_cannot_be_read_is_left_out_with_a_warning_and_refused_where_it_is_needed(
    read: Callable[..., Any],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    first: pa.Array,
    second: pa.Array | None,
    reason: str,
) -> None:
    other = documents("2") if second is None else documents("2", odd=second)
    place = write(tmp_path / "in", a=documents("1", odd=first), b=other)
    assert read(place) == [{"id": "1", "text": "甲"}, {"id": "2", "text": "甲"}]
    assert caplog.records[-1].getMessage().startswith("column 'odd' is left out: ")
    for mode in ("annotate", "filter"):
        with pytest.raises(InputError, match=f"column 'odd' cannot be carried to documents/: {reason}"):
            read(place, mode=mode)
    with pytest.raises(InputError, match=f"id_column='odd' cannot be read: {reason}"):
        read(place, id_column="odd")


def test_nanoseconds_old_timestamps_and_unsigned_numbers_are_read_exactly_in_files_that_disagree(
    read: Callable[..., Any], tmp_path: Path
) -> None:
    stamp = pa.array([1_700_000_000_123_456_789], pa.timestamp("ns"))
    old = pa.array([datetime.datetime(1900, 1, 1, 0, 0, 0, 1)], pa.timestamp("us"))
    place = write(tmp_path / "in", a=documents("1", stamp=stamp, size=pa.array([2**64 - 1], pa.uint64())))
    pq.write_table(documents("2", old=old), place / "b.parquet", use_deprecated_int96_timestamps=True)
    first, second = read(place)
    assert first["stamp"] == 1_700_000_000_123_456_789
    assert first["size"] == 2**64 - 1
    assert second["old"].replace(tzinfo=None) == old[0].as_py()


@pytest.mark.parametrize(
    ("name", "damage", "reason"),
    [
        ("b0013.parquet", lambda whole: whole[:-20], "magic bytes not found"),
        ("b0013.parquet", lambda whole: whole[: len(whole) // 2], "magic bytes not found"),
        ("README.txt", lambda _: b"This directory holds pages.", "magic bytes not found"),
        ("b0013.parquet", lambda whole: whole[:-12] + b"\xff\xff\xff\x7f" + whole[-8:], ""),
    ],
    ids=["end lost", "half lost", "no Parquet", "footer damaged"],
)
def test_a_damaged_file_among_many_is_named_before_anything_is_done(
    read: Callable[..., Any], tmp_path: Path, name: str, damage: Callable[[bytes], bytes], reason: str
) -> None:
    place = write(tmp_path / "in", **{f"b{number:04d}": documents(str(number)) for number in range(60)})
    (place / name).write_bytes(damage((place / "b0013.parquet").read_bytes()))
    with pytest.raises(InputError, match=rf"1 of 6[01] files cannot be read as parquet \({place}/{name}: .*{reason}"):
        read(place)


def test_a_file_without_a_byte_holds_no_row_and_is_warned_of(
    read: Callable[..., Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = write(tmp_path / "in", b=documents("1"))
    (place / "a.parquet").touch()
    assert [row["id"] for row in read(place)] == ["1"]
    assert f"1 files have not a single byte, as {place}/a.parquet" in caplog.text


def test_damaged_files_are_passed_over_only_where_that_is_asked_for(
    read: Callable[..., Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = write(tmp_path / "in", a=documents("1"), b=documents("2"), c=documents("3"))
    (place / "b.parquet").write_bytes(b"PAR1")
    assert [row["id"] for row in read(place, input_option=("ignoreCorruptFiles=true",))] == ["1", "3"]
    assert "1 of 3 files cannot be read as parquet" in caplog.text


def test_hidden_and_temporary_files_are_not_read(read: Callable[..., Any], tmp_path: Path) -> None:
    place = write(tmp_path / "in", a=documents("1"))
    for name in (
        ".a.parquet.swp",
        "_SUCCESS",
        "_tmp.parquet",
        "b.parquet._COPYING_",
        "_temporary/0/c.parquet",
        ".d/e.parquet",
    ):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(b"x")
    assert [row["id"] for row in read(place)] == ["1"]


@pytest.mark.parametrize("names", ["ab", "ba"])
def test_files_without_rows_say_nothing(read: Callable[..., Any], tmp_path: Path, names: str) -> None:
    empty = pa.table({"id": pa.array([], pa.string()), "text": pa.array([], pa.null())})
    place = write(tmp_path / "in", **dict(zip(names, [empty, documents("1")], strict=True)))
    assert read(place) == [{"id": "1", "text": "甲"}]


def test_partition_values_are_the_text_of_the_path(
    spark: SparkSession, read: Callable[..., Any], tmp_path: Path
) -> None:
    values = {"1": "0012", "2": "2026-01-01", "3": "1e3", "4": None, "5": "a/b c", "6": "甲"}
    for number, value in values.items():
        name = "__HIVE_DEFAULT_PARTITION__" if value is None else value.replace("/", "%2F")
        extra = {"n": [5]} if number > "3" else {}
        write(tmp_path / "in" / f"dt={name}" / "hour=07", a=documents(number, **extra))
    found = read(tmp_path / "in")
    assert {row["id"]: row["dt"] for row in found} == values
    assert {row["hour"] for row in found} == {"07"}
    assert {row["id"]: row["n"] for row in found} == {number: 5 if number > "3" else None for number in values}
    settings = validated(Settings, {"input": (str(tmp_path / "in"),)})
    assert partition_columns(spark, settings) == ["dt", "hour"]


@pytest.mark.parametrize("deep", ["sub", "dt=1"])
def test_files_that_spark_would_pass_over_are_refused_and_read_on_request(
    read: Callable[..., Any], tmp_path: Path, deep: str
) -> None:
    place = write(tmp_path / "in", a=documents("1"))
    write(place / deep, b=documents("2"))
    with pytest.raises(InputError, match=r"only 1 of the 2 files .* --input-option recursiveFileLookup=true"):
        read(place)
    assert [row["id"] for row in read(place, input_option=("recursiveFileLookup=true",))] == ["1", "2"]
    assert [row["id"] for row in read(f"{place}/*.parquet")] == ["1"]


def test_odd_names_of_directories_and_files_are_read(read: Callable[..., Any], tmp_path: Path) -> None:
    place = write(tmp_path / "a b #1%20甲", **{"c d#%41": documents("1"), "e+f&g": documents("2", n=[1])})
    assert [(row["id"], row["n"]) for row in read(place)] == [("1", None), ("2", 1)]


LINES = "".join(
    json.dumps({"id": f"{n}", "text": f"第{n}行", "more": {"n": [n]}}, ensure_ascii=False) + "\n" for n in (1, 2)
)


SPARK_READS_ZSTD = not pyspark.__version__.startswith("4.0.")
"""Spark 4.0 leaves text compressed with zstd to Hadoop's native library, which PySpark does not bring."""


@pytest.mark.skipif(SPARK_READS_ZSTD, reason="this Spark reads it")
def test_json_lines_in_zstd_that_spark_cannot_read_say_so(read: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.json.zst").write_bytes(pack(LINES.encode(), "zstd"))
    with pytest.raises(InputError, match=r"a\.json\.zst is compressed with zstd, which this Spark .*; use gzip"):
        read(tmp_path, input_format="json")


@pytest.mark.parametrize("name", ["a.json", "a.json.gz", "a.json.zst", "a.json.bz2"])
def test_json_lines_are_read_compressed_or_not(read: Callable[..., Any], tmp_path: Path, name: str) -> None:
    if name.endswith("zst") and not SPARK_READS_ZSTD:
        pytest.skip("Spark 4.0 does not")
    codec = {"gz": "gzip", "zst": "zstd", "bz2": "bz2"}.get(name.rpartition(".")[2])
    content = LINES.encode()
    (tmp_path / name).write_bytes(pack(content, codec) if codec else content)
    found = read(tmp_path, input_format="json")
    assert [(row["id"], row["text"], row["more"]) for row in found] == [
        ("1", "第1行", {"n": [1]}),
        ("2", "第2行", {"n": [2]}),
    ]


def pack(content: bytes, codec: str) -> bytes:
    with pa.BufferOutputStream() as sink:
        with pa.CompressedOutputStream(sink, codec) as packed:
            packed.write(content)
        return sink.getvalue().to_pybytes()


def test_a_json_line_that_is_cut_off_is_a_row_without_an_id_and_keeps_its_text(
    read: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "a.json").write_text(LINES + '{"id": "3", "text": "第3\n', encoding="utf-8")
    broken = [row for row in read(tmp_path, input_format="json") if row["id"] is None]
    assert [row["_corrupt_record"] for row in broken] == ['{"id": "3", "text": "第3']


def test_a_packed_file_that_is_cut_off_is_named(read: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(LINES, encoding="utf-8")
    (tmp_path / "b.json.gz").write_bytes(gzip.compress(LINES.encode() * 5000)[:-300])
    with pytest.raises(InputError, match=r"b\.json\.gz"):
        read(tmp_path, input_format="json")


def test_half_surrogates_and_nul_in_json_are_characters_like_others(read: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"id":"1","text":"x\\ud800y\\u0000z"}\n{"id":"2","text":"\\ud83d\\ude00"}\n')
    first, second = (row["text"] for row in read(tmp_path, input_format="json"))
    assert first[0] + first[-3:] == "xy\0z"
    assert second == "😀"


HEADER = ("header=true",)


def test_a_csv_text_may_have_commas_quotes_and_line_ends(read: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes('\ufeffid,text\r\n1,"甲,\r\n乙"\r\n002,丙\r\n'.encode())
    found = read(tmp_path, input_format="csv", input_option=HEADER)
    assert found == [{"id": "002", "text": "丙"}, {"id": "1", "text": "甲,\n乙"}]  # line ends become one kind


@pytest.mark.parametrize("row", ["2,秘密,密码", "2"], ids=["too many fields", "too few"])
def test_csv_rows_that_do_not_fit_are_refused_by_number_and_not_quoted(
    read: Callable[..., Any], tmp_path: Path, row: str
) -> None:
    (tmp_path / "a.csv").write_text(f"id,text\n1,甲\n{row}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"^1 rows of .* do not fit the columns id, text") as raised:
        read(tmp_path, input_format="csv", input_option=HEADER)
    assert "秘密" not in str(raised.value)
    loose = read(tmp_path, input_format="csv", input_option=(*HEADER, "mode=PERMISSIVE"))
    assert [line["id"] for line in loose] == ["1", "2"]


def test_csv_files_of_different_headers_do_not_mix_their_columns(read: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,text\n1,甲\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("text,id\n乙,2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"[ab]\.csv has another header than the first file"):
        read(tmp_path, input_format="csv", input_option=HEADER)


def test_orc_files_that_have_more_columns_are_read_with_them(read: Callable[..., Any], tmp_path: Path) -> None:
    orc.write_table(documents("1"), str(tmp_path / "a.orc"))
    orc.write_table(documents("2", n=[5]), str(tmp_path / "b.orc"))
    assert [row["n"] for row in read(tmp_path, input_format="orc")] == [None, 5]


def test_tables_are_read_by_name_and_several_by_the_names_of_their_columns(
    spark: SparkSession, read: Callable[..., Any]
) -> None:
    spark.createDataFrame([("1", "甲")], "id string, text string").write.mode("overwrite").saveAsTable("lake_one")
    spark.createDataFrame([("乙", "2")], "text string, id string").createOrReplaceTempView("lake_two")
    try:
        found = read("lake_one", "lake_two", input_format="table")
        assert found == [{"id": "1", "text": "甲"}, {"id": "2", "text": "乙"}]
        with pytest.raises(InputError, match="input lake_none cannot be read as table"):
            read("lake_none", input_format="table")
    finally:
        spark.sql("DROP TABLE lake_one")
        spark.catalog.dropTempView("lake_two")


def test_a_directory_that_may_not_be_read_is_refused(read: Callable[..., Any], tmp_path: Path) -> None:
    place = write(tmp_path / "in", a=documents("1"))
    place.chmod(0)
    user = os.geteuid()
    try:
        if user == 0:
            os.seteuid(65534)  # no permission stops root
        with pytest.raises(InputError, match=str(place)):
            read(place)
    finally:
        os.seteuid(user)
        place.chmod(0o700)
