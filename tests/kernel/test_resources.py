"""Word lists: what is read, and that nothing useless is read in silence."""

from __future__ import annotations

import time
from importlib.resources import files

import pytest

from simhash_udf.errors import SettingError
from simhash_udf.kernel.recipe import DictEntry, Normalization, Recipe, View
from simhash_udf.kernel.resources import (
    builtin_stop_words,
    ineffective_entries,
    parse_stop_words,
    parse_synonyms,
    parse_user_dict,
)
from simhash_udf.kernel.tokenize import build_tokenizer

GOOD = "灵犀指纹库 10 n\n云计算\n\nPySpark作业 5\nＣ＋＋ eng\n人民币 0\n"
GOOD_ENTRIES = (
    DictEntry("灵犀指纹库", 10, "n"),
    DictEntry("云计算"),
    DictEntry("pyspark作业", 5),
    DictEntry("c++", None, "eng"),
    DictEntry("人民币", 0),
)


@pytest.mark.parametrize(
    "text",
    [GOOD, "\ufeff" + GOOD, GOOD.replace("\n", "\r\n"), GOOD.rstrip(), "  " + GOOD.replace("\n", "  \n")],
    ids=["plain", "byte order mark", "CRLF", "no last line end", "blanks around"],
)
def test_a_user_dictionary_is_read_as_jieba_reads_it(text: str) -> None:
    assert parse_user_dict(text, name="words.txt") == GOOD_ENTRIES


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("灵犀指纹库 10 NZ", "'NZ' is neither"),
        ("灵犀指纹库\t10\tn", "tab"),
        ("灵犀指纹库  10", "several blanks"),
        ("灵犀指纹库 1.5 n", "'1.5' is no frequency"),
        ("灵犀指纹库 -1 n", "'-1' is no frequency"),
        ("灵犀 指纹库 10 n", "cannot hold a blank"),
        ("灵犀 指纹库 10", "no blank within"),
        ("灵犀指纹库 10 n x y", "three fields"),
        ("𠮷野家 10", "U+20BB7"),
        ("含䓬化合物", "U+44EC"),
        ("约翰·史密斯", "U+00B7"),
        ("中 0", "single character"),
        ("灵犀指纹库 1000000001", "1000000000"),
    ],
)
def test_a_line_that_would_be_useless_is_refused_with_its_number_and_reason(line: str, reason: str) -> None:
    with pytest.raises(SettingError) as raised:
        parse_user_dict(f"云计算 5\n{line}\n数据 1 n", name="dict/words.txt")
    message = str(raised.value)
    assert message.startswith("dict/words.txt has malformed lines: line 2: ")
    assert reason in message


def test_all_faults_of_a_file_come_in_one_message_and_a_long_list_is_counted() -> None:
    with pytest.raises(SettingError) as raised:
        parse_user_dict("\n".join(["a b c d", "好", "a\tb"]), name="d.txt")
    assert "line 1:" in str(raised.value)
    assert "line 3:" in str(raised.value)
    assert "line 2" not in str(raised.value)
    with pytest.raises(SettingError, match="and 80 more") as raised:
        parse_user_dict("a\tb\n" * 100, name="d.txt")
    assert len(str(raised.value)) < 5_000


def test_a_hundred_thousand_entries_are_read_in_seconds() -> None:
    text = "\n".join(f"{chr(0x4E00 + number // 20_000)}词{number} {number}" for number in range(1, 100_001))
    start = time.process_time()
    assert len(parse_user_dict(text, name="d.txt")) == 100_000
    assert time.process_time() - start < 5


@pytest.mark.parametrize("engine", ["rjieba", "jieba"])
def test_dictionary_lines_change_the_tokens(engine: str) -> None:
    def cut(lines: str, text: str) -> list[str]:
        recipe = Recipe(engine=engine, user_dict=parse_user_dict(lines, name="d.txt"))
        return build_tokenizer(View(), recipe)(text)

    assert cut("灵犀指纹库 1000 n", "灵犀指纹库上线") == ["灵犀指纹库", "上线"]
    assert cut("灵犀指纹库", "灵犀指纹库上线") == ["灵犀指纹库", "上线"]
    assert cut("灵犀指纹库 10 n", "灵犀指纹库上线") == ["灵犀指纹库", "上线"]
    assert cut("灵犀指纹库 0 n", "灵犀指纹库上线") == ["灵犀", "指纹", "库", "上线"]
    assert cut("", "灵犀指纹库上线") == ["灵犀", "指纹", "库", "上线"]


