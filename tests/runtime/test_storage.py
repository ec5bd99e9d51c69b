"""Paths, listings and small files."""

from __future__ import annotations

from pathlib import Path

import pytest

from simhash_udf.errors import InputError
from simhash_udf.runtime import storage


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/d/in", "/d/in"),
        ("/d/in", "/d/./in/"),
        ("/d/in", "/d/x/../in"),
        ("/d/in/sub=1", "/d/in"),
        ("/d", "/d/in"),
        ("/d/in", "/d/in/*.parquet"),
        ("/d/in/dt=2026/", "/d/in/dt=*/part-*"),
        ("/d/in", "file:///d/in"),
        ("s3a://b/in", "s3://b/in/x"),
        ("s3://b", "s3://b/in"),
        ("hdfs://n:8020/in", "hdfs://n:8020//in/"),
        ("/", "/d"),
    ],
)
def test_places_that_overlap_are_seen_in_both_directions(one: str, other: str) -> None:
    assert storage.overlaps(one, other)
    assert storage.overlaps(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [("/d/in", "/d/in2"), ("/d/in2", "/d/in/*.parquet"), ("s3://a/in", "s3://b/in"), ("s3://a/in", "/a/in")],
)
def test_places_beside_each_other_do_not_overlap(one: str, other: str) -> None:
    assert not storage.overlaps(one, other)


def test_a_link_to_the_input_overlaps_it(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "in")
    assert storage.overlaps(str(tmp_path / "out"), str(tmp_path / "in" / "part"))


def test_a_file_is_written_whole_and_leaves_no_other(tmp_path: Path) -> None:
    storage.write_json(f"{tmp_path}/a/状态.json", {"名": 1})
    assert storage.read_json(f"{tmp_path}/a/状态.json") == {"名": 1}
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["状态.json"]


@pytest.mark.parametrize("content", ["", "{", "[1]", "\x00\x01"])
def test_a_file_that_is_no_json_object_reads_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "m.json").write_text(content, encoding="utf-8")
    assert storage.read_json(f"{tmp_path}/m.json") is None
    assert storage.read_json(f"{tmp_path}/missing.json") is None


def test_listing_has_sizes_by_relative_name_without_hidden_files(tmp_path: Path) -> None:
    for name, content in {"b=1/x.parquet": "ab", "a.parquet": "abc", "_SUCCESS": "", ".crc": "x"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    assert storage.list_files(str(tmp_path)) == {"a.parquet": 3, "b=1/x.parquet": 2}
    assert storage.list_names(f"{tmp_path}/none") == []


def test_delete_takes_files_and_directories_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "d" / "e").mkdir(parents=True)
    (tmp_path / "f").write_text("x", encoding="utf-8")
    for name in ("d", "f", "missing"):
        storage.delete(f"{tmp_path}/{name}")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_file_system_is_refused() -> None:
    with pytest.raises(InputError, match="nope://x/y is on a file system that cannot be used here"):
        storage.exists("nope://x/y")
