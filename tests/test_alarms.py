"""Large groups, chains, the share removed of each source, and why a document is in its group: from one run."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from simhash_udf import AlarmError, InputError, explain
from simhash_udf.alarms import check_group_sizes, check_removed
from simhash_udf.config import Settings, validated
from simhash_udf.dedup import run_dedup
from simhash_udf.runtime import entry

COPIES, CHAIN = 120, 25


def rows() -> list[tuple[int, str, str | None]]:
    copies = [(n, "three copies of one and the same page of the mirror", "mirror") for n in range(COPIES)]
    chain = [
        (1000 + n, " ".join(f"w{word}" for word in range(n, n + 60)), "blog" if n % 2 else None) for n in range(CHAIN)
    ]
    alone = [(2000 + n, f"nothing like number{n} was ever written down here{n * n} before", "blog") for n in range(9)]
    return copies + chain + alone


OPTIONS: dict[str, Any] = {
    "tokenizer": "word",
    "calibration": "none",
    "max_distance": 6,
    "source_column": "source",
    "fail_if_removed_over": 0.95,
    "max_group_size": 100,
}


@pytest.fixture(scope="module")
def place(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of a run that ends with the alarm."""
    place = tmp_path_factory.mktemp("alarms")
    spark.createDataFrame(rows(), "id long, text string, source string").write.parquet(str(place / "in"))
    settings = validated(Settings, OPTIONS | {"input": (str(place / "in"),), "output": str(place / "out")})
    with pytest.raises(AlarmError, match=r"source 'mirror': 99\.2%"):
        run_dedup(spark, settings)
    return place


def test_the_alarm_comes_when_all_is_written(place: Path) -> None:
    assert (place / "out" / "_SUCCESS").exists()
    report = json.loads((place / "out" / "report.json").read_text())
    by_source = {row["source"]: (row["documents"], row["removed"]) for row in report["removed_by_source"]}
    assert by_source["mirror"] == (COPIES, COPIES - 1)
    assert sum(removed for _, removed in by_source.values()) == report["counts"]["removed"]
    assert sum(documents for documents, _ in by_source.values()) == len(rows())
    assert [row["source"] for row in report["sources_over_limit"]] == ["mirror"]
    assert [group["group_size"] for group in report["large_groups"]] == [COPIES]


def test_chains_are_listed_with_their_weakest_edges(place: Path) -> None:
    chains = json.loads((place / "out" / "report.json").read_text())["chains"]
    assert (chains["beyond"], chains["groups"]) == (12, len(chains["largest"]))
    for group in chains["largest"]:
        assert group["largest_distance"] > 12
        distances = [edge["distance"] for edge in group["weakest_edges"]]
        assert 1 <= len(distances) <= 3
        assert distances == sorted(distances, reverse=True)
        assert all(1000 <= int(edge["src_id"]) < 1000 + CHAIN for edge in group["weakest_edges"])
    assert chains["groups"] > 0


def test_each_member_is_explained_by_edges_to_its_representative(spark: SparkSession, place: Path) -> None:
    out = str(place / "out")
    groups = {row.doc_id: row for row in spark.read.parquet(f"{out}/groups").collect()}
    farthest = max(groups.values(), key=lambda row: row.distance)
    found = explain(out, farthest.doc_id, spark=spark)
    assert found.steps[0].from_id == str(farthest.doc_id)
    assert found.steps[-1].to_id == str(farthest.representative_id)
    assert all(step.distance <= 6 for step in found.steps)
    assert [step.to_id for step in found.steps[:-1]] == [step.from_id for step in found.steps[1:]]
    texts = {doc: set(text.split()) for doc, text, _ in rows()}
    here, there = (texts[farthest.doc_id], texts[farthest.representative_id])
    assert {word for word, _ in found.only_here or ()} <= here - there
    assert len(found.only_here or ()) == len(found.only_there or ()) == min(len(here - there), 20)
    assert f"kept: {farthest.representative_id}; near, distance {farthest.distance}" in found.describe()


def test_copies_need_no_step(spark: SparkSession, place: Path) -> None:
    found = explain(str(place / "out"), "7", spark=spark)
    assert (found.representative_id, found.match, found.steps) == ("0", "same_text", ())
    kept = explain(str(place / "out"), 0, spark=spark)
    assert "is the one that is kept" in kept.describe()


def test_a_document_without_duplicate_is_not_explained(spark: SparkSession, place: Path) -> None:
    with pytest.raises(InputError, match="has no duplicate"):
        explain(str(place / "out"), 2000, spark=spark)
    with pytest.raises(InputError, match="has no results"):
        explain(str(place), 1, spark=spark)


def test_a_large_group_stops_the_run_or_is_logged(
    spark: SparkSession, place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    groups = spark.read.parquet(str(place / "out" / "groups"))
    logging.getLogger("simhash_udf").propagate = True
    group_id = groups.filter("doc_id = 0").first().group_id
    assert check_group_sizes(groups, validated(Settings, {})) == []
    warn = check_group_sizes(groups, validated(Settings, {"max_group_size": COPIES - 1}))
    assert [(group["group_id"], group["group_size"]) for group in warn] == [(group_id, COPIES)]
    assert f"{group_id} ({COPIES} members)" in caplog.text
    fail = validated(Settings, {"max_group_size": COPIES - 1, "on_large_group": "fail"})
    with pytest.raises(InputError, match=f"{group_id} \\({COPIES} members\\)"):
        check_group_sizes(groups, fail)
    assert check_group_sizes(groups, validated(Settings, {"max_group_size": COPIES, "on_large_group": "fail"})) == []


@pytest.mark.parametrize(("removed", "limit", "is_alarm"), [(96, 0.95, True), (95, 0.95, False), (96, None, False)])
def test_the_share_of_all_documents_counts_too(removed: int, limit: float | None, is_alarm: bool) -> None:
    report = {"counts": {"removed": removed, "fingerprinted": 100}}
    if not is_alarm:
        check_removed(report, limit)
        return
    with pytest.raises(AlarmError, match=r"all documents: 96\.0%"):
        check_removed(report, limit)


def test_the_alarm_is_exit_code_3(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoSession:
        def stop(self) -> None:
            """Nothing to stop."""

    def alarm(_: object) -> None:
        raise AlarmError("too much")

    monkeypatch.setattr(entry, "start_session", lambda _: NoSession())
    assert entry.run_with_session(alarm, "test") == 3


@pytest.mark.processes  # two runs with a second look
@pytest.mark.parametrize("grouping", ["component", "representative"])
def test_a_verified_run_is_explained_with_similarities(spark: SparkSession, place: Path, grouping: str) -> None:
    out = str(place / grouping)
    more = {"verify": "jaccard:0.8", "verify_ngram": 1, "grouping": grouping, "max_distance": 6}
    plain = {"tokenizer": "word", "calibration": "none", "input": (str(place / "in"),), "output": out}
    run_dedup(spark, validated(Settings, plain | more))
    groups = spark.read.parquet(f"{out}/groups").collect()
    farthest = max(groups, key=lambda row: row.distance)
    steps = explain(out, farthest.doc_id, spark=spark).steps
    assert [steps[0].from_id, steps[-1].to_id] == [str(farthest.doc_id), str(farthest.representative_id)]
    assert all(step.distance <= 6 and step.similarity is not None and step.similarity >= 0.8 for step in steps)
    assert (len(steps) == 1) == (grouping == "representative")
    report = json.loads((place / grouping / "report.json").read_text())
    assert sum(report["similarities"]["edges"].values()) == report["counts"]["edges"]
    assert sum(report["similarities"]["to_representative"].values()) == report["counts"]["removed"]
