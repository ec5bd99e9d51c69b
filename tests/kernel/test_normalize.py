"""Normalisation against Python's own Unicode tables, and what it must do with the odd corners of real text."""

from __future__ import annotations

import re
import sys
import unicodedata
from itertools import product

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_udf.errors import InputError, SettingError
from simhash_udf.kernel import normalize as module
from simhash_udf.kernel import simplified
from simhash_udf.kernel.normalize import normalize, normalize_words
from simhash_udf.kernel.recipe import Normalization

PLAIN = Normalization()
KEPT = Normalization(keep_punctuation=True)


def one(text: str, options: Normalization = PLAIN) -> str:
    (result,) = normalize(pa.array([text]), options).to_pylist()
    return result


def by_python(text: str) -> str:
    """The definition, character by character with the standard library."""
    once = unicodedata.normalize("NFKC", text)
    folded = unicodedata.normalize("NFKC", "".join(character.lower() for character in once))
    kinds = "".join(unicodedata.category(character)[0] for character in folded)
    words = [folded[run.start() : run.end()] for run in re.finditer("[LN][LNM]*", kinds)]
    return " ".join(words)


def _agrees(character: str) -> bool:
    """Whether this Python and pyarrow have the same version of Unicode for a character, and one lower-case letter."""
    return unicodedata.category(character) not in ("Cn", "Co") and character != "İ"


CHARACTERS = [chr(point) for point in range(0x30000) if not 0xD800 <= point < 0xE000]
KNOWN = [character for character in CHARACTERS if _agrees(character)]
texts = st.text(
    st.sampled_from(KNOWN) | st.sampled_from("aＡé的，。 \t\n\u3000①½ǅﬁΣ한ᄀ\u1161\u0301\u0345\ufe0f😀\x00"),
    max_size=30,
)


def test_every_character_becomes_what_the_definition_says() -> None:
    array = pa.array([f"x{character}y" for character in KNOWN])
    expected = [by_python(text) for text in array.to_pylist()]
    wrong = [
        (text, result, wanted)
        for text, result, wanted in zip(array.to_pylist(), normalize(array, PLAIN).to_pylist(), expected, strict=True)
        if result != wanted and not _newer_in_arrow(text[1])
    ]
    assert not wrong


def _newer_in_arrow(character: str) -> bool:
    """Characters whose lower case or composition a later Unicode than this Python's has added."""
    lower = pc.utf8_lower(pc.utf8_normalize(pa.array([character]), "NFKC")).to_pylist()[0]
    return lower != "".join(each.lower() for each in unicodedata.normalize("NFKC", character))


@settings(max_examples=400, deadline=None)
@given(texts)
def test_texts_become_what_the_definition_says(text: str) -> None:
    if not any(map(_newer_in_arrow, text)):
        assert one(text) == by_python(text)


@pytest.mark.parametrize(
    "options",
    [
        Normalization(keep_punctuation=kept, fold_digits=digits, strip_html=removed, strip_urls=removed)
        for kept, digits, removed in product((False, True), repeat=3)
        if not (kept and removed)
    ],
)
@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(max_size=40), max_size=5))
def test_normalising_again_changes_nothing(options: Normalization, values: list[str]) -> None:
    once = normalize(pa.array(values, pa.string()), options)
    assert normalize(once, options).equals(once)


def test_every_character_alone_and_doubled_is_a_fixed_point() -> None:
    for options in (PLAIN, KEPT):
        once = normalize(pa.array([character * 2 for character in CHARACTERS]), options)
        assert normalize(once, options).equals(once)


def test_texts_that_look_the_same_are_the_same() -> None:
    array = pa.array(CHARACTERS)
    apart = pc.utf8_normalize(array, "NFD")
    assert normalize(apart, PLAIN).equals(normalize(array, PLAIN))


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("价格１２３元ＡＢＣ", "价格123元abc"),
        ("Python程序", "python程序"),
        ("第一行\r\n第二行\n\n第三行", "第一行 第二行 第三行"),
        ("甲\u3000乙", "甲 乙"),
        ("，。！", ""),
        ("😀😀", ""),
        ("今天❤️很好", "今天 很好"),  # the variation selector goes with its heart
        ("J\u030c", "ǰ"),  # no capital of its own, but a small letter
        ("İ", "i"),
        ("ﷺ", "صلى الله عليه وسلم"),
        ("a\x00b", "a b"),
        ("\u0301a", "a"),
        ("हिन्दी", "हिन्दी"),
        ("含䓬化合物 𠮷野家", "含䓬化合物 𠮷野家"),
        ("snake_case", "snake case"),
    ],
)
def test_odd_corners(text: str, normal: str) -> None:
    assert one(text) == normal


