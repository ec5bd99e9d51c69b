"""Versions: seen once their manifest is there, whole or not at all, and never twice under one number."""

from __future__ import annotations

import errno
import json
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from pyarrow import fs

from simhash_udf.errors import InputError, SimhashError
from simhash_udf.runtime import exclusive
from simhash_udf.runtime.digests import digest_of
from simhash_udf.runtime.exclusive import create_by_link, create_exclusively, create_if_absent
from simhash_udf.store.claim import Claim, acquire
from simhash_udf.store.manifest import (
    FENCE,
    DataFile,
    Manifest,
    RunRecord,
    open_store,
    parse_manifest,
    read_newest,
    versions,
)
from simhash_udf.store.publishing import KEPT_MANIFESTS, check_is_store, enter, publish, sweep

FILE = DataFile("data/00000001-ab/fingerprints/part-0.parquet", 3, 100, "00")
RECORD = RunRecord("周一", 1, "2026-11-30T00:00:00Z", "in", "content", 3, 8, {"documents": 3})
FIRST = Manifest(version=1, specification={"engine": "rjieba"}, runs=(RECORD,), tables={"fingerprints": (FILE,)})


def taken_over(store: Path) -> Claim:
    """A claim on a store whose holder before did not release."""
    claim = acquire(str(store), "run", wait_s=0)
    claim.was_taken_over = True
    return claim


def make_data(store: Path, *names: str) -> None:
    for name in names:
        (store / "data" / name).mkdir(parents=True)
        (store / "data" / name / "part").write_bytes(b"x")


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    publish(str(tmp_path), FIRST, acquire(str(tmp_path), "run", wait_s=0))
    assert open_store(str(tmp_path)) == FIRST
    assert read_newest(str(tmp_path)).directories == {"00000001-ab"}
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".partial")]


@pytest.mark.parametrize("cut", [0, 1, 50, -2])
def test_a_manifest_that_was_cut_short_is_named_and_not_passed_over(tmp_path: Path, cut: int) -> None:
    claim = acquire(str(tmp_path), "run", wait_s=0)
    publish(str(tmp_path), FIRST, claim)
    publish(str(tmp_path), replace(FIRST, version=2), claim)
    place = tmp_path / "manifests" / "00000002.json"
    place.write_bytes(place.read_bytes()[:cut])
    with pytest.raises(InputError, match=r"00000002\.json is not as it was written"):
        read_newest(str(tmp_path))


def test_a_manifest_with_another_number_in_it_is_named(tmp_path: Path) -> None:
    content = FIRST.to_bytes().replace(b'"rows": 3', b'"rows": 4')
    with pytest.raises(InputError, match="somewhere is not as it was written"):
        parse_manifest(content, "somewhere")


def test_a_manifest_of_another_format_is_refused(tmp_path: Path) -> None:
    value = json.loads(FIRST.to_bytes())
    del value["digest"]
    content = json.dumps({**value, "format": 99, "digest": digest_of({**value, "format": 99})})
    with pytest.raises(InputError, match="another version of this package"):
        parse_manifest(content.encode(), "somewhere")


def test_without_the_claim_nothing_is_published(tmp_path: Path) -> None:
    claim = acquire(str(tmp_path), "run", wait_s=0)
    claim.release()
    acquire(str(tmp_path), "other", wait_s=0)
    with pytest.raises(SimhashError, match="taken over"):
        publish(str(tmp_path), FIRST, claim)
    assert versions(str(tmp_path)) == []


