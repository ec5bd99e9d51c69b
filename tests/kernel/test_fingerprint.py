"""Fingerprints of Arrow batches: published cases, order, pieces, views, degenerate texts."""

from __future__ import annotations

import logging
import random
from dataclasses import fields, replace

import jieba
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_udf.errors import InputError, SettingError
from simhash_udf.kernel import fingerprint as module
from simhash_udf.kernel.calibration import learn_thresholds
from simhash_udf.kernel.fingerprint import Fingerprinter, Fingerprints, fingerprinter
from simhash_udf.kernel.hashing import Vocabulary, bit_signs
from simhash_udf.kernel.recipe import DictEntry, Idf, Normalization, Recipe, View
from simhash_udf.kernel.tokenize import build_tokenizer
from simhash_udf.kernel.values import distance, simhash_value

jieba.setLogLevel(logging.ERROR)

PUNCTUATION = Recipe(normalization=Normalization(keep_punctuation=True))
WORDS = [
    "系统",
    "每天",
    "读取",
    "新增",
    "文本",
    "统计",
    "词频",
    "计算",
    "指纹",
    "写入",
    "分区",
    "比较",
    "记录",
    "差异",
    "文档",
    "连成",
    "一条",
    "分组",
]


def made(texts: list[str | None], recipe: Recipe | None = None) -> Fingerprints:
    return Fingerprinter(recipe or Recipe())(pa.array(texts, pa.string()))


def values(texts: list[str | None], recipe: Recipe | None = None) -> list[int]:
    return made(texts, recipe).values[:, 0].tolist()


def random_texts(count: int, seed: int = 7) -> list[str]:
    chance = random.Random(seed)
    return ["，".join(chance.choices(WORDS, k=chance.randrange(5, 60))) for _ in range(count)]


def calibrated(recipe: Recipe) -> Recipe:
    sample = pa.array(random_texts(120, seed=1))
    return replace(recipe, thresholds=learn_thresholds(Fingerprinter(recipe).scores(sample)))


def assert_equal(one: Fingerprints, other: Fingerprints) -> None:
    for field in fields(Fingerprints):
        a, b = getattr(one, field.name), getattr(other, field.name)
        assert a.dtype == b.dtype
        assert (a == b).all(), field.name


def test_the_worked_example_in_full_mode():
    full = Recipe(views=(View("jieba_full"),))
    before, after = values(["我很想要打游戏但是女朋友会生气", "我很想要打游戏但是女朋友非常生气"], full)
    assert before == 1459185014329402212
    assert distance(before, after) == 9


@pytest.mark.parametrize("engine", ["rjieba", "jieba"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("数据清洗流程", 3121501542761393625),  # C01
        ("我想学游泳", 114894756069836803),  # C03
        ("她在喝红茶", 14699750442884172889),
        ("测试 测试 测试 测试 测试 测试 测试 测试 测试 测试", 9949804533598525420),  # C05
        ("测试 测试 测试 测试 测试 测试 测试", 9949804533598525420),
        ("第01集 灯塔", 298368312262353282),  # C06
        ("第02集 灯塔", 3864093290915782924),
        ("会议改到周五下午三点", 7136358436271363347),
        ("会议改到周四下午三点", 7280473541403285265),
        ("含䓬化合物清单", 3247104170546219970),  # D05
        ("含化合物清单", 3276537272731487195),
        ("Python程序", 6629591810924695825),  # D06
        ("PYTHON程序", 6629591810924695825),
        ("今天😂很好", 10023633188434600198),  # D07
        ("今天", 13496083284493331030),
    ],
)
def test_published_fingerprints(engine, text, expected):
    assert values([text], replace(PUNCTUATION, engine=engine)) == [expected]


PARAGRAPH = (
    "系统每天凌晨从数据湖读取新增文本，先做统一编码和空白清理，再按词典切分成词语，随后统计词频并计算六十四位指纹。"
    "指纹写入分区表以后，调度任务会把同一波段的记录放在一起比较，只有差异位数不超过阈值的文档才会连成一条边。"
    "最后由连通分量算法给出重复分组，每组保留篇幅最长的一篇，其余标记为重复。若当天没有重复，任务也应正常结束，并写出空的分组结果。"
)


