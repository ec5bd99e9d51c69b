"""Keyword weights equal those of ``jieba.analyse`` for the same text."""

from __future__ import annotations

import logging
from pathlib import Path

import jieba
import jieba.analyse
import pyarrow.parquet as pq
import pytest

from simhash_udf.kernel.extraction import _ranker
from simhash_udf.kernel.features import count_features
from simhash_udf.kernel.hashing import Vocabulary
from simhash_udf.kernel.normalize import normalize
from simhash_udf.kernel.recipe import Normalization, Recipe, View
from simhash_udf.kernel.tagging import build_tagger
from simhash_udf.kernel.textrank import textrank
from simhash_udf.kernel.tokenize import build_tokenizer
from simhash_udf.kernel.weights import WEIGHT_UNITS, build_weighting

jieba.setLogLevel(logging.ERROR)

STOP_WORDS = frozenset(jieba.analyse.default_tfidf.stop_words)
TEXTS = [
    "系统每天凌晨从数据湖读取新增文本 先做统一编码和空白清理 再按词典切分成词语 随后统计词频并计算六十四位指纹",
    "the system of python is easy 我们在北京大学学习自然语言处理 学习自然语言处理很有意思",
    "今天天气很好",
    "的",
    "",
]


def tf_idf(text: str, engine: str) -> dict[str, float]:
    recipe = Recipe(engine=engine, weight="tf_idf", stop_words=STOP_WORDS, min_token_length=2)
    tokens = build_tokenizer(View(), recipe)(text)
    matrix = build_weighting(recipe)(count_features([tokens], Vocabulary()))
    weights = matrix.weights.toarray()[0] / WEIGHT_UNITS / max(len(tokens), 1)  # jieba divides by the number of words
    return dict(zip(matrix.features(), weights.tolist(), strict=True))


def ranks(text: str, engine: str) -> dict[str, float]:
    return textrank(build_tagger(Recipe(engine=engine, weight="textrank"))(text), STOP_WORDS)


def jieba_textrank(text: str) -> dict[str, float]:
    return dict(jieba.analyse.textrank(text, topK=None, withWeight=True))


def assert_tf_idf_parity(text: str, engine: str) -> None:
    expected = dict(jieba.analyse.extract_tags(text, topK=None, withWeight=True))
    assert tf_idf(text, engine) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("engine", ["jieba", "rjieba"])
@pytest.mark.parametrize("text", TEXTS)
def test_tf_idf(text, engine):
    assert_tf_idf_parity(text, engine)


@pytest.mark.parametrize("text", TEXTS)
def test_textrank_with_the_reference_engine_is_equal_to_the_last_bit(text):
    assert ranks(text, "jieba") == jieba_textrank(text)


def test_textrank_in_units_is_the_rounded_rank():
    recipe = Recipe(engine="jieba", weight="textrank", stop_words=STOP_WORDS)
    expected = {word: round(rank * WEIGHT_UNITS) for word, rank in jieba_textrank(TEXTS[0]).items()}
    assert _ranker(recipe)(TEXTS[0]) == expected


@pytest.mark.shared
def test_tf_idf_of_real_articles(shared_data):
    for text in real_texts(shared_data, 60):
        assert_tf_idf_parity(text, "rjieba")


@pytest.mark.shared
def test_textrank_of_real_articles(shared_data):
    keywords = different = 0
    for text in real_texts(shared_data, 12):
        expected = jieba_textrank(text)
        assert ranks(text, "jieba") == expected
        fast = ranks(text, "rjieba")
        keywords += len(expected)
        different += len(expected.keys() ^ fast.keys())
    assert different / keywords < 0.05  # jieba.posseg guesses tags of words that are in no dictionary


def real_texts(shared_data: Path, count: int) -> list[str]:
    column = pq.read_table(shared_data / "mini" / "zh_lctt_ccbysa.parquet", columns=["text"])["text"]
    return [text[:1500] for text in normalize(column.slice(0, count), Normalization()).to_pylist()]
