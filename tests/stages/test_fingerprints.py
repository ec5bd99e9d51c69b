"""Fingerprints of documents: the kernel's values beside the user's ids, and the nodes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from simhash_udf import schema
from simhash_udf.kernel.bits import node_ids
from simhash_udf.kernel.fingerprint import Fingerprinter
from simhash_udf.kernel.recipe import Recipe, View
from simhash_udf.stages.fingerprints import (
    build_fingerprints,
    build_scores,
    calibration_sample,
    clashing_nodes,
    sample_nodes,
    select_nodes,
)

TEXTS = ["数据清洗流程", "我想学游泳", "她在喝红茶", "", "  ", "！！！", "😀", "数据清洗流程", "Data lake 数据湖 2024"]
IDS = [1234567890123456789, 9007199254740993, -(2**63), 2**63 - 1, 0, -1, 7, 8, 9]
TWO_VIEWS = Recipe(views=(View("jieba"), View("char")))


@pytest.fixture(scope="module")
def documents(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(list(zip(IDS, TEXTS, strict=True)), "doc_id long, text string").repartition(3)


def by_id(frame: DataFrame) -> dict[Any, Any]:
    return {row.doc_id: row for row in frame.collect()}


def test_every_document_has_the_kernels_values_beside_its_own_id(documents: DataFrame) -> None:
    found = by_id(build_fingerprints(documents, Recipe()))
    made = Fingerprinter(Recipe())(pa.array(TEXTS))
    assert found.keys() == set(IDS)
    for place, doc_id in enumerate(IDS):
        value = int(made.values[place, 0].astype(np.int64)) if made.has_value[place] else None
        numbers = (made.feature_count[place], made.text_length[place], made.text_digest[place], made.is_cut[place])
        assert tuple(found[doc_id]) == (doc_id, value, *numbers)


def test_texts_without_features_have_no_fingerprint(documents: DataFrame) -> None:
    found = by_id(build_fingerprints(documents, Recipe()))
    missing = {text for doc_id, text in zip(IDS, TEXTS, strict=True) if found[doc_id].fingerprint is None}
    assert missing == {"", "  ", "！！！", "😀"}


def test_two_views_add_both_words_and_the_node(documents: DataFrame) -> None:
    table = build_fingerprints(documents, TWO_VIEWS)
    assert [field.name for field in table.schema][-2:] == ["fingerprints", "node_id"]
    made = Fingerprinter(TWO_VIEWS)(pa.array(TEXTS))
    ids, words = node_ids(made.values).tolist(), made.values.view(np.int64).tolist()
    found = by_id(table)
    for place, doc_id in enumerate(IDS):
        expected = (words[place][0], words[place], ids[place]) if made.has_value[place] else (None, None, None)
        assert (found[doc_id].fingerprint, found[doc_id].fingerprints, found[doc_id].node_id) == expected


def test_nodes_are_the_documents_that_have_a_fingerprint(documents: DataFrame) -> None:
    one = select_nodes(build_fingerprints(documents, Recipe()), num_views=1)
    two = select_nodes(build_fingerprints(documents, TWO_VIEWS), num_views=2)
    assert one.columns == ["node_id", "word_0"]
    assert two.columns == ["node_id", "word_0", "word_1"]
    assert one.count() == two.count() == 5
    assert all(row.node_id == row.word_0 for row in one.collect())


def test_the_calibration_sample_is_the_same_in_any_order_and_partitioning(spark: SparkSession) -> None:
    texts = [(f"文/{i}", f"第{i}段") for i in range(500)]
    forward = spark.createDataFrame(texts, "doc_id string, text string").repartition(1)
    backward = spark.createDataFrame(texts[::-1], "doc_id string, text string").repartition(7)
    samples = [calibration_sample(frame, 50).collect() for frame in (forward, backward)]
    assert samples[0] == samples[1]
    assert len(samples[0]) == 50
    assert calibration_sample(forward, 1000).count() == 500


def test_scores_are_those_of_the_kernel(documents: DataFrame) -> None:
    found = [row.scores for row in build_scores(documents, TWO_VIEWS).collect()]
    expected = Fingerprinter(TWO_VIEWS).scores(pa.array(TEXTS)).reshape(len(TEXTS), 128)
    assert sorted(map(repr, found)) == sorted(repr(row) for row in expected.tolist())


def test_a_node_sample_depends_on_the_nodes_alone(spark: SparkSession) -> None:
    numbers = np.random.default_rng(1).integers(-(2**63), 2**63, 4000, dtype=np.int64).tolist()
    rows = [(number, number) for number in numbers + numbers[:1000]]
    frames = [spark.createDataFrame(part, "node_id long, word_0 long") for part in (rows, rows[::-1])]
    samples = [{row.word_0 for row in sample_nodes(frame, 10).collect()} for frame in frames]
    assert samples[0] == samples[1]
    assert 300 < len(samples[0]) < 500
    assert sample_nodes(frames[0], 1).count() == len(set(numbers))


def test_one_node_id_for_two_tuples_is_a_clash(spark: SparkSession) -> None:
    table = schema.fingerprints(spark.range(1).schema["id"].dataType, 2)

    def row(doc_id: int, node: int | None, words: list[int] | None) -> tuple[Any, ...]:
        return (doc_id, words and words[0], 1, 1, 1, False, words, node)

    clean = [row(1, 5, [1, 2]), row(2, 5, [1, 2]), row(3, 6, [1, 3]), row(4, None, None), row(5, None, None)]
    assert clashing_nodes(spark.createDataFrame(clean, table)).collect() == []
    clash = spark.createDataFrame([*clean, row(6, 6, [2, 3])], table)
    assert [found.node_id for found in clashing_nodes(clash).collect()] == [6]


def test_no_document_gives_an_empty_table_of_the_same_schema(spark: SparkSession, documents: DataFrame) -> None:
    empty = spark.createDataFrame([], documents.schema)
    for recipe in (Recipe(), TWO_VIEWS):
        table = build_fingerprints(empty, recipe)
        assert table.collect() == []
        assert table.schema == build_fingerprints(documents, recipe).schema