def test_a_paragraph_and_two_edits_of_it():  # F09
    edits = [PARAGRAPH, PARAGRAPH.replace("一条边", "任意边"), PARAGRAPH.replace("一条边", "夜间边")]
    assert values(edits) == [9894733966002197149, 9894733966002193053, 9894733966002197149]


@pytest.mark.parametrize("engine", ["rjieba", "jieba"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("本店今日新到一批苹果，欢迎选购", 13493694953108373584),  # C06
        ("本店今日新到一批香蕉，欢迎选购", 12343025523293782296),
        (PARAGRAPH, 1100910851676482268),  # F09
        (PARAGRAPH.replace("一条边", "任意边"), 10324265296345211612),
        (PARAGRAPH.replace("一条边", "夜间边"), 10324282922857177820),
    ],
)
def test_published_values_of_words_with_full_width_punctuation(engine, text, expected):
    assert simhash_value(build_tokenizer(View(), Recipe(engine=engine))(text)) == expected


def test_a_user_dictionary_changes_the_fingerprint():  # E01
    entry = DictEntry("灵犀指纹库", 1000, "n")
    assert values(["灵犀指纹库上线"], replace(PUNCTUATION, user_dict=(entry,))) == [2379484048602713090]
    assert values(["灵犀指纹库上线"], PUNCTUATION) == [6926879287168206400]


@pytest.mark.parametrize("text", ["桥", "船", "哈" * 400, "0" * 98 + "1" + "0" * 19, "一篇文本，其中有 Words 和 123。"])
def test_the_tokenizer_pypi_gives_the_value_of_the_package(text):  # A01, C02, C05
    assert values([text], Recipe(views=(View("pypi"),))) == [simhash_value(text)]


def test_texts_shorter_than_the_ngram_stay_apart():  # C02
    one, other, again = values(["桥", "船", "桥"], Recipe(views=(View("char"),), ngram=(5,)))
    assert one == again != other


def test_fingerprints_as_signed_numbers_keep_every_bit():  # A02
    unsigned = made(random_texts(50)).values
    assert unsigned.dtype == np.uint64
    assert (unsigned.view(np.int64).view(np.uint64) == unsigned).all()
    assert (unsigned >> np.uint64(63)).any()


def test_texts_without_a_feature_have_no_fingerprint():  # C01, B03
    texts = ["", "   ", "\u3000\u3000", "！！！", "😀😀😀", "\n\t", None, "数据清洗流程"]
    result = made(texts)
    assert result.has_value.tolist() == [False] * 7 + [True]
    assert result.values[:7].tolist() == [[0]] * 7
    assert result.feature_count.tolist() == [0] * 7 + [3]
    assert result.text_length.tolist() == [0] * 7 + [6]


def test_digests_tell_texts_without_a_letter_apart():
    empty, blank, wide, exclamation, emoji, null, same = made(
        ["", "  ", "\u3000", "！！！", "😀", None, "!!!"]
    ).text_digest
    assert empty == blank == wide
    assert exclamation == same
    assert len({empty, exclamation, emoji, null}) == 4
    assert null == 0


def test_digests_and_lengths_are_those_of_the_normalised_text():
    result = made(["Ｈｅｌｌｏ，世界！", "hello 世界", "hello世界"])
    assert result.text_length.tolist() == [8, 8, 7]
    assert result.text_digest[0] == result.text_digest[1] != result.text_digest[2]