def test_of_many_writers_of_one_number_one_is_first(tmp_path: Path) -> None:
    place, won = str(tmp_path / "manifests" / "00000001.json"), []
    start = threading.Barrier(8)

    def write(number: int) -> None:
        start.wait()
        if create_exclusively(place, f"{number}".encode() * 1000):
            won.append(number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert Path(place).read_bytes() == f"{won[0]}".encode() * 1000


def test_without_hard_links_a_file_is_still_created_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", no_links)
    assert create_by_link(str(tmp_path / "a"), b"1")
    assert not create_by_link(str(tmp_path / "a"), b"2")
    assert (tmp_path / "a").read_bytes() == b"1"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_elsewhere_a_file_that_is_there_stays() -> None:
    files = fs._MockFileSystem()
    assert create_if_absent(files, "store/manifests/1.json", b"1")
    assert not create_if_absent(files, "store/manifests/1.json", b"2")
    with files.open_input_stream("store/manifests/1.json") as stream:
        assert stream.read() == b"1"
    names = [info.base_name for info in files.get_file_info(fs.FileSelector("store", recursive=True))]
    assert names == ["manifests", "1.json"]


def test_elsewhere_a_file_that_comes_meanwhile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    files = fs._MockFileSystem()
    seen = []

    class Slow:
        """The file system as a writer sees it that another one overtakes after the first look."""

        type_name = "mock"

        def __getattr__(self, name: str) -> object:
            return getattr(files, name)

        def get_file_info(self, place: str) -> fs.FileInfo:
            info = files.get_file_info(place)
            if not seen:
                seen.append(place)
                assert create_if_absent(files, place, b"faster")
            return info

    assert not create_if_absent(Slow(), "m/1.json", b"slow")  # type: ignore[arg-type]
    with files.open_input_stream("m/1.json") as stream:
        assert stream.read() == b"faster"


def test_data_that_no_version_names_goes_when_the_next_run_enters(tmp_path: Path) -> None:
    store, claim = str(tmp_path), acquire(str(tmp_path), "run", wait_s=0)
    make_data(tmp_path, "00000001-ab", "00000002-cd")
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests" / f"{exclusive.PARTIAL}x").write_bytes(b"half")
    publish(store, FIRST, claim)
    assert enter(store, claim) == FIRST
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["00000001-ab"]
    assert [path.name for path in (tmp_path / "manifests").iterdir()] == ["00000001.json"]


@pytest.mark.parametrize("before", [Manifest(), FIRST])
def test_a_run_that_was_taken_for_dead_cannot_commit_any_more(tmp_path: Path, before: Manifest) -> None:
    store = str(tmp_path)
    slow = acquire(store, "slow", wait_s=0)
    if before.version:
        publish(store, before, slow)
    make_data(tmp_path, "00000009-slow")
    slow.release()
    fast = taken_over(tmp_path)
    fenced = enter(store, fast)
    assert (fenced.action, fenced.version, fenced.base) == (FENCE, before.version + 1, before.version)
    assert (fenced.runs, fenced.tables) == (before.runs, before.tables)
    assert fenced.is_empty == before.is_empty
    assert list((tmp_path / "data").iterdir()) == []
    slow.check = lambda: None  # type: ignore[method-assign]  # it checked just before it was stopped
    with pytest.raises(SimhashError, match="is there already"):
        publish(store, replace(FIRST, version=before.version + 1), slow)
    assert read_newest(store) == fenced


def test_a_file_that_no_version_names_goes_from_among_others(tmp_path: Path) -> None:
    store, claim = str(tmp_path), acquire(str(tmp_path), "run", wait_s=0)
    place = tmp_path / "data" / "00000001-ab" / "fingerprints"
    place.mkdir(parents=True)
    for name in ("part-0.parquet", "part-1.parquet", ".part-1.parquet.crc", ".part-0.parquet.crc"):
        (place / name).write_bytes(b"x")
    publish(store, FIRST, claim)
    enter(store, claim)
    assert sorted(path.name for path in place.iterdir()) == [".part-0.parquet.crc", "part-0.parquet"]


def test_a_run_that_was_taken_for_dead_and_had_committed_is_gone_on_from(tmp_path: Path) -> None:
    store = str(tmp_path)
    claim = acquire(store, "slow", wait_s=0)
    make_data(tmp_path, "00000001-ab")
    publish(store, FIRST, claim)
    claim.release()
    entered = enter(store, taken_over(tmp_path))
    assert entered.runs == FIRST.runs
    assert (tmp_path / "data" / "00000001-ab").exists()


def test_old_manifests_go_and_the_base_of_the_newest_stays(tmp_path: Path) -> None:
    store, claim = str(tmp_path), acquire(str(tmp_path), "run", wait_s=0)
    last = KEPT_MANIFESTS + 5
    for version in range(1, last + 1):
        publish(store, replace(FIRST, version=version, base=2), claim)
    sweep(store, read_newest(store))
    assert versions(store) == [2, *range(6, last + 1)]


def test_a_directory_of_other_things_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(InputError, match=r"holds other files \(thesis.txt\)"):
        check_is_store(str(tmp_path))
    with pytest.raises(InputError, match="is a file"):
        check_is_store(str(tmp_path / "thesis.txt"))
    with pytest.raises(InputError, match="holds no store; a run"):
        open_store(str(tmp_path / "nothing"))
