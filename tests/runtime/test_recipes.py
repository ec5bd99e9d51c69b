"""From settings and the files they name to a recipe."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from simhash_udf.config import TextSettings, validated
from simhash_udf.errors import SettingError
from simhash_udf.kernel.recipe import View
from simhash_udf.runtime.recipes import make_recipe, make_views


def test_a_repeated_view_takes_other_bits() -> None:
    assert make_views(("jieba", "char", "jieba")) == (View("jieba", 0), View("char", 0), View("jieba", 1))


def test_the_content_of_every_file_is_in_the_digest(tmp_path: Path) -> None:
    digests = set()
    for option in ("user_dict", "stop_words", "synonyms"):
        for content in ("灵犀\n", "灵犀指纹\n"):
            place = tmp_path / option
            place.write_text(content if option != "synonyms" else f"{content.strip()}, 指纹\n", encoding="utf-8")
            digests.add(make_recipe(validated(TextSettings, {option: str(place)})).digest())
    assert len(digests) == 6


def test_a_word_that_loses_its_punctuation_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    place = tmp_path / "words.txt"
    place.write_text("灵犀指纹库 10 n\nc++ 10 n\n", encoding="utf-8")
    logger = logging.getLogger("simhash_udf")
    logger.addHandler(caplog.handler)
    try:
        with caplog.at_level(logging.INFO, logger="simhash_udf"):
            recipe = make_recipe(validated(TextSettings, {"user_dict": str(place)}))
    finally:
        logger.removeHandler(caplog.handler)
    assert len(recipe.user_dict) == 2
    assert "has 1 entries that can match" in caplog.text
    assert "1 entries match no text, as punctuation is taken out: c++" in caplog.text


@pytest.mark.parametrize("option", ["user_dict", "stop_words", "synonyms"])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, option: str) -> None:
    with pytest.raises(SettingError, match=f"{option}=.* cannot be read as UTF-8 text"):
        make_recipe(validated(TextSettings, {option: str(tmp_path / "missing.txt")}))
    (tmp_path / "gbk.txt").write_bytes("灵犀 10 n".encode("gbk"))
    with pytest.raises(SettingError, match=f"{option}=.* cannot be read as UTF-8 text"):
        make_recipe(validated(TextSettings, {option: str(tmp_path / "gbk.txt")}))


def test_malformed_lines_are_named_with_their_numbers(tmp_path: Path) -> None:
    place = tmp_path / "words.txt"
    place.write_text("灵犀 10 n\n灵犀 指纹库 10 n\n灵犀 1.5 n\n", encoding="utf-8")
    with pytest.raises(SettingError, match=r"words.txt has malformed lines: line 2: .*line 3: "):
        make_recipe(validated(TextSettings, {"user_dict": str(place)}))
