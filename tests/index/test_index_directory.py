"""A saved index is whole or it is refused, and a save that dies changes nothing."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from simhash_udf import FingerprintIndex, InputError, SettingError
from simhash_udf.index import directory, saving

VALUES = np.random.default_rng(1).integers(0, 2**64, 2000, dtype=np.uint64)


@pytest.fixture
def place(tmp_path):
    FingerprintIndex.build(range(len(VALUES)), VALUES).save(tmp_path / "index")
    return tmp_path / "index"


def generation(place):
    return place / json.loads((place / "manifest.json").read_text())["generation"]


def test_an_opened_index_reads_from_disk_what_it_is_asked(place):
    index = FingerprintIndex.open(place)
    arrays = [table.words for table in index._entries.content.bands.views[0].tables]
    assert all(not array.flags.owndata and not array.flags.writeable for array in arrays)
    assert index.query(VALUES[5]) == [(5, 0)]
    index.verify()


def test_saving_keeps_one_generation_and_goes_on_from_it(place):
    index = FingerprintIndex.open(place)
    old = generation(place)
    index.add(-1, 7)
    index.remove(3)
    index.save()
    assert sorted(entry.name for entry in place.iterdir()) == [generation(place).name, "lock", "manifest.json"]
    assert not old.exists()
    for again in (index, FingerprintIndex.open(place)):
        assert again.query(7) == [(-1, 0)]
        assert again.query(VALUES[3]) == []
        assert len(again) == len(VALUES)


def test_who_has_the_old_generation_open_keeps_it(place):
    old, new = FingerprintIndex.open(place), FingerprintIndex.open(place)
    new.remove_many(range(1000))
    new.save()
    assert old.query_many(VALUES) == [[(number, 0)] for number in range(len(VALUES))]


def test_a_generation_that_goes_while_it_is_opened_is_looked_up_again(place, monkeypatch):
    read, calls = directory._read_manifest, []

    def read_and_save(path):
        manifest = read(path)
        if not calls:
            calls.append(path)
            other = FingerprintIndex.open(path)
            other.add(-1, 7)
            other.save()
        return manifest

    monkeypatch.setattr(directory, "_read_manifest", read_and_save)
    assert FingerprintIndex.open(place).query(7) == [(-1, 0)]


@pytest.mark.parametrize("name", [saving.IDS, saving.ARRAYS, saving.BANDS, saving.RECIPE])
def test_a_file_that_is_missing_or_short_or_changed_is_noticed(place, name):
    file = generation(place) / name
    content = file.read_bytes()
    file.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    with pytest.raises(InputError, match=f"{name} was changed|is damaged"):
        FingerprintIndex.open(place).verify()
    file.write_bytes(content[:-1])
    with pytest.raises(InputError, match=f"{name} missing or cut short"):
        FingerprintIndex.open(place)
    file.unlink()
    with pytest.raises(InputError, match=f"{name} missing or cut short"):
        FingerprintIndex.open(place)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: "", "manifest.json cannot be read"),
        (lambda text: text[:-20], "manifest.json cannot be read"),
        (lambda text: "[]", "manifest.json cannot be read"),
        (lambda text: text.replace('"entries": 2000', '"entries": 2001'), "manifest.json was changed"),
        (lambda text: text.replace('"format": 1', '"format": 2'), "has the format 2, known is 1"),
    ],
)
def test_a_broken_manifest_is_refused_and_may_be_overwritten(place, change, message):
    manifest = place / "manifest.json"
    manifest.write_text(change(manifest.read_text()))
    with pytest.raises(InputError, match=message):
        FingerprintIndex.open(place)
    with pytest.raises(InputError, match=message):
        FingerprintIndex.build([1], [5]).save(place)
    FingerprintIndex.build([1], [5]).save(place, overwrite=True)
    assert FingerprintIndex.open(place).query(5) == [(1, 0)]


def test_another_index_is_replaced_only_if_asked(place):
    other = FingerprintIndex.build([1], [5])
    with pytest.raises(InputError, match="is there already"):
        other.save(place)
    other.save(place, overwrite=True)
    assert len(FingerprintIndex.open(place)) == 1


def test_changes_of_another_are_not_lost(place):
    first, second = FingerprintIndex.open(place), FingerprintIndex.open(place)
    first.add(-1, 7)
    first.save()
    second.add(-2, 8)
    with pytest.raises(InputError, match="open it again and repeat"):
        second.save()
    assert FingerprintIndex.open(place).query(7, 0) == [(-1, 0)]


def test_a_directory_with_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("")
    with pytest.raises(InputError, match="holds 'thesis"):
        FingerprintIndex.build([1], [5]).save(tmp_path, overwrite=True)
    with pytest.raises(InputError, match="is a file"):
        FingerprintIndex.build([1], [5]).save(tmp_path / "thesis.txt")
    with pytest.raises(InputError, match="cannot be read: No such file"):
        FingerprintIndex.open(tmp_path / "nothing")
    with pytest.raises(InputError, match="give the directory"):
        FingerprintIndex.build([1], [5]).save()
    with pytest.raises(InputError, match="not saved yet"):
        FingerprintIndex.build([1], [5]).verify()


def test_two_do_not_save_at_once(place):
    with (place / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        index = FingerprintIndex.open(place)
        index.save()  # nothing to write
        index.add(-1, 7)
        with pytest.raises(InputError, match="being saved by another process"):
            index.save()
    index.save()
    assert FingerprintIndex.open(place).query(7) == [(-1, 0)]


def test_a_save_that_fails_leaves_the_old_index(place, monkeypatch):
    index = FingerprintIndex.open(place)
    index.add(-1, 7)
    monkeypatch.setattr(saving, "write_arrays", lambda path, arrays: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        index.save()
    monkeypatch.undo()
    again = FingerprintIndex.open(place)
    assert (again.query(7), len(again)) == ([], len(VALUES))
    index.save()
    assert FingerprintIndex.open(place).query(7) == [(-1, 0)]
    assert len(list(place.iterdir())) == 3


def test_a_process_killed_at_any_moment_of_a_save_leaves_an_index(place):
    code = (
        "import sys; from simhash_udf import FingerprintIndex\n"
        "index = FingerprintIndex.open(sys.argv[1]); print('ready', flush=True)\n"
        "while True:\n    index.add(-1, 7); index.save()"
    )
    for number in range(6):
        process = subprocess.Popen([sys.executable, "-c", code, str(place)], stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(0.01 + 0.013 * number)  # the moment of the kill, not a wait for something
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        index = FingerprintIndex.open(place)
        index.verify()
        assert index.query(VALUES[9]) == [(9, 0)]
        assert index.query(7) in ([], [(-1, 0)])


def test_texts_are_refused_where_packages_make_other_fingerprints(tmp_path):
    FingerprintIndex.from_texts([1], ["今天的天气很好"]).save(tmp_path / "index")
    recipe = generation(tmp_path / "index") / saving.RECIPE
    changed = recipe.read_text(encoding="utf-8").replace('"rjieba": "', '"rjieba": "9.')
    recipe.write_text(changed, encoding="utf-8")
    manifest = tmp_path / "index" / "manifest.json"
    content = json.loads(manifest.read_text())
    content.pop("digest")
    content["files"][saving.RECIPE]["bytes"] = recipe.stat().st_size
    manifest.write_text(json.dumps({**content, "digest": directory.digest_of(content)}))
    index = FingerprintIndex.open(tmp_path / "index")
    with pytest.raises(SettingError, match=r"packages was \{'rjieba': '9\."):
        index.query("今天的天气很好")
    assert index.query(0) == []