@pytest.mark.parametrize("kind", [pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_other_arrow_types_of_text(kind):
    texts = ["数据清洗流程", None]
    assert_equal(Fingerprinter(Recipe())(pa.array(texts, pa.string()).cast(kind)), made(texts))
    assert_equal(Fingerprinter(Recipe())(pa.nulls(2)), made([None, None]))


def test_chunks_are_one_batch_and_numbers_are_no_text():
    texts = random_texts(6)
    assert_equal(Fingerprinter(Recipe())(pa.chunked_array([texts[:2], [], texts[2:]], pa.string())), made(texts))
    with pytest.raises(InputError, match="int64"):
        Fingerprinter(Recipe())(pa.array([1]))


@pytest.mark.parametrize("recipe", [Recipe(), Recipe(views=(View(), View("char", 2)), weight="log_tf", top_k=5)])
def test_no_text_at_all(recipe):
    result = made([], recipe)
    assert result.values.shape == (0, len(recipe.views))
    assert Fingerprinter(recipe).scores(pa.array([], pa.string())).shape == (0, len(recipe.views), 64)
    assert [getattr(result, field.name).dtype for field in fields(result)] == [
        np.uint64, np.bool_, np.int32, np.int32, np.int64, np.bool_,
    ]  # fmt: skip


RECIPES = {
    "classic": Recipe(),
    "calibrated": calibrated(Recipe()),
    "views": calibrated(Recipe(views=(View(), View(bits=1), View("char"), View("char", 3)))),
    "log_tf": calibrated(Recipe(weight="log_tf")),
    "tf_idf, top 8": calibrated(
        Recipe(weight="tf_idf", idf=Idf(tuple(WORDS[:9]), tuple(i / 7 for i in range(9)), 2.0), top_k=8)
    ),
    "textrank": calibrated(Recipe(weight="textrank")),
    "n-grams": Recipe(ngram=(1, 2, 3), weight="binary"),
}


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_batches_pieces_and_history_change_nothing(recipe, monkeypatch):
    texts = [*random_texts(40), "", None, "！"]
    expected = made(texts, recipe)
    monkeypatch.setattr(module, "PIECE_BYTES", 300)
    assert_equal(made(texts, recipe), expected)
    used = Fingerprinter(recipe)
    used(pa.array(random_texts(30, seed=99)))
    assert_equal(used(pa.array(texts)), expected)
    order = random.Random(3).sample(range(len(texts)), len(texts))
    assert (used(pa.array([texts[place] for place in order])).values == expected.values[order]).all()


@pytest.mark.parametrize("recipe", [value for key, value in RECIPES.items() if key not in ("textrank", "n-grams")])
def test_the_order_of_words_changes_nothing(recipe):
    plain = replace(recipe, views=tuple(replace(view, tokenizer="word") for view in recipe.views))
    chance = random.Random(5)
    texts = [chance.choices(WORDS, k=30) for _ in range(30)]
    shuffled = [" ".join(chance.sample(words, len(words))) for words in texts]
    assert (made([" ".join(words) for words in texts], plain).values == made(shuffled, plain).values).all()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.sampled_from([*WORDS, "𠮷", "é"]), max_size=9), max_size=5))
def test_classic_fingerprints_are_the_values_of_their_words(texts):
    result = made([" ".join(words) for words in texts], Recipe(views=(View("word"),)))
    assert result.values[:, 0].tolist() == [simhash_value(words) for words in texts]
    assert result.feature_count.tolist() == [len(set(words)) for words in texts]


def test_a_forgetful_vocabulary_changes_nothing(monkeypatch):
    texts = random_texts(40)
    expected = made(texts)
    monkeypatch.setattr(module, "PIECE_BYTES", 200)
    monkeypatch.setattr("simhash_udf.kernel.extraction.Vocabulary", lambda: Vocabulary(limit=3))
    assert_equal(made(texts), expected)


def test_a_word_a_million_times_and_one_word_more():
    text = "数据 " * 1_000_000 + "去重"
    assert values([text]) == [simhash_value({"数据": 1_000_000, "去重": 1})]


def test_a_view_repeated_with_other_bits_is_tokenised_once(monkeypatch):
    built = []
    original = module.Extractor._reader
    monkeypatch.setattr(module.Extractor, "_reader", lambda self, view: built.append(view) or original(self, view))
    result = made(random_texts(10), Recipe(views=(View(), View(bits=1), View("char"), View("char", 1))))
    assert len(built) == 2
    assert len(np.unique(result.values)) == 40
    assert (result.values[:, 1] == made(random_texts(10), Recipe(views=(View(bits=1),))).values[:, 0]).all()


