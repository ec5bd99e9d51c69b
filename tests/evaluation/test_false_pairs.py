"""Wrong pairs to expect, against a count of all pairs of a few thousand documents."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from scipy import stats

from simhash_udf.evaluation.false_pairs import MIN_SEEN, DistanceModel, probability_within
from simhash_udf.evaluation.random_pairs import count_distances, near_pairs, without_duplicates
from simhash_udf.kernel.calibration import learn_thresholds
from simhash_udf.kernel.fingerprint import Fingerprinter
from simhash_udf.kernel.hashing import pack_bits
from simhash_udf.kernel.recipe import Recipe, View
from simhash_udf.sample import generate_documents

Words = NDArray[np.uint64]


def distances(words: Words) -> dict[tuple[int, int], tuple[int, int]]:
    rows = words.tolist()
    each = {
        (i, j): [(a ^ b).bit_count() for a, b in zip(rows[i], rows[j], strict=True)]
        for i, j in itertools.combinations(range(len(rows)), 2)
    }
    return {pair: (min(values), sum(values)) for pair, values in each.items()}


def related_words(rng: np.random.Generator, count: int, views: int) -> Words:
    """Words of which some are a few bits from others."""
    words = rng.integers(0, 2**64, size=(count, views), dtype=np.uint64)
    for at in range(1, count, 3):
        flips = np.uint64(1) << rng.integers(0, 64, size=(views, 4), dtype=np.uint64)
        words[at] = words[at - 1] ^ np.bitwise_or.reduce(flips, axis=1)
    return words


@pytest.mark.parametrize("views", [1, 3])
def test_all_pairs_are_counted_at_their_distances(views: int) -> None:
    words = related_words(np.random.default_rng(0), 60, views)
    expected = np.zeros((65, 64 * views + 1))
    for nearest, total in distances(words).values():
        expected[nearest, total] += 1
    assert np.array_equal(count_distances(words), expected)


def test_near_pairs_are_all_there_where_they_are_few_and_weighted_where_they_are_drawn() -> None:
    words = related_words(np.random.default_rng(0), 60, 2)
    counts = count_distances(words)
    near = near_pairs(words, counts, per_distance=1000, seed=0)
    expected = {pair: value for pair, value in distances(words).items() if value[0] <= 12}
    found = zip(near.left, near.right, near.distance, near.total, strict=True)
    assert {(int(i), int(j)): (int(d), int(t)) for i, j, d, t in found} == expected
    assert set(near.weight.tolist()) == {1.0}
    drawn = near_pairs(words, counts, per_distance=2, seed=0)
    assert len(drawn) < len(near)
    per_distance = np.bincount(drawn.distance, weights=drawn.weight, minlength=65)
    there = counts.sum(axis=1)
    assert np.allclose(per_distance[per_distance > 0], there[per_distance > 0])


def test_duplicates_are_taken_out_of_the_counts() -> None:
    words = related_words(np.random.default_rng(0), 60, 1)
    counts = count_distances(words)
    near = near_pairs(words, counts, per_distance=1000, seed=0)
    is_duplicate = near.right == near.left + 1
    left = without_duplicates(counts, near, is_duplicate)
    assert left.sum() == counts.sum() - is_duplicate.sum()
    assert np.array_equal(left[13:], counts[13:])


@pytest.mark.parametrize(("k", "total", "views"), [(3, 64, 1), (8, 64, 1), (2, 12, 2), (4, 20, 3)])
def test_the_probability_of_a_pair_is_that_of_a_simulation(k: int, total: int, views: int) -> None:
    share = 0.12
    drawn = np.random.default_rng(1).binomial(64, share, size=(400_000, views))
    hit = ((drawn.min(axis=1) <= k) & (drawn.sum(axis=1) <= total)).mean()
    assert probability_within(share, k, total, views) == pytest.approx(hit, rel=0.05, abs=2e-5)


def test_one_view_is_a_plain_binomial() -> None:
    for k in range(9):
        assert probability_within(0.3, k, 64, 1) == pytest.approx(stats.binom.cdf(k, 64, 0.3))


def sampled_counts(shares: tuple[float, ...], weights: tuple[float, ...], pairs: int) -> NDArray[np.float64]:
    """Distances of so many pairs that differ in one of these shares of their bits."""
    rng = np.random.default_rng(3)
    drawn = rng.binomial(64, rng.choice(shares, p=weights, size=pairs))
    counts = np.zeros((65, 65))
    counts[np.arange(65), np.arange(65)] = np.bincount(drawn, minlength=65)
    return counts


def test_what_is_too_rare_to_be_seen_is_extrapolated_within_a_factor_of_three() -> None:
    shares, weights = (0.5, 0.35, 0.25), (0.9, 0.09, 0.01)
    model = DistanceModel(sampled_counts(shares, weights, 2_000_000))
    for k in range(2, 12):
        true = sum(w * stats.binom.cdf(k, 64, p) for p, w in zip(shares, weights, strict=True))
        found = model.false_pairs(k, 64)
        assert found.rate == pytest.approx(true, rel=0.7) if found.seen >= MIN_SEEN else 1 / 3 < found.rate / true < 3
        assert found.expected(1000) == pytest.approx(found.rate * 499_500)


def test_estimates_never_fall_as_limits_widen() -> None:
    model = DistanceModel(sampled_counts((0.5, 0.2), (0.99, 0.01), 1_000_000))
    rates = [model.false_pairs(k, 64).rate for k in range(20)]
    assert rates == sorted(rates)
    assert rates[0] > 0


def test_no_pair_at_all_gives_an_answer_too() -> None:
    assert DistanceModel(np.zeros((65, 65))).false_pairs(3, 64).seen == 0


@pytest.fixture(scope="module")
def corpus() -> tuple[dict[int, Words], NDArray[np.int64]]:
    """Calibrated fingerprints of 4,000 generated documents in one view and in two, and their clusters."""
    documents = [d for d in generate_documents(4000, seed=11) if d.text and len(d.text) > 60]
    scores = Fingerprinter(Recipe(views=(View("jieba"), View("char"))))
    made = scores.scores(pa.array([d.text for d in documents]))
    thresholds = np.array(learn_thresholds(made))
    bits = np.nan_to_num(made, nan=-np.inf) > thresholds
    words = np.stack([pack_bits(bits[:, view]) for view in range(2)], axis=1)
    clusters = np.unique([d.cluster for d in documents], return_inverse=True)[1]
    return {1: words[:, :1], 2: words}, clusters


@pytest.mark.parametrize(("views", "total"), [(1, 64), (2, 16)])
def test_a_sample_of_a_quarter_foretells_the_wrong_pairs_of_the_whole(
    corpus: tuple[dict[int, Words], NDArray[np.int64]], views: int, total: int
) -> None:
    words, clusters = corpus[0][views], corpus[1]
    everything = near_pairs(words, count_distances(words), per_distance=10**9, seed=0)
    is_wrong = clusters[everything.left] != clusters[everything.right]
    chosen = np.random.default_rng(4).permutation(len(words))[: len(words) // 4]
    part, of_part = words[chosen], clusters[chosen]
    counts = count_distances(part)
    near = near_pairs(part, counts, per_distance=200, seed=0)
    model = DistanceModel(without_duplicates(counts, near, of_part[near.left] == of_part[near.right]))
    compared = 0
    for k in range(1, 11):
        within = (everything.distance <= k) & (everything.total <= total)
        true = int((within & is_wrong).sum())
        if true < 50:
            continue
        compared += 1
        found = model.false_pairs(k, total)
        factor = found.expected(len(words)) / true
        assert 1 / 2 < factor < 2 if found.seen >= MIN_SEEN else 1 / 10 < factor < 10, (k, true, found)
    assert compared >= 3
