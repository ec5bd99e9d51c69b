"""Texts of the catalogue: tokens and fingerprints by both engines, in the kernel and in Spark, against plain Python."""

from __future__ import annotations

import hashlib
import itertools
import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import simhash
from pyspark.sql import SparkSession

from simhash_udf.errors import SettingError
from simhash_udf.kernel.fingerprint import Fingerprinter
from simhash_udf.kernel.idf import fit_idf
from simhash_udf.kernel.normalize import normalize
from simhash_udf.kernel.recipe import Normalization, Recipe, View
from simhash_udf.kernel.resources import parse_user_dict
from simhash_udf.kernel.tokenize import build_tokenizer
from simhash_udf.kernel.values import distance, simhash_value
from simhash_udf.stages.documents import select_documents
from simhash_udf.stages.fingerprints import build_fingerprints
from tests.cases.texts import DICTIONARY, WITH_DICTIONARY, WITH_PUNCTUATION, WITHOUT_PUNCTUATION, Text

KEPT = Recipe(normalization=Normalization(keep_punctuation=True))
ENGINES = ("rjieba", "jieba")


def token_hash(token: str) -> int:
    return int.from_bytes(hashlib.md5(token.encode()).digest()[-8:], "big")


def voted(weights: Mapping[str, float]) -> int:
    """Oracle: a bit is 1 if more than half of the weight has it."""
    half = sum(weights.values()) / 2
    return sum(1 << b for b in range(64) if sum(w for t, w in weights.items() if token_hash(t) >> b & 1) > half)


def tokens_of(text: str, recipe: Recipe) -> tuple[str, ...]:
    (normal,) = normalize(pa.array([text]), recipe.normalization).to_pylist()
    return tuple(build_tokenizer(recipe.views[0], recipe)(normal))


def bits_of(texts: Iterable[str], recipe: Recipe) -> list[int]:
    return [int(value) for value in Fingerprinter(recipe)(pa.array(list(texts))).values[:, 0]]


def name_of(case: Text) -> str:
    return f"{case.number} {case.text[:8]!r}"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", WITH_PUNCTUATION, ids=name_of)
def test_a_text_has_the_tokens_and_the_bits_of_the_catalogue(case: Text, engine: str) -> None:
    recipe = replace(KEPT, engine=engine)
    assert tokens_of(case.text, recipe) == case.tokens
    assert bits_of([case.text], recipe) == [case.bits]
    assert case.bits == voted(Counter(case.tokens)) == simhash.Simhash(list(case.tokens)).value


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", WITHOUT_PUNCTUATION, ids=name_of)
def test_by_default_punctuation_and_symbols_are_blanks(case: Text, engine: str) -> None:
    recipe = Recipe(engine=engine)
    assert tokens_of(case.text, recipe) == case.tokens
    assert bits_of([case.text], recipe) == [case.bits] == [voted(Counter(case.tokens))]


def test_executors_give_the_bits_of_the_catalogue_as_signed_numbers_and_so_does_a_file(
    spark: SparkSession, tmp_path: str
) -> None:
    rows = [(number, case.text) for number, case in enumerate(WITH_PUNCTUATION)]
    documents = spark.createDataFrame(rows, "id int, text string").repartition(3)
    made = build_fingerprints(select_documents(documents, id_column="id", text_column="text"), KEPT)
    made.write.parquet(f"{tmp_path}/fingerprints")
    found = pq.read_table(f"{tmp_path}/fingerprints").sort_by("doc_id").column("fingerprint")
    assert found.type == pa.int64()
    assert [value % 2**64 for value in found.to_pylist()] == [case.bits for case in WITH_PUNCTUATION]
    assert min(found.to_pylist()) < 0 < max(found.to_pylist())


@pytest.mark.parametrize("engine", ENGINES)
def test_a_user_dictionary_reaches_the_executors(spark: SparkSession, engine: str) -> None:
    recipe = replace(KEPT, engine=engine, user_dict=parse_user_dict(DICTIONARY, name="words.txt"))
    assert tokens_of(WITH_DICTIONARY.text, recipe) == WITH_DICTIONARY.tokens
    documents = spark.createDataFrame([("1", WITH_DICTIONARY.text)] * 4, "doc_id string, text string").repartition(4)
    found = {row.fingerprint % 2**64 for row in build_fingerprints(documents, recipe).collect()}
    lost = next(case.bits for case in WITH_PUNCTUATION if case.text == WITH_DICTIONARY.text)
    assert found == {voted(Counter(WITH_DICTIONARY.tokens))} != {lost}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("我在学做豆腐", "他去河边钓鱼", 30),
        ("借书 借书 借书 借书 借书", "借书 借书 借书", 0),
        ("小店昨天卖出二十斤橘子", "小店昨天卖出二十斤柚子", 13),
        ("第３集　海岛ＡＢ", "第3集 海岛AB", 0),
        ("山 上\r\n有 庙", "山 上\n有 庙", 0),
        ("㐂字招牌", "字招牌", 14),
        ("Linux内核", "LINUX内核", 0),
    ],
)
def test_pairs_of_the_catalogue_are_as_far_apart_as_their_tokens_say(one: str, other: str, expected: int) -> None:
    first, second = bits_of([one, other], KEPT)
    assert distance(first, second) == expected
    bits = {case.text: case.bits for case in WITH_PUNCTUATION}
    assert (bits[one] ^ bits[other]).bit_count() == expected


