"""Counted, weighted and selected features of documents."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_udf.errors import SettingError
from simhash_udf.kernel.features import FeatureMatrix, count_characters, count_features, given_features
from simhash_udf.kernel.hashing import Vocabulary, bit_signs, feature_hashes, pack_bits
from simhash_udf.kernel.idf import fit_idf, jieba_idf
from simhash_udf.kernel.recipe import Idf, Recipe
from simhash_udf.kernel.values import simhash_value
from simhash_udf.kernel.weights import WEIGHT_UNITS, build_weighting, heaviest, in_units

tokens = st.sampled_from(["的", "数据", "去重", "文本", "", "😀", "a b"])
documents = st.lists(st.lists(tokens, max_size=8), max_size=6)


def counted(texts: list[list[str]], vocabulary: Vocabulary | None = None) -> FeatureMatrix:
    return count_features(texts, Vocabulary() if vocabulary is None else vocabulary)


def as_dicts(matrix: FeatureMatrix) -> list[dict[str, int]]:
    names, rows = matrix.features(), matrix.weights.toarray()
    return [{name: weight for name, weight in zip(names, row.tolist(), strict=True) if weight} for row in rows]


@given(documents)
def test_counts_are_those_of_a_counter(texts):
    matrix = counted(texts)
    assert as_dicts(matrix) == [Counter(text) for text in texts]
    assert matrix.feature_counts().tolist() == [len(set(text)) for text in texts]


@given(documents, documents)
def test_what_a_vocabulary_saw_before_changes_no_sum(earlier, texts):
    vocabulary = Vocabulary()
    counted(earlier, vocabulary)
    assert (counted(texts, vocabulary).bit_sums() == counted(texts).bit_sums()).all()


@given(documents)
def test_bits_with_a_sum_above_0_make_the_classic_value(texts):
    values = pack_bits(counted(texts).bit_sums() > 0).tolist()
    assert values == [simhash_value(text) for text in texts]


@given(st.lists(st.text("的数据 é😀𠮷", max_size=8), max_size=6))
def test_characters_are_counted_like_tokens(texts):
    by_token = counted([list(text) for text in texts])
    by_character = count_characters(pa.array(texts, pa.string()), Vocabulary())
    assert as_dicts(by_character) == as_dicts(by_token)
    assert (by_character.bit_sums(1) == by_token.bit_sums(1)).all()


def test_a_single_space_is_no_feature():
    assert as_dicts(counted([["的", " ", "  "], [" "]])) == [{"的": 1, "  ": 1}, {}]


def test_a_token_a_million_times_is_counted_exactly():
    sums = counted([["数据"] * 1_000_000 + ["去重"]]).bit_sums()
    signs = bit_signs(feature_hashes(["数据", "去重"])).astype(np.int64)
    assert sums.tolist() == [(1_000_000 * signs[0] + signs[1]).tolist()]


@given(st.dictionaries(tokens, st.integers(1, 2**40), min_size=1), st.randoms(use_true_random=False))
def test_sums_and_norms_do_not_depend_on_the_order_of_features(weights, random):
    shuffled = list(weights.items())
    random.shuffle(shuffled)
    one, other = (given_features([order], Vocabulary()) for order in (weights, dict(shuffled)))
    assert (one.bit_sums() == other.bit_sums()).all()
    assert one.norms() == other.norms()
    exact = math.sqrt(sum(Fraction(weight) ** 2 for weight in weights.values()))
    assert one.norms()[0] == pytest.approx(exact, rel=1e-15)


def test_norms_are_the_same_beside_a_heavy_document():
    light = {f"词{number}": 3 * number + 1 for number in range(500)}
    heavy = {f"字{number}": 2**40 + number for number in range(500)}
    alone = given_features([light], Vocabulary()).norms()
    assert given_features([light, heavy], Vocabulary()).norms()[0] == alone[0]


def test_no_document_and_no_feature():
    assert counted([]).bit_sums().shape == (0, 64)
    assert counted([]).norms().shape == (0,)
    assert counted([[], []]).feature_counts().tolist() == [0, 0]
    assert counted([[], []]).bit_sums().tolist() == [[0] * 64] * 2


TEXTS = [["的", "的", "的", "数据", "去重"], [], ["数据"] * 20]


def weighted(recipe: Recipe) -> list[dict[str, float]]:
    return [
        {name: weight / WEIGHT_UNITS for name, weight in document.items()}
        for document in as_dicts(build_weighting(recipe)(counted(TEXTS)))
    ]


def test_the_four_weights():
    idf = Idf(("数据", "的"), (2.5, 0.0), 4.0)
    assert as_dicts(build_weighting(Recipe(weight="tf"))(counted(TEXTS)))[0] == {"的": 3, "数据": 1, "去重": 1}
    assert as_dicts(build_weighting(Recipe(weight="binary"))(counted(TEXTS)))[2] == {"数据": 1}
    assert weighted(Recipe(weight="log_tf"))[0]["的"] == pytest.approx(1 + math.log(3), abs=1e-6)
    assert weighted(Recipe(weight="tf_idf", idf=idf)) == [{"数据": 2.5, "去重": 4.0}, {}, {"数据": 50.0}]


def test_a_feature_of_idf_0_is_no_feature():
    weigh = build_weighting(Recipe(weight="tf_idf", idf=Idf(("的",), (0.0,), 1.0)))
    assert weigh(counted([["的", "的"], ["的", "数据"]])).feature_counts().tolist() == [0, 1]


def test_units_are_millionths_and_only_0_is_0():
    assert in_units([0.0, 1e-9, 0.1, 1.5, 0.3]).tolist() == [0, 1, 100_000, 1_500_000, 300_000]


@pytest.mark.parametrize("value", [-0.3, float("nan"), float("inf"), 1e6])
def test_an_idf_that_is_negative_or_endless_is_refused(value):  # case A09
    with pytest.raises(SettingError, match="idf of '数据'"):
        Idf(("数据",), (value,), 1.0)
    with pytest.raises(SettingError, match="default"):
        Idf((), (), value)


def test_the_heaviest_features_are_kept_and_ties_go_by_code_point():
    matrix = counted([["丙", "乙", "甲", "丁", "丁", "𠮷", "￥"], ["乙"], []])
    assert as_dicts(heaviest(matrix, 3)) == [{"丁": 2, "丙": 1, "乙": 1}, {"乙": 1}, {}]
    assert as_dicts(heaviest(matrix, 6))[0].keys() == {"丁", "丙", "乙", "甲", "￥"} | {"𠮷"}
    assert as_dicts(heaviest(matrix, 5))[0].keys() == {"丁", "丙", "乙", "甲", "￥"}


@given(documents, st.integers(1, 5), st.lists(tokens))
def test_the_heaviest_features_are_those_of_a_sort(texts, top_k, earlier):
    vocabulary = Vocabulary()
    counted([earlier], vocabulary)
    expected = [dict(sorted(Counter(text).items(), key=lambda item: (-item[1], item[0]))[:top_k]) for text in texts]
    assert as_dicts(heaviest(counted(texts, vocabulary), top_k)) == expected


@pytest.mark.parametrize("n_documents", [1, 2, 10])
def test_a_term_in_every_document_has_idf_1(n_documents):  # case A09
    assert fit_idf({"的": n_documents}, n_documents).values == (1.0,)


def test_fitted_idf_is_the_smoothed_form_of_scikit_learn():
    frequencies = {f"词{df}": df for df in range(1, 101)}
    idf = fit_idf(frequencies, 100)
    table = dict(zip(idf.terms, idf.values, strict=True))
    assert table == {term: math.log(101 / (1 + df)) + 1 for term, df in frequencies.items()}
    assert idf.default == max(idf.values)


def test_terms_in_too_many_documents_have_idf_0_and_rare_ones_the_default():
    idf = fit_idf({"的": 9, "数据": 5, "去重": 2, "typo": 1}, 10, min_df=2, max_df=0.8)
    table = dict(zip(idf.terms, idf.values, strict=True))
    assert table == {"的": 0.0, "数据": math.log(11 / 6) + 1, "去重": math.log(11 / 3) + 1}
    assert idf.default == table["去重"]
    assert fit_idf({"的": 9, "数据": 5, "去重": 2, "typo": 1}, 10, min_df=2, max_df=8) == idf


def test_max_features_keeps_the_most_common_terms_with_ties_by_term():
    idf = fit_idf({"丙": 2, "乙": 2, "甲": 2, "丁": 3}, 10, max_features=3)
    assert idf.terms == tuple(sorted(["丁", "丙", "乙"]))


@pytest.mark.parametrize(
    "limits", [{"min_df": 0}, {"max_df": 0.0}, {"max_df": 1.5}, {"max_df": 0}, {"max_features": 0}]
)
def test_limits_out_of_range_are_refused(limits):
    with pytest.raises(SettingError, match=next(iter(limits))):
        fit_idf({"数据": 1}, 2, **limits)


@pytest.mark.parametrize("df", [0, 3])
def test_a_document_frequency_out_of_range_is_refused(df):
    with pytest.raises(SettingError, match="'数据' is"):
        fit_idf({"数据": df}, 2)


def test_no_term_at_all_fits_a_table_of_ones():
    assert fit_idf({}, 0) == Idf((), (), 1.0)


def test_jiebas_own_table_is_usable_as_it_is():
    table = jieba_idf()
    assert len(table.terms) > 200_000
    assert min(table.values) > 0