def test_entries_that_normalisation_makes_useless_are_named() -> None:
    entries = parse_user_dict("c++\nnode.js 10\n云计算\n3d打印", name="d.txt")
    assert [entry.word for entry in ineffective_entries(entries, Normalization())] == ["c++", "node.js"]
    assert ineffective_entries(entries, Normalization(keep_punctuation=True)) == ()
    assert ineffective_entries((), Normalization()) == ()


def test_stop_words_are_read_in_the_form_of_the_text() -> None:
    text = "\ufeff# 注释\r\n的\r\n\r\n  ＴＨＥ  \r\n，\r\n的\r\n"
    assert parse_stop_words(text, name="stop.txt") == {"的", "the", ","}
    assert parse_stop_words("", name="stop.txt") == frozenset()


def test_a_stop_word_of_two_words_is_refused() -> None:
    with pytest.raises(SettingError, match=r"stop\.txt .*line 2: 'of course' holds a blank"):
        parse_stop_words("the\nof course\nand", name="stop.txt")


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("电脑, 计算机, 微机", (("计算机", "电脑"), ("微机", "电脑"))),
        ("wifi, ＷＬＡＮ => 无线网络", (("wifi", "无线网络"), ("wlan", "无线网络"))),
        ("甲，乙", (("乙", "甲"),)),
        ("# 注释\n\na, b\nc => a", (("b", "a"), ("c", "a"))),
        ("a, a, b", (("b", "a"),)),
        ("a => b\na => b", (("a", "b"),)),
        ("", ()),
    ],
)
def test_synonyms_in_both_forms(text: str, pairs: tuple[tuple[str, str], ...]) -> None:
    assert parse_synonyms(text, name="synonyms.txt") == pairs


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("x, y\na", 2, "lacks a token"),
        ("a,, b", 1, "lacks a token"),
        ("a =>", 1, "lacks a token"),
        ("=> a", 1, "lacks a token"),
        ("a => b, c", 1, "one replacement"),
        ("a => b => c", 1, "one replacement"),
        ("machine learning => ml", 1, "blank within a token"),
        ("a => b\na => c", 2, "already replaced by 'b'"),
        ("a => b\nb => c", 2, "is replaced itself"),
        ("b => c\na => b", 2, "is replaced itself"),
    ],
)
def test_synonyms_that_cannot_be_meant_are_refused(text: str, line: int, reason: str) -> None:
    with pytest.raises(SettingError, match=rf"synonyms\.txt has malformed lines: line {line}: .*{reason}"):
        parse_synonyms(text, name="synonyms.txt")


def test_builtin_stop_words_are_single_tokens_of_both_languages() -> None:
    words = builtin_stop_words()
    assert {"的", "了", "我们", "因为", "the", "and", "of"} <= words
    assert len(words) > 500
    assert not words & {"数据", "中国", "学习", "data", "people", "time"}
    for engine in ("rjieba", "jieba"):
        cut = build_tokenizer(View(), Recipe(engine=engine))
        assert [word for word in words if cut(word) != [word]] == []


@pytest.mark.parametrize("name", ["stop_words_zh.txt", "stop_words_en.txt"])
def test_builtin_lists_name_each_word_once(name: str) -> None:
    lines = files("simhash_udf.kernel").joinpath(name).read_text("utf-8").splitlines()
    words = [line for line in lines if line and not line.startswith("#")]
    assert len(words) == len(set(words))


def test_stop_words_take_function_words_out_of_a_sentence() -> None:
    cut = build_tokenizer(View(), Recipe(stop_words=builtin_stop_words()))
    assert cut("因为我们的数据已经清洗了 the data of 2024") == ["数据", "清洗", "data", "2024"]
