"""Runs of the job with a store: what a night gives, what is refused, and what is damaged."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from simhash_udf.config import Settings, validated
from simhash_udf.dedup import run_dedup
from simhash_udf.errors import AlarmError, InputError, SettingError
from simhash_udf.store.checking import verify_store
from simhash_udf.store.listing import describe_store
from simhash_udf.store.manifest import open_store, versions

pytestmark = pytest.mark.processes  # some twenty whole runs

LIBRARY = "今天下午，市图书馆的新馆正式开放，第一天就来了三千多名读者，许多人带着孩子。"
WEATHER = "受冷空气影响，明天夜间到后天，北部山区有小雪，最低气温零下六度，请注意保暖。"
MARKET = "本周蔬菜价格平稳，白菜每斤一元二角，萝卜每斤九角，鸡蛋略有上涨。"
OTHER = "火车站西广场将于下月开始改造，工期六个月，期间出租车改在东广场上客。"

MONDAY = {"a1": LIBRARY, "a2": WEATHER, "a3": MARKET}
TUESDAY = {"b1": LIBRARY.replace("，", ","), "b2": OTHER, "b3": OTHER + "！", "b4": "。。。"}

Run = Callable[..., Path]


@pytest.fixture(scope="module")
def run(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A function that runs the job with a store on texts by id, and returns the output."""

    def start(store: Path, run_id: str, texts: dict[str, str] | pa.Table | Path, **options: Any) -> Path:
        directory = tmp_path_factory.mktemp("run")
        place = texts if isinstance(texts, Path) else directory / "in.parquet"
        if not isinstance(texts, Path):
            pq.write_table(texts if isinstance(texts, pa.Table) else table(texts), place)
        given = {"input": (str(place),), "store": str(store), "run_id": run_id, "output": str(directory / "out")}
        given |= {
            "tokenizer": "char",
            "calibration": "none",
            "claim_wait": 0,
            "max_distance": 3,
            "max_total_distance": 8,
        }
        run_dedup(spark, validated(Settings, given | options))
        return directory / "out"

    return start


def table(texts: dict[str, str]) -> pa.Table:
    """The texts in an order that is not that of the ids, with a column more."""
    ids = sorted(texts, reverse=True)
    columns = {"id": pa.array(ids, pa.string()), "text": pa.array([texts[doc_id] for doc_id in ids], pa.string())}
    return pa.table(columns | {"page": pa.array(range(len(ids)), pa.int32())})


def rows(output: Path, name: str) -> list[dict[str, Any]]:
    files = sorted((output / name).rglob("*.parquet"))
    return sorted((row for file in files for row in pq.read_table(file).to_pylist()), key=repr)


def answers(output: Path) -> dict[str, tuple[Any, ...]]:
    return {
        row["doc_id"]: (row["answer"], row["duplicate_of"], row["duplicate_of_run"]) for row in rows(output, "answers")
    }


def content(store: Path) -> dict[str, bytes]:
    """Every file that a reader may see."""
    places = [path for name in ("manifests", "data", "recipes") for path in (store / name).rglob("*")]
    return {str(path.relative_to(store)): path.read_bytes() for path in places if path.is_file()}


