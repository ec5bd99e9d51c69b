from __future__ import annotations

from random import Random

import pytest

from simhash_udf.sample.grammar import Draft, compile_template

WORDS = {
    "city": tuple((name,) for name in ("云溪", "白沙", "长陵", "安川")),
    "school": (compile_template("{city+}大学"),),
}


def draft(seed: int = 0) -> Draft:
    return Draft(Random(seed), WORDS)


def test_a_line_without_slots_is_itself() -> None:
    assert draft().fill(compile_template("今天下雨。")) == "今天下雨。"


def test_a_word_is_the_same_all_through_one_text() -> None:
    for seed in range(20):
        first, second = draft(seed).fill(compile_template("{city} {city}")).split()
        assert first == second


def test_a_fresh_word_is_drawn_again_and_leaves_the_known_one() -> None:
    lines = [draft(seed).fill(compile_template("{city} {city+} {city}")).split() for seed in range(40)]
    assert all(first == third for first, _, third in lines)
    assert any(first != second for first, second, _ in lines)


def test_a_word_may_hold_slots() -> None:
    names = {f"{city[0]}大学" for city in WORDS["city"]}
    assert {draft(seed).fill(compile_template("{school}")) for seed in range(60)} == names


def test_every_alternative_comes_up_and_nothing_else() -> None:
    assert {draft(seed).fill(compile_template("{晴|雨|雪}")) for seed in range(60)} == {"晴", "雨", "雪"}


def test_whole_numbers_cover_their_range() -> None:
    assert {draft(seed).fill(compile_template("{2~5}")) for seed in range(80)} == {"2", "3", "4", "5"}


def test_decimals_have_the_places_of_their_bounds() -> None:
    values = {draft(seed).fill(compile_template("{0.8~1.2}")) for seed in range(80)}
    assert values == {"0.8", "0.9", "1.0", "1.1", "1.2"}


def test_a_malformed_slot_is_refused_with_the_forms_that_exist() -> None:
    with pytest.raises(ValueError, match=r"is no slot; write"):
        compile_template("{一}")
