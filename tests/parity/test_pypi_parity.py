"""Values equal those of the PyPI package ``simhash`` 2.1.2 wherever that package has one."""

from __future__ import annotations

import hashlib

import simhash
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_udf.kernel.values import distance, simhash_value

tokens = st.one_of(st.sampled_from(["", "的", "数据", "😀", "𠮷野家", "a" * 40]), st.text(max_size=8)).filter(
    lambda token: token.isprintable()
)
HASHES = {
    "md5": lambda feature: hashlib.md5(feature).digest(),
    "sha1": lambda feature: hashlib.sha1(feature).digest(),
    "blake2b": lambda feature: hashlib.blake2b(feature).digest(),
}


@settings(max_examples=2000)
@given(st.lists(tokens, max_size=12))
def test_lists_of_tokens(features):
    assert simhash_value(features) == simhash.Simhash(features).value


@settings(max_examples=500)
@given(st.lists(tokens, min_size=1, max_size=4), st.integers(1, 400))
def test_lists_with_one_token_many_times(features, times):
    repeated = [*features, *[features[0]] * times]
    assert simhash_value(repeated) == simhash.Simhash(repeated).value


@settings(max_examples=1000)
@given(st.dictionaries(tokens, st.integers(0, 255), max_size=12))
def test_whole_weights_up_to_255(features):
    expected = simhash.Simhash(features).value
    assert simhash_value(features) == expected == simhash_value(list(features.items()))


@settings(max_examples=500)
@given(st.dictionaries(tokens, st.integers(0, 400).map(lambda eighths: eighths / 8), max_size=12))
def test_fractional_weights_that_floats_add_exactly(features):
    assert simhash_value(features) == simhash.Simhash(features).value


@settings(max_examples=1000)
@given(st.text(max_size=60))
def test_texts(text):
    try:
        text.encode()
    except UnicodeEncodeError:
        text = "半个代理"
    assert simhash_value(text) == simhash.Simhash(text).value


@settings(max_examples=500)
@given(st.lists(tokens, max_size=8), st.sampled_from(sorted(HASHES)), st.integers(1, 16))
def test_other_sizes_and_hashes(features, name, size):
    assert (
        simhash_value(features, f=8 * size, hash=name)
        == simhash.Simhash(features, f=8 * size, hashfunc=HASHES[name]).value
    )


@given(st.lists(tokens, max_size=8))
def test_xxh64(features):
    expected = simhash.Simhash(features, hashfunc=xxhash.xxh64_intdigest).value
    assert simhash_value(features, hash="xxh64") == expected


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_distances(a, b):
    assert distance(a, b) == simhash.Simhash(a).distance(simhash.Simhash(b))
