"""Thresholds learned from a sample."""

from __future__ import annotations

import numpy as np

from simhash_udf.kernel.calibration import MIN_SAMPLE, learn_thresholds


def scores(documents: int, views: int = 1) -> np.ndarray:
    return np.random.default_rng(5).normal(size=(documents, views, 64))


def test_every_bit_is_above_its_threshold_in_half_of_the_sample():
    sample = scores(400, views=2)
    thresholds = np.array(learn_thresholds(sample))
    assert thresholds.shape == (2, 64)
    assert ((sample > thresholds).sum(axis=0) == 200).all()


def test_an_odd_sample_has_the_middle_score_itself():
    sample = scores(101)
    assert np.array(learn_thresholds(sample)).tolist() == np.sort(sample, axis=0)[50].tolist()


def test_the_order_of_the_sample_does_not_matter():
    sample = scores(200)
    assert learn_thresholds(sample) == learn_thresholds(sample[::-1])


def test_documents_without_a_feature_are_left_out():
    sample = scores(200)
    with_gaps = np.concatenate([sample, np.full((77, 1, 64), np.nan)])
    assert learn_thresholds(with_gaps) == learn_thresholds(sample)


def test_a_sample_that_is_too_small_in_one_view_gives_none():
    sample = scores(MIN_SAMPLE, views=2)
    assert learn_thresholds(sample) is not None
    sample[0, 1] = np.nan
    assert learn_thresholds(sample) is None
    assert learn_thresholds(np.zeros((0, 1, 64))) is None


def test_thresholds_are_plain_floats():
    thresholds = learn_thresholds(scores(60))
    assert thresholds is not None
    assert {type(value) for row in thresholds for value in row} == {float}
