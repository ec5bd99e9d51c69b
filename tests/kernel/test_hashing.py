"""Feature hashes, signs, the vocabulary and text digests."""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_udf.errors import SettingError
from simhash_udf.kernel.hashing import Vocabulary, bit_signs, feature_hashes, pack_bits, text_digests

words = st.lists(st.text(max_size=6))


@given(words)
def test_slice_0_is_the_last_8_bytes_of_md5_read_big_endian(features):
    expected = [int.from_bytes(hashlib.md5(feature.encode()).digest()[-8:], "big") for feature in features]
    assert feature_hashes(features).tolist() == expected


def test_slices_of_the_hash_agree_on_half_of_the_bits():
    features = [f"词{number}" for number in range(4000)]
    signs = [bit_signs(feature_hashes(features, bits)).astype(float) for bits in range(4)]
    for one in range(4):
        for other in range(one):
            correlation = signs[one].T @ signs[other] / len(features)
            assert np.abs(correlation).max() < 0.08  # five standard deviations of 4,000 coin tosses


def test_a_slice_that_does_not_exist_is_refused():
    with pytest.raises(SettingError, match="bits=4 must be 0 to 3"):
        feature_hashes(["词"], 4)


def test_half_of_a_surrogate_pair_does_not_stop_the_hash():
    assert feature_hashes(["\ud83d"]).shape == (1,)


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_packing_the_positive_signs_gives_the_hash_back(values):
    hashes = np.array(values, dtype=np.uint64)
    assert (pack_bits(bit_signs(hashes) > 0) == hashes).all()


def test_the_first_sign_is_the_most_significant_bit():
    assert bit_signs(np.array([1 << 63], dtype=np.uint64))[0].tolist() == [1] + [-1] * 63


@given(st.lists(words, max_size=6), st.integers(0, 10))
def test_a_vocabulary_gives_the_same_signs_whatever_it_saw_before(batches, limit):
    vocabulary = Vocabulary(limit)
    for features in batches:
        vocabulary.trim()
        numbers = np.array(list(vocabulary.numbers(features)), dtype=np.int32)
        assert vocabulary.features(numbers) == features
        for bits in (0, 3):
            assert (vocabulary.signs(numbers, bits) == bit_signs(feature_hashes(features, bits))).all()


def test_a_vocabulary_past_its_limit_starts_again():
    vocabulary = Vocabulary(limit=3)
    assert list(vocabulary.numbers(["一", "二", "三"])) == [0, 1, 2]
    assert not vocabulary.trim()
    assert list(vocabulary.numbers(["四"])) == [3]
    assert vocabulary.trim()
    assert len(vocabulary) == 0


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_equal_texts_have_equal_digests_and_null_has_0(kind):
    digests = text_digests(pa.array(["文本", "文 本", None, "文本"], kind)).tolist()
    assert digests[0] == digests[3] != digests[1]
    assert digests[2] == 0
    assert digests == text_digests(pa.array(["文本", "文 本", None, "文本"])).tolist()
