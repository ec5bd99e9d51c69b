"""Runs of unknown words whose readings tie are cut by jieba's model, and nothing else is touched."""

from __future__ import annotations

import pytest

from simhash_udf.kernel import ties
from simhash_udf.kernel.ties import may_tie, settle_ties


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", False),
        ("鑫鑫", False),
        ("鑫鑫鑫", True),
        ("a鑫鑫鑫b", True),
        ("哈哈 哈", False),
        ("aaa", False),
        ("aa鑫鑫鑫", True),
    ],
)
def test_only_a_han_character_three_times_in_a_row_may_tie(text, expected):
    assert may_tie(text) is expected


@pytest.fixture
def cut(monkeypatch):
    """The runs that the model was asked for; it answers with the run in brackets."""
    asked = []

    def answer(run):
        asked.append(run)
        return [f"[{run}]"]

    monkeypatch.setattr(ties, "cut_unknown", answer)
    return asked


def no_word(_):
    return False


@pytest.mark.parametrize(
    ("route", "words", "expected"),
    [
        ("甲 甲 甲 甲 甲", "甲甲 甲甲甲", ["[甲甲甲甲甲]"]),
        ("甲 甲 甲 乙 丙", "甲甲 甲乙丙", ["[甲甲甲乙丙]"]),
        ("甲 甲 乙 丙 丁", "甲甲 乙丙丁", ["甲甲", "乙丙丁"]),  # one repetition
        ("甲 甲 甲 甲", "甲甲 甲甲", ["甲甲", "甲甲"]),  # four characters
        ("ab 甲 甲 甲 乙 丙 世界 丁", "ab 甲甲 甲乙丙 世界 丁", ["ab", "[甲甲甲乙丙]", "世界", "丁"]),
        ("世界 甲 甲 甲 甲 甲", "世界 甲 甲甲 甲甲", ["世界", "[甲甲甲甲甲]"]),
        ("甲 甲 甲 甲 甲 a 乙 乙 乙 乙 乙", "甲甲甲 甲甲 a 乙 乙乙乙乙", ["[甲甲甲甲甲]", "a", "[乙乙乙乙乙]"]),
        ("甲 甲 a 甲 甲 甲", "甲甲 a 甲甲甲", ["甲甲", "a", "甲甲甲"]),  # two runs, both short
    ],
)
def test_runs_that_can_tie_are_cut_by_the_model_and_all_else_stays(cut, route, words, expected):
    assert settle_ties(words.split(), route.split(), no_word) == expected
    assert cut == [word[1:-1] for word in expected if word.startswith("[")]


def test_a_run_that_the_dictionary_has_is_a_word(cut):
    assert settle_ties(["甲甲甲甲甲"], ["甲"] * 5, lambda run: run == "甲甲甲甲甲") == ["甲甲甲甲甲"]
    assert cut == []
