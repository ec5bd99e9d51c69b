"""Samples that do not depend on the order of the rows, and counts of pairs against a plain count."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from simhash_udf.evaluation.trial import EditTrial, try_edits
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.stages.samples import build_trials, count_found_pairs, sample_fingerprints, sample_texts

COLUMNS = "doc_id string, fingerprint long, text_digest long"


def fingerprints(spark: SparkSession) -> DataFrame:
    rows = [(f"d{n}", None if n % 10 == 3 else n // 2, n) for n in range(60)]
    return spark.createDataFrame(rows, COLUMNS)


def test_a_sample_is_the_same_in_any_order_and_has_fingerprints_alone(spark: SparkSession) -> None:
    frame = fingerprints(spark)
    first = sample_fingerprints(frame, 20, num_views=1).collect()
    again = sample_fingerprints(frame.repartition(3).orderBy("text_digest", ascending=False), 20, num_views=1).collect()
    assert first == again
    assert len(first) == 20
    assert not any(row["doc_id"].endswith("3") for row in first)
    assert all(row["words"] == [row["text_digest"] // 2] for row in first)


def test_texts_are_those_of_the_sample_of_fingerprints_in_its_order(spark: SparkSession) -> None:
    frame = fingerprints(spark)
    documents = spark.createDataFrame(
        [(f"d{n}", f"text {n}") for n in reversed(range(60))], "doc_id string, text string"
    )
    chosen = [row["doc_id"] for row in sample_fingerprints(frame, 7, num_views=1).collect()]
    texts = [row["text"] for row in sample_texts(documents, frame, 7).collect()]
    assert texts == [f"text {name[1:]}" for name in chosen]


def test_trials_are_those_of_the_plain_function(spark: SparkSession) -> None:
    trial = EditTrial(Recipe(), {}, ("第一篇文章写仓库。流程很长。", "第二篇文章写天气。雨很大。", "第三篇。"), seed=1)
    numbers = spark.range(3, numPartitions=2).withColumnRenamed("id", "number")
    found = build_trials(numbers, trial).collect()
    assert sorted(map(tuple, found)) == sorted(tuple(row.values()) for row in try_edits(trial, [0, 1, 2]).to_pylist())


def test_pairs_of_documents_are_counted_in_nodes_and_along_edges(spark: SparkSession) -> None:
    nodes = {"a": 1, "b": 1, "c": 1, "d": 2, "e": 2, "f": 3, "g": None}
    frame = spark.createDataFrame([(name, node, 0) for name, node in nodes.items()], COLUMNS)
    edges = spark.createDataFrame([(1, 2, 2), (2, 3, 2), (1, 3, 5)], "src long, dst long, distance int")
    found = {row["distance"]: row["pairs"] for row in count_found_pairs(frame, edges).collect()}
    assert found == {0: 3 + 1, 2: 3 * 2 + 2 * 1, 5: 3}
