"""The public names: what they give, what they refuse, and what loading them costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from simhash import Simhash

import simhash_udf
from simhash_udf import InputError, SettingError, distance, find_duplicates, hamming_distance, simhash, simhash_value
from simhash_udf.kernel.fingerprint import fingerprinter
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.schema import groups as groups_schema

TEXTS = ["我想学游泳", "她在喝红茶", "Spark读取12个文件", None, "", "数据清洗流程"]


def test_all_public_names_are_there_and_no_other() -> None:
    for name in simhash_udf.__all__:
        assert getattr(simhash_udf, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'dedupe'"):
        _ = simhash_udf.dedupe  # type: ignore[attr-defined]


def test_values_need_no_spark() -> None:
    script = (
        "import sys; from simhash_udf import simhash_value, distance; "
        "assert distance(simhash_value(['a']), simhash_value(['a'])) == 0; assert 'pyspark' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


def test_simhash_is_null_without_text_and_else_that_of_the_tokens(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(text,) for text in TEXTS], "text string")
    found = [row[0] for row in frame.coalesce(1).select(simhash("text", tokenizer="char", ngram=(2,))).collect()]
    expected = []
    for text in TEXTS:
        bigrams = [text.lower()[i : i + 2] for i in range(len(text) - 1)] if text else []
        value = Simhash(bigrams).value
        expected.append((value - 2**64 if value >= 2**63 else value) if bigrams else None)
    assert found == expected


def test_simhash_of_a_column_expression_takes_every_text_option(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("<b>第12集</b> 灯塔",), ("第34集 灯塔",)], "text string")
    options = {"tokenizer": "jieba", "strip_html": True, "digits": "fold", "weight": "log_tf", "stop_words": "builtin"}
    found = {row[0] for row in frame.select(simhash(frame.text, **options)).collect()}
    assert len(found) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tokeniser": "jieba"}, "there is no setting 'tokeniser'"),
        ({"tokenizer": "jiba"}, "tokenizer: takes jieba"),
        ({"weight": "idf"}, "weight: .* got 'idf'"),
        ({"ngram": (0,)}, "ngram: takes different sizes from 1 to 32"),
        ({"max_distance": 3}, "there is no setting 'max_distance'"),
        ({"stop_words": "/no/such/file"}, "stop_words=/no/such/file cannot be read"),
    ],
)
def test_options_that_do_not_fit_are_refused_before_anything_runs(options: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        simhash("text", **options)


def test_hamming_distance_of_fingerprints_is_that_of_plain_values(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("我想学游泳", "她在喝红茶")], "a string, b string")
    found = frame.select(hamming_distance(simhash("a", tokenizer="jieba"), simhash("b", tokenizer="jieba"))).first()[0]
    assert found == distance(simhash_value(["我想学", "游泳"]), simhash_value(["她", "在", "喝", "红茶"])) == 25


def test_find_duplicates_groups_a_frame_and_leaves_nothing_behind(spark: SparkSession, tmp_path: Path) -> None:
    rows = [(9007199254740993, "同一段文字"), (9007199254740992, "同一段文字！"), (3, "她在喝红茶")]
    frame = spark.createDataFrame(rows, "n long, body string")
    groups = find_duplicates(frame, id_column="n", text_column="body", keep=("last",))
    assert [field.dataType for field in groups.schema] == [
        f.dataType for f in groups_schema(frame.schema["n"].dataType)
    ]
    assert {(row.doc_id, row.representative_id, row.match) for row in groups.collect()} == {
        (9007199254740992, 9007199254740993, "same_text"),
        (9007199254740993, 9007199254740993, "same_text"),
    }
    assert list(tmp_path.iterdir()) == []


def test_find_duplicates_refuses_bad_rows_and_unknown_options(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, "甲"), (1, "乙"), (None, "丙")], "id long, text string")
    with pytest.raises(InputError, match="1 rows have a null id in column 'id'"):
        find_duplicates(frame)
    with pytest.raises(SettingError, match="there is no setting 'threshold'"):
        find_duplicates(frame, threshold=3)


def test_one_process_builds_a_fingerprinter_once() -> None:
    assert fingerprinter(Recipe()) is fingerprinter(Recipe())