@pytest.fixture(scope="module")
def made(run: Run, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    """A store of two nights, and their outputs."""
    store = tmp_path_factory.mktemp("store") / "store"
    outputs = [run(store, "monday", MONDAY), run(store, "tuesday", TUESDAY, mode="filter", keep=("first",))]
    return store, outputs


@pytest.fixture
def store(made: tuple[Path, list[Path]], tmp_path: Path) -> Path:
    """A copy of that store."""
    return Path(shutil.copytree(made[0], tmp_path / "store"))


def test_a_first_batch_without_duplicates_is_all_new(made: tuple[Path, list[Path]]) -> None:
    monday = made[1][0]
    assert answers(monday) == dict.fromkeys(MONDAY, ("new", None, None))
    assert rows(monday, "groups") == rows(monday, "changes") == []


def test_a_duplicate_is_named_with_the_document_and_the_run_that_it_repeats(made: tuple[Path, list[Path]]) -> None:
    tuesday = made[1][1]
    assert answers(tuesday) == {
        "b1": ("duplicate", "a1", "monday"),
        "b2": ("new", None, None),
        "b3": ("duplicate", "b2", "tuesday"),
        "b4": ("new", None, None),
    }
    (change,) = rows(tuesday, "changes")
    assert (change["doc_id"], change["change"], change["old_group_id"]) == ("a1", "first_duplicate", None)
    groups = rows(tuesday, "groups")
    assert {(row["doc_id"], row["representative_id"], row["run_id"]) for row in groups} == {
        ("a1", "a1", "monday"),
        ("b1", "a1", "tuesday"),
        ("b2", "b2", "tuesday"),
        ("b3", "b2", "tuesday"),
    }
    assert {row["group_id"] for row in groups if row["doc_id"] == "a1"} == {change["new_group_id"]}


def test_filter_writes_the_new_documents_that_are_worth_keeping(made: tuple[Path, list[Path]]) -> None:
    kept = rows(made[1][1], "documents")
    assert [row["id"] for row in kept] == ["b2", "b4"]
    assert set(kept[0]) == {"id", "text", "page"}


def test_what_is_written_is_whole_and_says_what_was_done(made: tuple[Path, list[Path]]) -> None:
    store, (_, tuesday) = made
    assert {path.name for path in tuesday.iterdir()} == {
        "_SUCCESS", "answers", "changes", "groups", "rejected", "documents", "report.json", "report.html"
    }  # fmt: skip
    report = json.loads((tuesday / "report.json").read_text(encoding="utf-8"))
    assert report["store"] == {"version": 2, "documents": 7, "groups": 2, "members": 4}
    assert {name: report["counts"][name] for name in ("documents", "new", "duplicate", "known", "first_duplicate")} == {
        "documents": 4, "new": 2, "duplicate": 2, "known": 0, "first_duplicate": 1
    }  # fmt: skip
    assert {path.name for path in store.iterdir()} == {"manifests", "data", "recipes", "claims"}
    assert "2 manifests" in verify_store(str(store))
    listed = describe_store(str(store)).splitlines()
    assert listed[1].startswith("2 runs, 7 documents, 2 groups with 4 members")
    assert [line.split()[0] for line in listed[4:]] == ["monday", "tuesday"]


def test_reading_needs_nothing_of_this_package(made: tuple[Path, list[Path]], spark: SparkSession) -> None:
    store = made[0]
    newest = max((store / "manifests").glob("*.json"))
    files = json.loads(newest.read_text())["tables"]["fingerprints"]
    frame = spark.read.parquet(*[f"{store}/{file['path']}" for file in files])
    assert {(row.doc_id, row.run_id) for row in frame.collect()} == {
        *((doc_id, "monday") for doc_id in MONDAY),
        *((doc_id, "tuesday") for doc_id in TUESDAY),
    }


def test_the_same_run_again_changes_nothing_and_writes_its_results_again(
    made: tuple[Path, list[Path]], store: Path, run: Run
) -> None:
    before = content(store)
    again = run(store, "tuesday", TUESDAY, mode="annotate")  # a file of its own: its listing differs, its texts do not
    assert content(store) == before
    for name in ("answers", "changes", "groups"):
        assert rows(again, name) == rows(made[1][1], name)
    documents = {row["id"]: row for row in rows(again, "documents")}
    assert documents.keys() == TUESDAY.keys()
    assert (documents["b1"]["duplicate_of"], documents["b1"]["match"]) == ("a1", "same_text")
    assert json.loads((again / "report.json").read_text())["run"]["was_there"] is True


def test_a_retry_of_a_run_that_is_whole_leaves_its_output(store: Path, run: Run, tmp_path: Path) -> None:
    pq.write_table(table({"c1": OTHER}), tmp_path / "c.parquet")
    run(store, "wednesday", tmp_path / "c.parquet", output=str(tmp_path / "out"))
    written = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")}
    run(store, "wednesday", tmp_path / "c.parquet", output=str(tmp_path / "out"))
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")} == written
    with pytest.raises(InputError, match="holds results already"):
        run(store, "thursday", {"d1": MARKET}, output=str(tmp_path / "out"))


def test_a_run_that_died_after_its_commit_writes_its_results_when_it_is_started_again(
    made: tuple[Path, list[Path]], store: Path, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "_STARTED").write_text("")
    run(store, "tuesday", TUESDAY, output=str(tmp_path / "out"))
    assert rows(tmp_path / "out", "answers") == rows(made[1][1], "answers")
    assert (tmp_path / "out" / "_SUCCESS").exists()


def test_the_same_run_with_other_texts_is_refused_and_replaced_on_demand(store: Path, run: Run) -> None:
    before = content(store)
    with pytest.raises(InputError, match=r"run_id=tuesday is in store=.* already, with other documents or texts"):
        run(store, "tuesday", TUESDAY | {"b5": WEATHER})
    with pytest.raises(InputError, match="with max_distance=3 and max_total_distance=8, not 4 and 8"):
        run(store, "tuesday", TUESDAY, max_distance=4)
    with pytest.raises(InputError, match=r"run tuesday came after it; only the last run can be replaced"):
        run(store, "monday", MONDAY, replace_run=True)
    assert content(store) == before
    out = run(store, "tuesday", {"b5": WEATHER}, replace_run=True)
    assert answers(out) == {"b5": ("duplicate", "a2", "monday")}
    manifest = open_store(str(store))
    assert [record.run_id for record in manifest.runs] == ["monday", "tuesday"]
    assert (manifest.version, manifest.base, manifest.counts["documents"]) == (3, 1, 4)
    once_more = run(store, "tuesday", {"b5": MARKET}, replace_run=True)
    assert answers(once_more) == {"b5": ("duplicate", "a3", "monday")}
    verify_store(str(store))


def test_the_first_run_can_be_replaced_too(run: Run, tmp_path: Path) -> None:
    run(tmp_path / "store", "monday", MONDAY)
    out = run(tmp_path / "store", "monday", {"x": LIBRARY}, replace_run=True, ngram=(2,))
    assert answers(out) == {"x": ("new", None, None)}
    manifest = open_store(str(tmp_path / "store"))
    assert (manifest.counts["documents"], manifest.specification["ngram"]) == (1, [2])


@pytest.mark.parametrize("texts", [{}, MONDAY | {"a1": LIBRARY.replace("，", "、")}], ids=["empty", "nothing new"])
def test_a_batch_that_brings_nothing_is_a_version_with_its_run(store: Path, run: Run, texts: dict[str, str]) -> None:
    before = open_store(str(store))
    out = run(store, "wednesday", texts, mode="filter")
    assert answers(out) == {doc_id: ("known", doc_id, "monday") for doc_id in texts}
    assert rows(out, "documents") == rows(out, "groups") == rows(out, "changes") == []
    after = open_store(str(store))
    assert after.counts == before.counts
    assert after.tables["fingerprints"] == before.tables["fingerprints"]
    assert after.runs[-1].counts["known"] == len(texts)
    verify_store(str(store))


def test_a_batch_equal_to_an_old_one_under_other_ids_is_all_duplicates(store: Path, run: Run) -> None:
    out = run(store, "wednesday", {f"z-{doc_id}": text for doc_id, text in MONDAY.items()}, mode="filter")
    assert answers(out) == {f"z-{doc_id}": ("duplicate", doc_id, "monday") for doc_id in MONDAY}
    assert rows(out, "documents") == []
    assert {row["doc_id"] for row in rows(out, "changes")} == {"a2", "a3"}


def test_an_id_that_is_there_with_another_text_is_refused_or_set_aside(store: Path, run: Run) -> None:
    before = content(store)
    texts = {"a1": OTHER, "a2": WEATHER, "c1": MARKET}
    with pytest.raises(InputError, match=r"1 rows have an id that is in store=.* with another text"):
        run(store, "wednesday", texts)
    assert content(store) == before
    out = run(store, "wednesday", texts, on_bad_rows="set_aside", mode="annotate")
    assert answers(out) == {"a2": ("known", "a2", "monday"), "c1": ("duplicate", "a3", "monday")}
    assert [(row["id"], row["reason"]) for row in rows(out, "rejected")] == [("a1", "other_text")]
    assert [row["id"] for row in rows(out, "documents")] == ["a2", "c1"]
    assert open_store(str(store)).runs[-1].counts["other_text"] == 1


def test_another_specification_is_refused_with_every_key_that_differs(store: Path, run: Run, tmp_path: Path) -> None:
    before = content(store)
    words = tmp_path / "stop.txt"
    words.write_text("的\n", encoding="utf-8")
    with pytest.raises(SettingError) as refusal:
        run(store, "wednesday", {"c1": OTHER}, ngram=(1, 2), stop_words=str(words), t2s=False, keep=("longest",))
    told = str(refusal.value)
    assert "ngram was [1], is [1, 2]" in told
    assert "stop_words.count was 0, is 1" in told
    assert "keep was ['first'], is ['longest']" in told
    assert "probe" not in told
    with pytest.raises(SettingError, match=r"views was .*'char'.*, is .*'word'"):
        run(store, "wednesday", {"c1": OTHER}, tokenizer="word")
    with pytest.raises(SettingError, match="calibration was 'none', is 'sample'"):
        run(store, "wednesday", {"c1": OTHER}, calibration="sample")
    with pytest.raises(SettingError, match="id_type was 'string', is 'bigint'"):
        run(store, "wednesday", pa.table({"id": [1], "text": [OTHER]}))
    assert content(store) == before
    run(store, "wednesday", {"c1": OTHER}, max_distance=5)
    assert [record.max_distance for record in open_store(str(store)).runs] == [3, 3, 5]


def test_a_first_batch_too_small_to_learn_from_begins_no_store(run: Run, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="fewer than 50 documents to learn from"):
        run(tmp_path / "store", "monday", MONDAY, calibration="sample")
    assert versions(str(tmp_path / "store")) == []


def test_damage_is_found_and_named_and_never_used(store: Path, run: Run) -> None:
    file = next(iter(open_store(str(store)).tables["fingerprints"]))
    place = store / file.path
    whole = place.read_bytes()
    place.write_bytes(whole[: len(whole) // 2] + bytes([whole[len(whole) // 2] ^ 1]) + whole[len(whole) // 2 + 1 :])
    with pytest.raises(InputError, match=file.path):
        verify_store(str(store))
    place.write_bytes(whole[:-1])
    before = content(store)
    for attempt in (lambda: verify_store(str(store)), lambda: run(store, "wednesday", {"c1": OTHER})):
        with pytest.raises(InputError, match=file.path):
            attempt()
    place.unlink()
    with pytest.raises(InputError, match=rf"{file.path} \(missing\)"):
        run(store, "wednesday", {"c1": OTHER})
    place.write_bytes(whole[:-1])
    assert content(store) == before
    place.write_bytes(whole)
    manifest = store / "manifests" / "00000002.json"
    manifest.write_bytes(manifest.read_bytes().replace(b"tuesday", b"sunday!"))
    for attempt in (lambda: verify_store(str(store)), lambda: run(store, "wednesday", {"c1": OTHER})):
        with pytest.raises(InputError, match=r"00000002\.json is not as it was written"):
            attempt()


def test_what_a_dead_run_left_is_not_seen_and_goes(store: Path, run: Run) -> None:
    (store / "data" / "00000003-dead" / "fingerprints").mkdir(parents=True)
    (store / "data" / "00000003-dead" / "fingerprints" / "part-0.parquet").write_bytes(b"half a file")
    verify_store(str(store))
    run(store, "wednesday", {"c1": OTHER})
    assert not (store / "data" / "00000003-dead").exists()
    verify_store(str(store))


def test_alarms_stop_a_batch_or_follow_it(store: Path, run: Run) -> None:
    before = content(store)
    copies = {f"c{number}": OTHER for number in range(4)}
    with pytest.raises(InputError, match="groups of more than max_group_size=5 members"):
        run(store, "wednesday", copies, max_group_size=5, on_large_group="fail")
    assert content(store) == before
    with pytest.raises(AlarmError, match=r"all documents: 100\.0%"):
        run(store, "wednesday", copies, fail_if_removed_over=0.5)
    assert open_store(str(store)).counts["documents"] == 11


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"run_id": None}, "store=.* needs run_id"),
        ({"store": None}, "run_id and replace_run name a run of a store"),
        ({"verify": "jaccard:0.5"}, "verify=jaccard:0.5 does not go with store"),
        ({"grouping": "representative"}, "grouping=representative does not go with store"),
        ({"write_pairs": True}, "write_pairs=True does not go with store"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        validated(Settings, {"store": "s", "run_id": "r"} | options)


def test_a_store_lies_apart_from_input_and_output(store: Path, run: Run, tmp_path: Path) -> None:
    pq.write_table(table(MONDAY), tmp_path / "in.parquet")
    before = content(store)
    for options in ({"output": str(store)}, {"output": str(store / "x")}, {"work_dir": str(store / "w")}):
        with pytest.raises(SettingError, match="is, holds or lies in"):
            run(store, "wednesday", tmp_path / "in.parquet", **options)
    with pytest.raises(SettingError, match=r"store=.* is, holds or lies in the input"):
        run(tmp_path / "in.parquet", "wednesday", tmp_path / "in.parquet")
    assert content(store) == before


def test_a_first_batch_may_be_empty(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "store"
    assert answers(run(store, "sunday", {}, mode="filter")) == {}
    assert open_store(str(store)).counts == {"documents": 0, "groups": 0, "members": 0}
    verify_store(str(store))
    assert answers(run(store, "monday", MONDAY)) == dict.fromkeys(MONDAY, ("new", None, None))
    with pytest.raises(SettingError, match=r"ngram was \[1\], is \[2\]"):
        run(store, "tuesday", TUESDAY, ngram=(2,))
    assert [record.run_id for record in open_store(str(store)).runs] == ["sunday", "monday"]
    verify_store(str(store))