@pytest.mark.parametrize(
    ("options", "text", "normal"),
    [
        (KEPT, " ，你 \u3000\n 好！ ", ",你 好!"),
        (KEPT, "a\x00b\x1cc\x85d", "a\x00b c d"),
        (Normalization(fold_digits=True), "2024年 ٣个 ①", "0000年 0个 0"),
        (Normalization(strip_html=True), "<p>数<b>据</b></p><br/>清洗", "数据 清洗"),
        (Normalization(strip_html=True), "<SCRIPT type='x'>var a = '<b>';</script>正文<!-- 注 -- 释 -->", "正文"),
        (Normalization(strip_html=True), "<style>p {}</style>A&amp;B&nbsp;&#20013;&copy", "a b 中"),
        (Normalization(strip_html=True), "a < b 且 c > d", "a b 且 c d"),
        (KEPT, "&lt;b&gt;", "&lt;b&gt;"),
        (Normalization(strip_html=True, keep_punctuation=True), "&lt;b&gt;", "<b>"),
        (Normalization(strip_urls=True), "见https://a.b/c?d=1#e，谢谢www.x.com。好", "见 谢谢 好"),
        (Normalization(strip_urls=True), "HTTP://A.B（注）ftp://c.d/e", "注"),
        (Normalization(strip_urls=True), "httpd 与 xhttp://a", "httpd 与 xhttp a"),
    ],
)
def test_options(options: Normalization, text: str, normal: str) -> None:
    assert one(text, options) == normal


def test_addresses_in_attributes_and_in_text_both_go() -> None:
    options = Normalization(strip_html=True, strip_urls=True)
    assert one('<a href="https://a.b/c">链接</a>：https://d.e/f', options) == "链接"


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_nulls_chunks_slices_and_wide_strings(kind: pa.DataType) -> None:
    array = pa.array(["Ａ", None, "", "，", "b！"], kind)
    expected = ["a", None, "", "", "b"]
    assert normalize(array, PLAIN).to_pylist() == expected
    assert normalize(array.slice(1, 3), PLAIN).to_pylist() == expected[1:4]
    assert normalize(pa.chunked_array([array, array.slice(4), array.slice(5)]), PLAIN).to_pylist() == [*expected, "b"]
    assert normalize(pa.chunked_array([], kind), PLAIN).to_pylist() == []
    assert normalize(array, PLAIN).type == pa.string()


def test_a_column_of_nothing_but_nulls_has_nothing_but_nulls() -> None:
    result = normalize(pa.nulls(3), PLAIN)
    assert result.to_pylist() == [None] * 3
    assert result.type == pa.string()


def test_long_columns_are_widened_on_the_way_and_come_back_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_NARROW_BYTES", 10)
    result = normalize(pa.array(["ﷺ" * 20, None]), PLAIN)
    assert result.type == pa.string()
    assert result.to_pylist() == [one("ﷺ" * 20), None]


@pytest.mark.parametrize("array", [pa.array([1]), pa.array([b"a"]), pa.array([["a"]])])
def test_anything_but_strings_is_refused_by_its_type(array: pa.Array) -> None:
    with pytest.raises(InputError, match=re.escape(str(array.type))):
        normalize(array, PLAIN)


def test_single_words_keep_their_punctuation_and_follow_the_options() -> None:
    assert normalize_words(["Ｃ＋＋", "Node.JS"], PLAIN) == ["c++", "node.js"]
    assert normalize_words(["3D打印"], Normalization(fold_digits=True)) == ["0d打印"]
    assert normalize_words([], PLAIN) == []


def test_traditional_characters_become_simplified_by_phrases() -> None:
    options = Normalization(to_simplified=True)
    assert one("資料庫，乾坤與乾燥；瞭解ＡＢＣ", options) == "资料库 乾坤与干燥 了解abc"
    long = "資料" * 10_000
    assert one(long, options) == "资料" * 10_000


def test_without_the_package_the_option_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opencc", None)
    simplified.simplifier.cache_clear()
    with pytest.raises(SettingError, match=r"pip install simhash-dedup\[t2s\]"):
        one("資料", Normalization(to_simplified=True))