def test_a_further_view_without_a_feature_has_0():
    recipe = Recipe(views=(View("char"), View("word")), min_token_length=4)
    result = made(["数据", "数据清洗流程"], recipe)
    assert result.has_value.tolist() == [True, True]
    assert result.values[0, 1] == 0 != result.values[1, 1]
    assert np.isnan(Fingerprinter(recipe).scores(pa.array(["数据"]))[0, 1]).all()


def test_calibrated_bits_are_set_in_half_of_the_sample():
    recipe = calibrated(Recipe(views=(View(), View(bits=1))))
    sample = random_texts(120, seed=1)
    scores, thresholds = Fingerprinter(recipe).scores(pa.array(sample)), np.array(recipe.thresholds)
    for view in range(2):
        is_set = bit_signs(made(sample, recipe).values[:, view]) > 0
        assert (is_set == (scores[:, view] > thresholds[view])).all()
        assert (is_set.sum(axis=0) <= 60).all()  # a score on the median itself gives 0
        assert is_set.mean() > 0.48


def test_scores_are_sums_over_norms_with_the_highest_bit_first():
    scores = Fingerprinter(Recipe(views=(View("word"),))).scores(pa.array(["数据 数据 去重", ""]))
    bits = [[1 if simhash_value([word]) >> (63 - bit) & 1 else -1 for bit in range(64)] for word in ("数据", "去重")]
    expected = (2 * np.array(bits[0]) + np.array(bits[1])) / np.sqrt(5)
    assert (scores[0, 0] == expected).all()
    assert np.isnan(scores[1]).all()


def test_zero_thresholds_give_the_classic_fingerprint():
    zero = replace(Recipe(), thresholds=((0.0,) * 64,))
    assert_equal(made(random_texts(30), zero), made(random_texts(30)))


def test_too_few_features_give_no_fingerprint():
    result = made(["数据", "数据清洗流程"], Recipe(min_features=3))
    assert result.has_value.tolist() == [False, True]
    assert result.values[0, 0] == 0
    assert result.feature_count.tolist() == [1, 3]
    assert np.isnan(Fingerprinter(Recipe(min_features=3)).scores(pa.array(["数据"]))).all()


def test_a_long_text_is_cut_and_says_so():
    short, long = "数据清洗流程", "数据清洗流程和别的"
    result = made([short, long, None], Recipe(max_chars=6))
    assert result.is_cut.tolist() == [False, True, False]
    assert result.text_length.tolist() == [6, 6, 0]
    assert result.values[0] == result.values[1]
    assert result.text_digest[0] != result.text_digest[1]  # only the same text has the same digest
    assert values(["一二三四五六七八"], Recipe(views=(View("pypi"),), max_chars=5)) == [simhash_value("一二三四五")]


def test_all_weights_0_is_no_feature():
    idf = Idf(("数据", "清洗", "流程"), (0.0, 0.0, 0.0), 1.0)
    result = made(["数据清洗流程", "数据指纹"], Recipe(weight="tf_idf", idf=idf))
    assert result.has_value.tolist() == [False, True]
    assert result.feature_count.tolist() == [0, 1]


def test_the_heaviest_features_alone_make_the_fingerprint():
    text = "指纹 指纹 指纹 文本 文本 系统"
    result = made([text], Recipe(views=(View("word"),), top_k=2))
    assert result.values[0, 0] == simhash_value({"指纹": 3, "文本": 2})
    assert result.feature_count.tolist() == [3]


@pytest.mark.parametrize("options", [{"ngram": (2,)}, {"views": (View("char"),)}, {"synonyms": (("甲", "乙"),)}])
def test_textrank_needs_words_as_they_are(options):
    with pytest.raises(SettingError, match="textrank"):
        Recipe(weight="textrank", **options)


def test_a_process_keeps_few_fingerprinters_one_for_each_recipe():
    recipes = [Recipe(min_features=number) for number in range(1, module.MAX_FINGERPRINTERS + 2)]
    first = [fingerprinter(recipe) for recipe in recipes]
    assert fingerprinter(replace(recipes[-1])) is first[-1]
    assert fingerprinter(recipes[0]) is not first[0]
    assert len(module._kept) == module.MAX_FINGERPRINTERS
