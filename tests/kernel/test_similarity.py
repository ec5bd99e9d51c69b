"""Cosine and Jaccard of texts against a few lines with Counter."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_udf.kernel.recipe import Idf, Recipe, View
from simhash_udf.kernel.similarity import VectorMaker, recipe_of_check, similarities, stack_vectors, vectors_of_blobs
from simhash_udf.kernel.tokenize import build_tokenizer

WORD = Recipe(views=(View("word"),))
TEXTS = [
    "the cat sat on the mat and the dog sat too",
    "the cat sat on the mat and a dog sat too",
    "nothing of the sort was ever said here",
    "one two",
    "one two",
    "two one",
    "",
    "！！！",
]


def tokens_of(text: str) -> list[str]:
    return build_tokenizer(WORD.views[0], WORD)(text)


def cosine(a: Counter[str], b: Counter[str]) -> float:
    dot = sum(a[word] * b[word] for word in a)
    norms = math.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in b.values()))
    return dot / norms if norms else 0.0


def all_pairs(n: int) -> tuple[np.ndarray, np.ndarray]:
    left, right = np.meshgrid(np.arange(n), np.arange(n))
    return left.ravel(), right.ravel()


def check(recipe: Recipe, texts: list[str], measure: str, ngram: int = 3) -> np.ndarray:
    vectors = VectorMaker(recipe_of_check(recipe, measure, ngram))(pa.array(texts, pa.string()))
    return similarities(vectors, *all_pairs(len(texts)), measure)


WORDS = st.lists(st.sampled_from("abcdefg"), max_size=12).map(" ".join)


@settings(max_examples=40, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=6))
def test_cosine_is_that_of_the_counts(texts: list[str]) -> None:
    counts = [Counter(tokens_of(text)) for text in texts]
    expected = [cosine(counts[a], counts[b]) for a, b in zip(*all_pairs(len(texts)), strict=True)]
    assert check(WORD, texts, "cosine") == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=6), st.integers(1, 4))
def test_jaccard_is_that_of_the_sets_of_ngrams(texts: list[str], size: int) -> None:
    def grams(text: str) -> set[tuple[str, ...]]:
        tokens = tokens_of(text)
        return {tuple(tokens[i : i + size]) for i in range(max(len(tokens) - size, 0) + 1)} if tokens else set()

    sets = [grams(text) for text in texts]
    pairs = list(zip(*all_pairs(len(texts)), strict=True))
    expected = [len(sets[a] & sets[b]) / len(sets[a] | sets[b]) if sets[a] | sets[b] else 0.0 for a, b in pairs]
    assert check(WORD, texts, "jaccard", size) == pytest.approx(expected, abs=1e-9)


def test_weights_are_those_of_the_recipe() -> None:
    idf = Idf(("the", "cat"), (0.0, 2.0), 1.0)
    weighted = [
        Counter({w: n * {"the": 0, "cat": 2}.get(w, 1) for w, n in Counter(tokens_of(t)).items()}) for t in TEXTS[:-1]
    ]
    pairs = list(zip(*all_pairs(len(TEXTS[:-1])), strict=True))
    expected = [cosine(weighted[a], weighted[b]) for a, b in pairs]
    assert check(Recipe(views=(View("word"),), weight="tf_idf", idf=idf), TEXTS[:-1], "cosine") == pytest.approx(
        expected
    )


def test_a_text_that_is_shorter_than_the_ngram_is_like_its_equal_alone() -> None:
    found = check(WORD, TEXTS, "jaccard", 3).reshape(len(TEXTS), -1)
    assert (found[3, 4], found[3, 5], found[6, 7]) == (1.0, 0.0, 0.0)


def test_top_k_of_the_fingerprint_does_not_cut_the_check() -> None:
    cut = Recipe(views=(View("word"),), top_k=1)
    assert check(cut, TEXTS, "cosine").tolist() == check(WORD, TEXTS, "cosine").tolist()


def test_a_pair_has_one_similarity_in_any_batch() -> None:
    draw = np.random.default_rng(3)
    texts = [" ".join(f"w{n}" for n in draw.zipf(1.3, 200) % 500) for _ in range(30)]
    recipe = recipe_of_check(Recipe(views=(View("word"),), weight="log_tf"), "cosine", 3)
    whole = VectorMaker(recipe)(pa.array(texts))
    left, right = all_pairs(30)
    together = similarities(whole, left, right, "cosine")
    alone = [
        similarities(
            stack_vectors([whole.take(np.array([b])), whole.take(np.array([a]))]), *np.eye(2, dtype=int), "cosine"
        )[0]
        for a, b in zip(left, right, strict=True)
    ]
    assert together.tolist() == alone


def test_vectors_survive_their_way_as_bytes() -> None:
    made = VectorMaker(WORD)(pa.array([*TEXTS, None]))
    back = vectors_of_blobs(*made.blobs())
    assert [made.ends.tolist(), made.hashes.tolist(), made.weights.tolist()] == [
        back.ends.tolist(), back.hashes.tolist(), back.weights.tolist(),
    ]  # fmt: skip
    assert len(vectors_of_blobs([], [])) == 0
