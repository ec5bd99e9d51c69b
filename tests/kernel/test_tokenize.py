"""Tokens of both engines against jieba itself, of `pypi` against the package, and the rules on top of them."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jieba
import pytest
import rjieba
import simhash
from hypothesis import given, settings
from hypothesis import strategies as st
from jieba import finalseg

from simhash_udf.kernel.jieba_dictionary import load_dictionary
from simhash_udf.kernel.jieba_engine import JiebaSegmenter
from simhash_udf.kernel.long_runs import MAX_RUN, _pieces, in_pieces
from simhash_udf.kernel.mixed_words import MIXED_WORDS, MixedWords
from simhash_udf.kernel.ngrams import build_ngrams
from simhash_udf.kernel.recipe import DictEntry, Normalization, Recipe, View
from simhash_udf.kernel.rjieba_engine import RjiebaSegmenter
from simhash_udf.kernel.segmenter import Segmenter
from simhash_udf.kernel.tokenize import build_tokenizer, reads_raw_text

MODES = ("jieba", "jieba_full", "jieba_search")
ENGINES = ("rjieba", "jieba")

Tokenizer = Callable[[str], list[str]]


def tokenizer(name: str, **settings: object) -> Tokenizer:
    return build_tokenizer(View(name), Recipe(**settings))  # type: ignore[arg-type]


# --- against jieba -----------------------------------------------------------------------------------------------

WORDS = sorted(word for word, _ in load_dictionary().words())
ENTRIES = (
    DictEntry("灵犀指纹库", 1000, "n"),
    DictEntry("b超"),
    DictEntry("node.js"),
    DictEntry("c++", 0),
    DictEntry("a", 100_000),
    DictEntry("中国", 0),
    DictEntry("国人民"),
    DictEntry("杭研", 0),
    DictEntry("鑫鑫", 1),
    DictEntry("中国人民", 5),
    DictEntry("来到北", 10**9),
)
PIECES = [
    *(
        "我来到北京清华大学",
        "他来到了网易杭研大厦",
        "小明硕士毕业于中国科学院计算所",
        "中国人民银行",
        "灵犀指纹库上线",
        "鑫鑫鑫",
    ),
    *("http://a.b/c?d=1", "a-b_c", "v1.2.3", "3.14%", "c++", "C#", "T恤", "b超", "node.js", "AT&T", "x_y", "1.5倍"),
    *("1号店", "4s店", "江南style", "阿Q", "大S", "一丘丘丘国", "子子子子子", "拉給給給給", "哈哈哈哈哈"),
    *("鿫", "䓬", "𠮷野家", "﨎", "々", "〇", "α", "é", "к", "안녕", "😂", "\u0301", "\x00", "·", "，", "。", "://"),
    *(" ", "  ", "\n", "\r\n", "\t", "\u3000", "\x1c", "\x85", "\u2028"),
]
mixtures = st.lists(
    st.sampled_from(PIECES)
    | st.sampled_from(WORDS)
    | st.sampled_from([entry.word for entry in ENTRIES])
    | st.sampled_from("的一是了我不人在有他这abcxyzABC0123456789+#&._%-")
    | st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF)
    | st.tuples(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FD5), st.integers(2, 6)).map(
        lambda pair: pair[0] * pair[1]
    )
    | st.characters(codec="utf-8"),
    max_size=20,
).map("".join)


def in_mode(segmenter: Segmenter, mode: str, text: str) -> list[str]:
    method = {"jieba": segmenter.precise, "jieba_full": segmenter.full, "jieba_search": segmenter.search}[mode]
    return [word for word in method(text) if word != " "]


@pytest.fixture(scope="module")
def plain_jieba(tmp_path_factory: pytest.TempPathFactory) -> jieba.Tokenizer:
    """jieba as it comes, except that its cache file is in a directory of its own."""
    reference = jieba.Tokenizer()
    reference.tmp_dir = str(tmp_path_factory.mktemp("jieba"))
    jieba.setLogLevel("ERROR")
    return reference


@pytest.fixture
def user_jieba(tmp_path: Path) -> Iterator[jieba.Tokenizer]:
    """jieba with `ENTRIES` by its own loader, which also writes words of frequency 0 to a list of the process."""
    reference = jieba.Tokenizer()
    reference.tmp_dir = str(tmp_path)
    jieba.setLogLevel("ERROR")
    lines = [" ".join(str(field) for field in (e.word, e.frequency, e.tag) if field is not None) for e in ENTRIES]
    path = tmp_path / "user.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    before = set(finalseg.Force_Split_Words)
    reference.load_userdict(str(path))
    yield reference
    finalseg.Force_Split_Words.clear()
    finalseg.Force_Split_Words.update(before)


def by_jieba(reference: jieba.Tokenizer, mode: str, text: str) -> list[str]:
    cut = {
        "jieba": reference.cut,
        "jieba_full": lambda text: reference.cut(text, cut_all=True),
        "jieba_search": reference.cut_for_search,
    }[mode]
    return [word for word in cut(text) if word.strip()]


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=600, deadline=None, derandomize=True)
@given(text=mixtures)
def test_rjieba_gives_the_tokens_of_jieba_on_any_text(plain_jieba: jieba.Tokenizer, mode: str, text: str) -> None:
    expected = by_jieba(plain_jieba, mode, text)
    assert in_mode(RJIEBA, mode, text) == expected
    assert in_mode(JIEBA, mode, text) == expected


RJIEBA, JIEBA = RjiebaSegmenter(), JiebaSegmenter()
USER_RJIEBA, USER_JIEBA = RjiebaSegmenter(ENTRIES), JiebaSegmenter(ENTRIES)


@pytest.mark.parametrize("mode", MODES)
def test_both_engines_take_a_user_dictionary_as_jieba_does(user_jieba: jieba.Tokenizer, mode: str) -> None:
    @settings(max_examples=300, deadline=None, derandomize=True)
    @given(mixtures)
    def compare(text: str) -> None:
        expected = by_jieba(user_jieba, mode, text)
        assert in_mode(USER_RJIEBA, mode, text) == expected
        assert in_mode(USER_JIEBA, mode, text) == expected

    compare()


entries = st.builds(
    DictEntry,
    st.sampled_from(WORDS)
    | st.text("中国人民银行大ab1.-+#超", min_size=1, max_size=5)
    | st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)).map("".join),
    st.none() | st.sampled_from([0, 1, 5, 1000, 10**6]),
)


@settings(max_examples=8, deadline=None, derandomize=True)
@given(st.lists(entries, min_size=1, max_size=30).map(tuple), st.data())
def test_both_engines_agree_whatever_the_user_dictionary(user_dict: tuple[DictEntry, ...], data: st.DataObject) -> None:
    native, reference = RjiebaSegmenter(user_dict), JiebaSegmenter(user_dict)
    text = st.lists(st.sampled_from([entry.word for entry in user_dict]) | mixtures, max_size=12).map("".join)
    for _ in range(20):
        sample = data.draw(text)
        for mode in MODES:
            assert in_mode(native, mode, sample) == in_mode(reference, mode, sample)


def test_the_list_of_mixed_words_is_that_of_the_dictionary() -> None:
    dictionary = load_dictionary().FREQ
    in_dictionary = {word for word, frequency in dictionary.items() if frequency}
    assert MixedWords(in_dictionary)._words == MIXED_WORDS
    native = rjieba.Jieba()
    assert [word for word in dictionary if native.has_word(word) != bool(dictionary[word])] == []


def test_of_two_readings_as_likely_as_each_other_jieba_s_is_taken(plain_jieba: jieba.Tokenizer) -> None:
    characters = [character for character in finalseg.emit_P["M"] if "\u4e00" <= character <= "\u9fd5"]
    generator = random.Random(7)
    differs = 0
    for form in ("aaaaa", "aaaab", "abbba", "abbbc", "abbbb", "aaaaaaa") * 60:
        text = "".join(map(dict(zip("abc", generator.sample(characters, 3), strict=True)).get, form))
        assert in_mode(RJIEBA, "jieba", f"在{text}中") == by_jieba(plain_jieba, "jieba", f"在{text}中")
        differs += rjieba.cut(text) != by_jieba(plain_jieba, "jieba", text)
    assert differs  # or else the correction is not needed any more


def test_a_user_dictionary_stays_with_its_own_instance() -> None:
    assert in_mode(USER_RJIEBA, "jieba", "灵犀指纹库上线") == ["灵犀指纹库", "上线"]
    for segmenter in (RJIEBA, JIEBA, RjiebaSegmenter(), JiebaSegmenter()):
        assert in_mode(segmenter, "jieba", "灵犀指纹库上线") == ["灵犀", "指纹", "库", "上线"]
    assert not rjieba.has_word("灵犀指纹库")
    assert "灵犀指纹库" not in jieba.dt.FREQ


@pytest.mark.parametrize("engine", ENGINES)
def test_eight_threads_that_start_at_once_get_the_same_tokens(engine: str) -> None:
    user_dict = (DictEntry(f"线程{engine}"),)

    def cut(number: int) -> list[str]:
        return tokenizer("jieba_full", engine=engine, user_dict=user_dict)(f"线程{engine}数据清洗流程")

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(cut, range(32)))
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize("place", ["missing", "empty"])
def test_jieba_writes_no_cache_file_and_no_log_line(tmp_path: Path, place: str) -> None:
    (tmp_path / "empty").mkdir()
    code = (
        f"import tempfile; tempfile.tempdir = {str(tmp_path / place)!r}\n"
        "from simhash_udf.kernel.tokenize import build_tokenizer\n"
        "from simhash_udf.kernel.recipe import Recipe, View\n"
        "print(build_tokenizer(View(), Recipe(engine='jieba'))('数据清洗流程'))"
    )
    done = subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", code], capture_output=True, check=True)
    assert done.stdout.decode("utf-8").strip() == str(["数据", "清洗", "流程"])
    assert done.stderr == b""
    assert list((tmp_path / "empty").iterdir()) == []


# --- known values ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("name", "text", "tokens"),
    [
        ("jieba", "我想学游泳", "我想学 游泳"),
        ("jieba", "她在喝红茶", "她 在 喝 红茶"),
        ("jieba", "价格123元abc", "价格 123 元 abc"),
        ("jieba", "本店今日新到一批苹果,欢迎选购", "本店 今日 新到 一批 苹果 , 欢迎 选购"),
        ("jieba", "第01集 灯塔", "第 01 集 灯塔"),
        ("jieba", "会议改到周五下午三点", "会议 改 到 周五 下午 三点"),
        ("jieba", "自然语言处理研究院成立", "自然语言 处理 研究院 成立"),
        ("jieba_full", "自然语言处理研究院成立", "自然 自然语言 语言 处理 研究 研究院 成立"),
        ("jieba_search", "自然语言处理研究院成立", "自然 语言 自然语言 处理 研究 研究院 成立"),
        ("jieba", "http://a.b/c?d=1", "http : / / a . b / c ? d = 1"),
        ("jieba_full", "http://a.b/c?d=1", "http :// a . b / c ? d = 1"),
        ("jieba_full", "鿫元素", "鿫 元素"),
        ("jieba", "含䓬化合物清单", "含 䓬 化合物 清单"),
        ("jieba", "𠮷野家", "𠮷 野家"),
        ("jieba", "今天😂很好", "今天 😂 很 好"),
        ("jieba", "数据 清洗 流程 上线", "数据 清洗 流程 上线"),
        ("jieba_full", "第一行\r\n第二行", "第一 第一行 一行 第二 第二行 二行"),
        ("jieba", "甲\u3000乙", "甲 乙"),
        ("jieba_full", "a b  c", "a b c"),
        ("word", "new york city", "new york city"),
        ("char", "数据 abc", "数 据 a b c"),
    ],
)
def test_tokens_of_public_cases(engine: str, name: str, text: str, tokens: str) -> None:
    assert tokenizer(name, engine=engine)(text) == tokens.split(" ")


@pytest.mark.parametrize("name", [*MODES, "word", "char", "jieba+char", "pypi"])
@pytest.mark.parametrize("text", ["", " ", "   ", "\r\n", "\u3000"])
def test_a_blank_text_has_no_feature(name: str, text: str) -> None:
    assert tokenizer(name)(text) == []
    if name != "pypi":
        assert tokenizer(name, ngram=(2, 3))(text) == []


# --- long runs ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("unit", ["鑫", "中国", "a", "鑫a"])
def test_a_million_characters_without_a_break_take_less_than_two_seconds(engine: str, mode: str, unit: str) -> None:
    cut = tokenizer(mode, engine=engine)
    cut("热身")
    text = unit * (1_000_000 // len(unit))
    start = time.process_time()
    tokens = cut(text)
    assert time.process_time() - start < 2
    assert set("".join(tokens)) == set(unit)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["鑫", "ab", "-", " ", "，", "é"]), st.integers(1, 3 * MAX_RUN)), max_size=6))
def test_pieces_are_the_text_and_hold_no_long_run(parts: list[tuple[str, int]]) -> None:
    text = "".join(unit * times for unit, times in parts)
    pieces = _pieces(text)
    assert "".join(pieces) == text
    assert all(len(_pieces(piece)) == 1 for piece in pieces)
    whole: list[str] = []
    in_pieces(lambda piece: whole.append(piece) or [])(text)  # type: ignore[func-returns-value]
    assert set(whole) <= {text, *pieces}


@pytest.mark.parametrize("mode", MODES)
def test_both_engines_cut_long_runs_alike(mode: str) -> None:
    text = "".join(WORDS[7::97]) + " " + "".join(WORDS[3:900:7]) + "x" * 5000 + "鑫" * 3000
    first, second = (tokenizer(mode, engine=engine)(text) for engine in ENGINES)
    assert first == second


def test_a_run_that_is_not_too_long_is_not_cut() -> None:
    assert tokenizer("jieba")("a" * MAX_RUN) == ["a" * MAX_RUN]
    assert tokenizer("jieba")("a" * (MAX_RUN + 1)) == ["a" * MAX_RUN, "a"]
    assert tokenizer("jieba")(" ".join(["a" * MAX_RUN] * 3)) == ["a" * MAX_RUN] * 3


# --- n-grams, words, characters, the PyPI package ----------------------------------------------------------------


@given(st.lists(st.text("ab", min_size=1, max_size=2), max_size=12), st.sets(st.integers(1, 8), min_size=1))
def test_ngrams_are_all_runs_of_their_sizes(tokens: list[str], sizes: set[int]) -> None:
    expected: list[str] = []
    for size in sorted(size for size in sizes if size <= len(tokens)):
        expected += [" ".join(tokens[start : start + size]) for start in range(len(tokens) - size + 1)]
    if tokens and max(sizes) > len(tokens) and len(tokens) not in sizes:
        expected.append(" ".join(tokens))  # one feature of all tokens for the sizes that do not fit
    assert build_ngrams(tokens, tuple(sizes)) == expected


def test_different_tokens_never_make_the_same_ngram() -> None:
    pairs = tokenizer("word", ngram=(2,))
    assert set(pairs("ab c d")).isdisjoint(pairs("a bc d"))


@given(st.text(st.characters(codec="utf-8"), max_size=30), st.integers(1, 6))
def test_character_ngrams_are_the_substrings_of_the_text_without_blanks(text: str, size: int) -> None:
    solid = "".join(text.split())
    expected = [solid[start : start + size] for start in range(max(len(solid) - size + 1, 1))] if solid else []
    assert tokenizer("char", ngram=(size,))(text) == expected


@pytest.mark.parametrize(
    ("name", "ngram", "text", "features"),
    [
        ("char", (5,), "桥", ["桥"]),
        ("char", (2,), "𠮷野家", ["𠮷野", "野家"]),
        ("word", (3,), "你好 世界", ["你好 世界"]),
        ("word", (1, 2), "a b", ["a", "b", "a b"]),
        ("word", (1, 2), "a", ["a"]),
        ("jieba", (2,), "数据清洗流程", ["数据 清洗", "清洗 流程"]),
        ("jieba+char", (1,), "数据清洗", ["数据", "清洗", "数", "据", "清", "洗"]),
        ("jieba+char", (2,), "数据清洗", ["数据 清洗", "数据", "据清", "清洗"]),
    ],
)
def test_features_of_short_texts_and_mixtures(
    name: str, ngram: tuple[int, ...], text: str, features: list[str]
) -> None:
    assert tokenizer(name, ngram=ngram)(text) == features


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("don't stop", ["don", "'", "t", "stop"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("snake_case", ["snake", "_", "case"]),
        ("e\u0301te\u0301 😀!", ["e\u0301te\u0301", "😀", "!"]),
        ("über 3 χ", ["über", "3", "χ"]),
    ],
)
def test_words_of_text_with_punctuation_kept(text: str, words: list[str]) -> None:
    assert tokenizer("word", normalization=Normalization(keep_punctuation=True))(text) == words


@settings(max_examples=500)
@given(st.text(st.sampled_from("Hello WÖRLD_数据，。! 1²é\n𠮷") | st.characters(codec="utf-8"), max_size=30))
def test_pypi_features_are_those_of_the_package(text: str) -> None:
    expected = simhash.Simhash("")._tokenize(text)
    assert tokenizer("pypi")(text) == ([] if expected == [""] else expected)


def test_only_pypi_reads_raw_text() -> None:
    assert reads_raw_text(View("pypi"))
    assert not any(reads_raw_text(View(name)) for name in (*MODES, "word", "char", "jieba+char"))


# --- synonyms, stop words, user dictionary -----------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_synonyms_come_before_stop_words_and_both_before_ngrams(engine: str) -> None:
    features = tokenizer(
        "jieba",
        engine=engine,
        synonyms=(("清洗", "的"), ("流程", "过程")),
        stop_words=frozenset({"的", "上线"}),
        ngram=(2,),
    )
    assert features("数据清洗流程上线了") == ["数据 过程", "过程 了"]


def test_synonyms_are_replaced_once_not_in_a_chain() -> None:
    assert tokenizer("word", synonyms=(("a", "b"), ("b", "c")))("a b") == ["b", "c"]


def test_lists_are_read_in_the_form_of_the_text() -> None:
    folding = Normalization(fold_digits=True)
    features = tokenizer(
        "word", normalization=folding, stop_words=frozenset({"2024", "ＴＨＥ"}), synonyms=(("Wi7", "WLAN"),)
    )
    assert features("0000 the wi0 is") == ["wlan", "is"]


@pytest.mark.parametrize("engine", ENGINES)
def test_dictionary_words_are_found_whatever_their_case(engine: str) -> None:
    cut = tokenizer("jieba", engine=engine, user_dict=(DictEntry("PySpark作业", 100),))
    assert cut("提交pyspark作业") == ["提交", "pyspark作业"]


def test_short_tokens_are_dropped_except_single_characters_asked_for() -> None:
    assert tokenizer("jieba", min_token_length=2)("她在喝红茶") == ["红茶"]
    assert tokenizer("jieba+char", min_token_length=2)("喝红茶") == ["红茶", "喝", "红", "茶"]
