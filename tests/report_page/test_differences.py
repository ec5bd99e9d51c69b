"""Marks of differing words, against the words themselves."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_udf.kernel.recipe import Normalization
from simhash_udf.report_page.differences import (
    LEFT_OUT,
    MOST_SHOWN,
    ONLY,
    SAME,
    Piece,
    first_part,
    mark_differences,
    split_words,
)

PLAIN = Normalization()
TEXTS = st.text(st.sampled_from("图书馆今天 \n\t\u3000，。abcXYZ019<&'\"-_.😀é\u0301𠮷\x00"), max_size=60)


def kinds(pieces: list[Piece]) -> list[tuple[str, str]]:
    return [(piece.kind, piece.text) for piece in pieces]


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_the_parts_of_a_text_are_the_text(text: str) -> None:
    words = split_words(text, PLAIN)
    assert "".join(words.raw) == text
    assert len(words.forms) == len(words.places)


@settings(max_examples=300, deadline=None)
@given(TEXTS, TEXTS)
def test_short_texts_are_whole_and_what_is_not_marked_is_alike(one: str, other: str) -> None:
    pieces = mark_differences(one, other, PLAIN)
    for text, side in zip((one, other), pieces, strict=True):
        assert [piece for piece in side if piece.kind == LEFT_OUT] == []
        assert "".join(piece.text for piece in side) == text
    alike = [[form for p in side if p.kind == SAME for form in split_words(p.text, PLAIN).forms] for side in pieces]
    assert "".join(alike[0]) == "".join(alike[1])


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_equal_words_are_never_marked(text: str) -> None:
    for side in mark_differences(text, text.upper().replace("，", ","), PLAIN):
        assert Counter(piece.kind for piece in side)[ONLY] == 0 or text.upper().lower() != text.lower()


def test_words_that_differ_are_marked_with_what_is_between_them() -> None:
    one, other = mark_differences("第一天来了三千多名读者，很热闹。", "第一天来了五千多名读者,很热闹!", PLAIN)
    assert "三" in "".join(text for kind, text in kinds(one) if kind == ONLY)
    assert "五" in "".join(text for kind, text in kinds(other) if kind == ONLY)
    assert "热闹" not in "".join(text for kind, text in kinds(other) if kind == ONLY)
    left, _ = mark_differences("keep old words here", "keep here", PLAIN)
    assert kinds(left) == [(SAME, "keep "), (ONLY, "old words"), (SAME, " here")]


def test_a_difference_deep_in_a_long_text_is_shown() -> None:
    alike = "same words again and again. " * 2_000
    one, other = mark_differences(f"{alike} left {alike}", f"{alike} right {alike}", PLAIN)
    assert (ONLY, "left") in kinds(one)
    assert (ONLY, "right") in kinds(other)
    assert sum(len(text) for kind, text in kinds(one) if kind != LEFT_OUT) < 200
    assert sum(int(text) if kind == LEFT_OUT else len(text) for kind, text in kinds(one)) == len(alike) * 2 + 6


def test_no_more_is_shown_than_allowed_and_the_rest_is_counted() -> None:
    one = "".join(f"{number} " for number in range(3_000))
    sides = mark_differences(one, one[::-1], PLAIN)
    for pieces in (*sides, first_part(one)):
        assert sum(len(piece.text) for piece in pieces if piece.kind != LEFT_OUT) <= MOST_SHOWN
        assert sum(int(piece.text) if piece.kind == LEFT_OUT else len(piece.text) for piece in pieces) == len(one)