HEAVY = [1, 255, 256, 300, 65_536, 10**9]


@pytest.mark.parametrize("weight", HEAVY)
def test_a_feature_that_outweighs_the_rest_decides_every_bit(weight: int) -> None:  # A01
    features = [("茶叶", weight + 3), ("瓷器", 1), ("丝绸", 2)]
    assert simhash_value(features) == voted(dict(features)) == token_hash("茶叶")
    assert simhash_value("啊" * (weight % 5000 + 4)) == token_hash("啊啊啊啊")


@pytest.mark.parametrize("tokenizer", ["char", "word", "jieba"])
def test_a_text_of_one_word_has_the_bits_of_that_word_however_long_it_is(tokenizer: str) -> None:  # A01, C05
    recipe = replace(KEPT, views=(View(tokenizer),))
    texts = ["桑 " * times for times in (1, 255, 256, 257, 70_000)]
    assert set(bits_of(texts, recipe)) == {token_hash("桑")}


def test_two_equal_votes_leave_what_both_have() -> None:  # A05
    assert simhash_value(["茶叶", "瓷器"]) == token_hash("茶叶") & token_hash("瓷器")
    four = ["茶叶", "瓷器", "丝绸", "香料"]
    assert simhash_value(four) == voted(Counter(four))
    assert bits_of(["茶叶 瓷器"], KEPT) == [token_hash("茶叶") & token_hash("瓷器")]


def test_no_order_of_features_or_documents_changes_a_bit() -> None:  # A07
    weights = {"茶叶": 0.1, "瓷器": 0.7, "丝绸": 0.2, "香料": 0.6}
    assert {simhash_value(list(order)) for order in itertools.permutations(weights.items())} == {
        voted({token: round(10 * weight) for token, weight in weights.items()})
    }
    words = ["茶叶", "瓷器", "丝绸", "香料", "丝绸", "山水", "山水", "山水"]
    chance = random.Random(5)
    for weight in ("tf", "log_tf", "binary", "tf_idf"):
        texts = [" ".join(chance.sample(words, len(words))) for _ in range(20)]
        assert len(set(bits_of(texts, replace(KEPT, weight=weight, views=(View("word"),))))) == 1


@pytest.mark.parametrize("documents", [1, 2, 10, 10**9])
def test_no_fitted_weight_is_negative(documents: int) -> None:  # A09
    idf = fit_idf({"茶叶": documents, "瓷器": 1}, documents)
    assert min(*idf.values, idf.default) >= 0
    with pytest.raises(SettingError, match="'瓷器' is negative"):
        simhash_value({"茶叶": 0.3, "瓷器": -0.3})


@pytest.mark.parametrize("bits", [0, 2**63 - 1, 2**63, 2**64 - 1, 0x8000000000000001])
def test_64_bits_survive_as_a_signed_column(bits: int) -> None:  # A02
    signed = pa.array(np.array([bits], np.uint64).view(np.int64))
    assert signed[0].as_py() == (bits + 2**63) % 2**64 - 2**63
    assert signed.to_numpy().view(np.uint64)[0] == bits
    assert distance(signed[0].as_py(), bits) == 0


@pytest.mark.parametrize("size", [2, 4, 32])
def test_texts_shorter_than_the_window_are_one_feature_each(size: int) -> None:  # C02
    words = replace(KEPT, views=(View("word"),), ngram=(size,))
    short = ["桑", "柳", "桑 柳"[: 2 * size - 3]]
    found = bits_of(["桑", "柳", "桑"], words)
    assert found[0] == found[2] != found[1]
    assert Fingerprinter(words)(pa.array(short)).has_value.all()
    assert simhash_value("桑") == token_hash("桑") != simhash_value("柳")


@pytest.mark.parametrize(
    "recipe", [KEPT, Recipe(), replace(KEPT, views=(View("char"),))], ids=["kept", "plain", "char"]
)
def test_texts_of_no_word_have_no_fingerprint_or_one_of_their_own(recipe: Recipe) -> None:  # C01
    blank = ["", " ", "\u3000", "\n\t\r", "\ufeff", "\u200b", "\x00"]
    made = Fingerprinter(recipe)(pa.array([*blank, "。。。", "🎈🎈", "茶叶"]))
    assert not made.has_value[: len(blank) - 3].any()
    symbols = {int(value) for value, there in zip(made.values[-3:-1, 0], made.has_value[-3:-1], strict=True) if there}
    assert int(made.values[-1, 0]) not in symbols
    assert made.has_value[-1]
