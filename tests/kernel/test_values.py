"""SimHash values without Spark: the published cases, weights, sizes and hashes."""

from __future__ import annotations

import hashlib
import itertools
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_udf.errors import SettingError
from simhash_udf.kernel.values import distance, simhash_value

SENTENCE = "我 很 想要 打游戏 游戏 但是 女朋友 朋友 会生 生气"


def test_the_worked_example_of_ten_words():
    assert simhash_value(SENTENCE.split()) == 1459185014329402212


def test_very_angry_instead_of_will_be_angry_is_at_distance_9():
    angrier = SENTENCE.replace("会生 生气", "友非 非常 常生 生气").split()  # full mode of "女朋友非常生气"
    assert distance(simhash_value(SENTENCE.split()), simhash_value(angrier)) == 9


def test_a_weight_of_300_is_a_weight_like_any_other():  # case A01
    features = [("数据", 300), ("去重", 1), ("文本", 2)]
    assert simhash_value(features) == 2972879009857678323
    assert simhash_value(features) == simhash_value([("数据", 255), *features[1:]])
    assert simhash_value(["数据"] * 300 + ["去重"] + ["文本"] * 2) == simhash_value(features)


def test_a_run_of_400_equal_characters():  # case A01
    assert simhash_value("哈" * 400) == 10586652093342147813


def test_a_tie_gives_0():  # case A05
    both = simhash_value(["数据", "去重"])
    assert both == 594485206711280227 == simhash_value(["数据"]) & simhash_value(["去重"])


@pytest.mark.parametrize("order", [*itertools.permutations([("甲", 0.1), ("乙", 0.2), ("丙", 0.3)])])
def test_decimal_weights_are_added_exactly_in_any_order(order):  # case A07
    assert simhash_value(order) == 2478254803966667284 == simhash_value([("甲", 1), ("乙", 2), ("丙", 3)])


def test_the_order_of_words_does_not_matter():  # case A07
    assert simhash_value(["红色", "蓝色", "绿色"]) == simhash_value(["绿色", "红色", "蓝色"]) == 5469239815296243954


def test_a_negative_weight_is_refused():  # case A09
    assert simhash_value({"数据": 0.3, "去重": 0.3, "文本": 0.3}) == 3267249060901827323
    with pytest.raises(SettingError, match="'数据' is negative"):
        simhash_value({"数据": -0.3, "去重": -0.3, "文本": -0.3})


def test_a_text_shorter_than_the_window_is_one_run():  # case C02
    assert simhash_value("桥") == 4361693067320501737
    assert simhash_value("船") == 2554677479210175072


def test_a_long_run_of_zeros_with_one_1_has_the_value_of_zeros():  # case C05
    assert simhash_value("0" * 98 + "1" + "0" * 19) == simhash_value("0" * 117) == 3723396951172267419


def test_no_feature_and_no_letter_are_the_two_constants_of_the_package():  # case C01
    assert simhash_value([]) == 0
    assert {simhash_value(text) for text in ("", "   ", "！！！", "😀😀😀")} == {16825458760271544958}


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [(-(2**63), 0, 1), (-1, 0, 64), (-1, 2**63 - 1, 1), (-1621285313438006658, 7602086723416769151, 2), (5, -6, 64)],
)
def test_the_distance_of_signed_values(a, b, expected):  # case A03
    assert distance(a, b) == expected == distance(a % 2**64, b % 2**64) == distance(b, a % 2**64)


def test_the_distance_of_values_that_are_too_wide_is_refused():
    assert distance(2**127, 0, f=128) == 1
    with pytest.raises(SettingError, match="f=64"):
        distance(2**64, 0)


def test_weights_beyond_64_bits_stay_exact():
    huge = 10**30
    assert simhash_value([("数据", huge), ("去重", huge)]) == simhash_value(["数据", "去重"])
    assert simhash_value([("数据", huge + 1), ("去重", huge)]) == simhash_value(["数据"])


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), "heavy"])
def test_a_weight_that_is_no_number_is_refused(weight):
    with pytest.raises(SettingError, match="not a finite number"):
        simhash_value([("数据", weight)])


def test_plain_and_weighted_tokens_do_not_mix():
    with pytest.raises(SettingError, match="mixed"):
        simhash_value(["数据", ("去重", 2)])


def test_numpy_weights_count_like_python_ones():
    assert simhash_value({"甲": np.float64(0.1), "乙": np.int32(2)}) == simhash_value({"甲": 0.1, "乙": 2})


@pytest.mark.parametrize("f", [0, -8, 12, 264])
def test_a_size_that_is_not_whole_bytes_up_to_256_is_refused(f):
    with pytest.raises(SettingError, match="multiple of 8"):
        simhash_value(["数据"], f=f)


@pytest.mark.parametrize(("name", "most"), [("md5", 128), ("sha1", 160), ("xxh64", 64), ("blake2b", 256)])
def test_a_hash_gives_its_last_bits_and_no_more_than_it_has(name, most):
    whole = simhash_value(["数据"], f=most, hash=name)
    assert simhash_value(["数据"], f=32, hash=name) == whole % 2**32
    if most < 256:
        with pytest.raises(SettingError, match=f"this one has {most}"):
            simhash_value(["数据"], f=most + 8, hash=name)


@given(st.lists(st.text(max_size=4)))
def test_a_function_may_return_bytes_or_an_integer(features):
    def as_integer(feature: bytes) -> int:
        return int.from_bytes(hashlib.sha256(feature).digest(), "big")

    as_bytes = simhash_value(features, f=256, hash=lambda feature: hashlib.sha256(feature).digest())
    assert simhash_value(features, f=256, hash=as_integer) == as_bytes


def test_an_unknown_hash_is_named_with_the_known_ones():
    with pytest.raises(SettingError, match="'crc' is unknown; use one of md5, sha1, blake2b, xxh64"):
        simhash_value(["数据"], hash="crc")


def test_a_missing_optional_package_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "xxhash", None)
    with pytest.raises(SettingError, match="pip install xxhash"):
        simhash_value(["数据"], hash="xxh64")
