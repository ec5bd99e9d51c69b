"""Any text through any settings: a fingerprint or none, never a fault, and the same one however the batch is cut."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import assume, given
from hypothesis import strategies as st

from simhash_udf.errors import SettingError
from simhash_udf.index.ids import as_ids
from simhash_udf.kernel.fingerprint import Fingerprinter
from simhash_udf.kernel.normalize import normalize
from simhash_udf.kernel.recipe import Idf, Normalization, Recipe, View
from simhash_udf.kernel.similarity import VectorMaker, recipe_of_check, similarities
from simhash_udf.kernel.tokenize import build_tokenizer
from simhash_udf.kernel.values import distance, simhash_value
from tests.fuzz.examples import TEXT, TOKENIZERS, WEIGHTS, WHOLE_TEXT, tried

FLAGS = st.booleans()
NORMALIZATIONS = st.builds(
    Normalization, keep_punctuation=FLAGS, strip_html=FLAGS, strip_urls=FLAGS, fold_digits=FLAGS, to_simplified=FLAGS
)
VIEWS = st.lists(st.builds(View, st.sampled_from(TOKENIZERS), st.integers(0, 3)), min_size=1, max_size=3).map(tuple)
OPTIONS = st.fixed_dictionaries(
    {
        "normalization": NORMALIZATIONS,
        "views": VIEWS,
        "engine": st.sampled_from(["rjieba", "jieba"]),
        "ngram": st.sampled_from([(1,), (2,), (1, 2), (3,), (32,)]),
        "weight": st.sampled_from(WEIGHTS),
        "top_k": st.none() | st.integers(1, 5),
        "stop_words": st.frozensets(st.sampled_from("的是ab1"), max_size=3),
        "min_token_length": st.integers(1, 3),
        "max_chars": st.none() | st.integers(1, 50),
        "min_features": st.integers(1, 4),
        "idf": st.none() | st.just(Idf(("的", "a"), (0.0, 2.5), 1.0)),
    }
)


@tried()
@given(OPTIONS, st.lists(st.none() | WHOLE_TEXT, max_size=5))
def test_any_text_has_a_fingerprint_or_none_and_the_same_one_alone(options: dict, texts: list[str | None]) -> None:
    try:
        recipe = Recipe(**options)
    except SettingError:
        return  # settings that do not go together are told in these words alone
    together = Fingerprinter(recipe)(pa.array(texts, pa.string()))
    assert together.values.shape == (len(texts), len(recipe.views))
    assert together.values.dtype == np.uint64
    for at, text in enumerate(texts):
        alone = Fingerprinter(recipe)(pa.array([text], pa.string()))
        assert (alone.has_value[0], *alone.values[0]) == (together.has_value[at], *together.values[at])
    assert not any(there for there, text in zip(together.has_value, texts, strict=True) if text is None)


@tried()
@given(NORMALIZATIONS, st.lists(WHOLE_TEXT, max_size=4), st.sampled_from(TOKENIZERS))
def test_any_text_is_normalised_once_and_for_all_and_no_token_is_blank(
    normalization: Normalization, texts: list[str], tokenizer: str
) -> None:
    once = normalize(pa.array(texts, pa.string()), normalization)
    assume(not normalization.strip_html and not normalization.strip_urls)  # what is left may be a tag or address again
    if not normalization.to_simplified:
        assert normalize(once, normalization).equals(once)
    cut = build_tokenizer(View(tokenizer), Recipe(normalization=normalization))
    for text in once.to_pylist():
        assert all(token.strip() for token in cut(text)) or tokenizer == "pypi"


@tried(2)
@given(TEXT, TEXT, st.integers(1, 32).map(lambda eighth: 8 * eighth))
def test_the_plain_function_takes_any_string_that_python_can_hold(one: str, other: str, bits: int) -> None:
    first, second = simhash_value(one, f=min(bits, 128)), simhash_value(other, f=min(bits, 128))
    assert 0 <= first < 2 ** min(bits, 128)
    if bits <= 64:
        assert distance(first, second) == (first ^ second).bit_count()
    assert simhash_value([one, one, other], f=64) == simhash_value([(other, 1), (one, 2)], f=64)


@tried()
@given(st.lists(WHOLE_TEXT, min_size=2, max_size=6), st.sampled_from(["cosine", "jaccard"]), st.integers(1, 4))
def test_any_two_texts_have_a_similarity_between_0_and_1(texts: list[str], measure: str, ngram: int) -> None:
    vectors = VectorMaker(recipe_of_check(Recipe(), measure, ngram))(pa.array(texts))
    left, right = np.triu_indices(len(texts), 1)
    found = similarities(vectors, left, right, measure)
    assert ((found >= 0) & (found <= 1)).all()
    assert (found == similarities(vectors, right, left, measure)).all()


IDS = (
    st.lists(st.integers(-(2**63), 2**63 - 1))
    | st.lists(WHOLE_TEXT)
    | st.lists(st.binary(max_size=9))
    | st.lists(st.uuids().map(str))
    | st.lists(st.integers(0, 2**31 - 1).map(np.int32))
)


@tried()
@given(IDS)
def test_ids_of_any_type_come_back_as_they_were(ids: list) -> None:
    assert as_ids(ids).to_pylist() == ids
