"""The evaluation on a generated corpus, against runs of the main job and against lists of pairs."""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from simhash_udf.config import validated
from simhash_udf.config_evaluation import EvaluateSettings
from simhash_udf.errors import InputError, SettingError
from simhash_udf.evaluate import run_evaluate
from simhash_udf.evaluation.metrics import pair_scores
from simhash_udf.sample import generate_documents

pytestmark = pytest.mark.processes  # whole runs and sweeps

Evaluate = Callable[..., Path]
DOCUMENTS = [document for document in generate_documents(500, seed=5) if document.text is not None]
CLUSTER = {document.id: document.cluster for document in DOCUMENTS}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("corpus")
    columns = {"id": [d.id for d in DOCUMENTS], "text": [d.text for d in DOCUMENTS]}
    pq.write_table(pa.table(columns), place / "documents.parquet")
    with (place / "clusters.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "cluster"), *CLUSTER.items(), ("nobody", "x")])
    return place


@pytest.fixture(scope="module")
def evaluate(spark: SparkSession, place: Path, tmp_path_factory: pytest.TempPathFactory) -> Evaluate:
    """A function that runs the evaluation on the corpus and returns its output directory."""

    def run(**options: Any) -> Path:
        output = tmp_path_factory.mktemp("evaluation") / "out"
        values = {"input": (str(place / "documents.parquet"),), "output": str(output), "resamples": 50} | options
        run_evaluate(spark, validated(EvaluateSettings, values))
        return Path(values["output"])

    return run


@pytest.fixture(scope="module")
def swept(evaluate: Evaluate, place: Path) -> tuple[Path, Path]:
    """Output and work directory of a sweep over two recipes and two checks."""
    work = place / "work"
    labels = {"labels": str(place / "clusters.csv"), "work_dir": str(work)}
    sweep = {"sweep_views": ("jieba", "jieba,char"), "sweep_verify": ("none", "jaccard:0.5"), "max_distance": 4}
    return evaluate(**labels, **sweep), work


def rows_of(output: Path) -> list[dict[str, Any]]:
    return pq.read_table(output / "evaluation.parquet").to_pylist()


@pytest.mark.parametrize(
    ("views", "verify", "k"),
    [
        (("jieba",), None, 0),
        (("jieba",), None, 3),
        (("jieba",), "jaccard:0.5", 3),
        (("jieba", "char"), None, 3),
        (("jieba", "char"), "jaccard:0.5", 3),
    ],
)
def test_the_groups_are_those_of_the_main_job(
    swept: tuple[Path, Path],
    dedup: Callable[..., Any],
    place: Path,
    views: tuple[str, ...],
    verify: str | None,
    k: int,
) -> None:
    result = dedup(place / "documents.parquet", views=views, verify=verify, max_distance=k)
    group = {row["doc_id"]: str(row["group_id"]) for row in result.rows("groups")}
    true, found = (np.array(values) for values in zip(*((CLUSTER[i], group.get(i, i)) for i in CLUSTER), strict=True))
    expected = pair_scores(true, found)
    (row,) = (
        row
        for row in rows_of(swept[0])
        if (row["views"], row["verify"], row["max_distance"]) == (",".join(views), verify, k)
    )
    counts = row["groups_right_pairs"], row["groups_found_pairs"], row["groups_true_pairs"]
    assert counts == (expected.right_pairs, expected.found_pairs, expected.true_pairs)
    assert expected.right_pairs > 0


def test_fingerprints_of_a_recipe_are_made_once_and_every_k_has_a_row(swept: tuple[Path, Path]) -> None:
    output, work = swept
    assert len(list(work.glob("fingerprints-*"))) == 2
    rows = rows_of(output)
    assert len(rows) == 2 * 2 * 5
    assert {row["status"] for row in rows} == {"evaluated"}
    recalls = [[row["groups_recall"] for row in rows[at : at + 5]] for at in range(0, 20, 5)]
    assert all(of_run == sorted(of_run) for of_run in recalls)


def test_everything_is_written_and_says_the_same(swept: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    output, _ = swept
    names = {"evaluation.parquet", "evaluation.csv", "evaluation.html", "curve.png", "recommendation.json", "_SUCCESS"}
    assert {path.name for path in output.iterdir() if not path.name.startswith(".")} == names
    with (output / "evaluation.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert [float(row["groups_f1"]) for row in table] == [row["groups_f1"] for row in rows_of(output)]
    summary = json.loads((output / "recommendation.json").read_text("utf-8"))
    best = summary["recommended"][0]
    assert best["figures"]["groups_precision"] >= summary["target_precision"] == 0.99
    html = (output / "evaluation.html").read_text("utf-8")
    assert best["options"] in html
    assert best["sentence"] in html
    assert summary["counts"]["ids_not_in_documents"] == 1


def test_the_recommended_options_are_those_of_the_row(swept: tuple[Path, Path]) -> None:
    (best, *_) = json.loads((swept[0] / "recommendation.json").read_text("utf-8"))["recommended"]
    reached = [row for row in rows_of(swept[0]) if row["groups_precision"] >= 0.99]
    highest = max(reached, key=lambda row: row["groups_recall"])
    assert best["figures"]["groups_recall"] >= highest["groups_recall_low"]
    assert best["figures"]["join_seconds"] <= highest["join_seconds"]
    assert f"--max-distance {best['figures']['max_distance']}" in best["options"]
    assert f"--verify {best['figures']['verify'] or 'none'}" in best["options"]
    assert ("--views jieba,char" in best["options"]) == (best["figures"]["views"] == "jieba,char")


def test_judged_pairs_are_scored_as_their_clusters_are(
    evaluate: Evaluate, swept: tuple[Path, Path], place: Path
) -> None:
    rng = Random(1)
    same = [pair for pair in itertools.combinations(CLUSTER, 2) if CLUSTER[pair[0]] == CLUSTER[pair[1]]]
    others = [pair for pair in (tuple(rng.sample(list(CLUSTER), 2)) for _ in range(300)) if pair not in same]
    table = pa.table(
        {
            "a": [pair[0] for pair in (*same, *others)],
            "b": [pair[1] for pair in (*same, *others)],
            "judged": [CLUSTER[a] == CLUSTER[b] for a, b in (*same, *others)],
        }
    )
    pq.write_table(table, place / "pairs.parquet")
    options = {"labels": str(place / "pairs.parquet"), "label_columns": ("a", "b", "judged")}
    rows = rows_of(evaluate(max_distance=4, work_dir=str(swept[1]), **options))
    of_clusters = [row for row in rows_of(swept[0]) if row["views"] == "jieba" and row["verify"] is None]
    for kind in ("groups", "edges"):  # all true pairs were judged, so what is right and true is the same
        for name in (f"{kind}_right_pairs", f"{kind}_true_pairs"):
            assert [row[name] for row in rows] == [row[name] for row in of_clusters]
    assert all(row["adjusted_rand"] is None for row in rows)


def test_without_labels_edits_are_tried_and_wrong_pairs_foretold(evaluate: Evaluate) -> None:
    options = {"synthetic": True, "synthetic_sample": 40, "sweep_verify": ("none", "cosine:0.9"), "max_distance": 4}
    output = evaluate(**options, corpus_size=1_000_000)
    rows = rows_of(output)
    assert [row["max_distance"] for row in rows] == [*range(5), *range(5)]
    for of_run in (rows[:5], rows[5:]):
        recalls = [row["recall"] for row in of_run]
        assert recalls == sorted(recalls)
        pairs = [row["found_pairs"] for row in of_run]
        assert pairs == sorted(pairs)
        assert pairs[0] > 0
    expected = [row["false_pairs"] for row in rows[:5]]
    assert expected == sorted(expected)
    assert all(row["false_pairs"] is None and row["estimated_precision"] is None for row in rows[5:])
    with (output / "edits.csv").open(encoding="utf-8") as file:
        edits = list(csv.DictReader(file))
    assert {row["edit"] for row in edits} == {"delete", "insert", "replace", "reorder", "all"}
    by_share = [float(row["recall"]) for row in edits if (row["edit"], row["max_distance"]) == ("replace", "3")][:6]
    assert by_share[0] > by_share[-1]


def test_found_pairs_without_labels_are_those_of_the_main_job(
    evaluate: Evaluate, dedup: Callable[..., Any], place: Path
) -> None:
    rows = rows_of(evaluate(synthetic=True, synthetic_sample=10, max_distance=3))
    result = dedup(place / "documents.parquet", max_distance=3, write_pairs=True)
    nodes = [row["node_id"] for row in result.rows("groups") if row["node_id"] is not None]
    size = {node: nodes.count(node) for node in set(nodes)}
    expected = [sum(count * (count - 1) // 2 for count in size.values())] * 4
    for edge in result.rows("edges"):
        for k in range(edge["distance"], 4):
            expected[k] += size[edge["src"]] * size[edge["dst"]]
    assert [row["found_pairs"] for row in rows] == expected


def test_results_that_are_there_stay_unless_told_otherwise(
    evaluate: Evaluate, swept: tuple[Path, Path], place: Path
) -> None:
    options = {"labels": str(place / "clusters.csv"), "output": str(swept[0]), "work_dir": str(swept[1])}
    before = (swept[0] / "curve.png").read_bytes()
    with pytest.raises(InputError, match="holds results already"):
        evaluate(**options)
    assert (swept[0] / "curve.png").read_bytes() == before


def test_an_output_over_the_labels_is_refused(evaluate: Evaluate, place: Path) -> None:
    with pytest.raises(SettingError, match=r"output=.*lies in the input"):
        evaluate(labels=str(place), output=str(place / "out"))


def test_labels_of_other_documents_are_refused(evaluate: Evaluate, tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("id,cluster\na,1\nb,1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"none of its 2 ids \(a, b\) is the id of a document with a text"):
        evaluate(labels=str(tmp_path / "labels.csv"), max_distance=1)


def test_too_many_pairs_are_left_out_and_said_so(
    evaluate: Evaluate, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simhash_udf.pipeline.sweeping.MAX_EDGES", 20)
    rows = rows_of(evaluate(labels=str(place / "clusters.csv"), max_distance=6))
    left_out = [row for row in rows if row["status"] != "evaluated"]
    assert 0 < len(left_out) < 7
    assert all(row["groups_f1"] is None and "more than 2e+01" in row["status"] for row in left_out)
    monkeypatch.setattr("simhash_udf.pipeline.sweeping.MAX_EDGES", -1)
    with pytest.raises(SettingError, match="nothing can be evaluated: left out: about"):
        evaluate(labels=str(place / "clusters.csv"), max_distance=1)


def test_a_single_document_cannot_be_evaluated_without_labels(evaluate: Evaluate, tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["a", "b"], "text": ["只有这一篇有词。", "。。。"]}), tmp_path / "one.parquet")
    with pytest.raises(InputError, match="synthetic needs two documents with words at least, there are 1"):
        evaluate(synthetic=True, input=(str(tmp_path / "one.parquet"),))
