"""The table of characters gives what the steps of normalisation give."""

from __future__ import annotations

import unicodedata

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_udf.kernel import characters
from simhash_udf.kernel.normalize import _character_table, _unify
from simhash_udf.kernel.recipe import Normalization

OPTIONS = [
    Normalization(keep_punctuation=punctuation, fold_digits=digits) for punctuation in (0, 1) for digits in (0, 1)
]
# Letters, marks that join them, Hangul's parts, compatibility forms that become several characters, blanks, emoji.
AWKWARD = " \t　,。！ａＡeıİςÅ\u0301\u0327か\u3099ﾞｶ한ᄒ\u1161\u11a8①½Ǆ㈱℃٣３😀\ufe0f\u200d\U000f0000\ufdfa\x00\uffff𠮷"
texts = st.lists(st.none() | st.text(max_size=12) | st.text(AWKWARD, max_size=12), max_size=5)


@pytest.mark.parametrize("options", OPTIONS)
@settings(deadline=None)  # the first example fills the table
@given(texts)
def test_the_table_and_the_steps_agree(options, values):
    array = pa.array(values, pa.string())
    table = _character_table(options.keep_punctuation, options.fold_digits)
    assert table(array).equals(_unify(array, options))


@pytest.mark.parametrize("options", OPTIONS)
def test_they_agree_on_every_character_between_letters(options):
    points = [point for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    array = pa.array([f"a{chr(point)}b{chr(point)}" for point in points])
    table = _character_table(options.keep_punctuation, options.fold_digits)
    assert table(array).equals(_unify(array, options))


def test_they_agree_on_every_letter_before_every_mark_it_composes_with():
    pairs = [unicodedata.normalize("NFD", chr(point)) for point in range(0x30000) if not 0xD800 <= point < 0xE000]
    array = pa.array([pair for pair in pairs if len(pair) > 1])
    assert _character_table(False, False)(array).equals(_unify(array, Normalization()))


def test_pieces_slices_and_wide_offsets_change_nothing(monkeypatch):
    monkeypatch.setattr(characters, "_PIECE_BYTES", 5)
    array = pa.array(["x", None, "", "一，二", "e\u0301", "😀 ", None, "三"])
    table, options = _character_table(False, False), Normalization()
    for part in (array, array.slice(2), array.slice(1, 4), array.slice(8), array.cast(pa.large_string())):
        assert table(part).equals(_unify(part, options))
