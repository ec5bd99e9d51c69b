"""Edits of documents: how much they change, and that larger ones contain smaller ones."""

from __future__ import annotations

import difflib
import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_udf.evaluation.edits import EDITS, SHARES, Editor
from simhash_udf.sample import generate_documents

TEXTS = [document.text for document in generate_documents(60, seed=7) if document.text and len(document.text) > 200]
text = st.text(alphabet="甲乙丙ab c。.\n!", min_size=1, max_size=60)


@given(st.lists(text, min_size=2, max_size=4), st.sampled_from(EDITS))
def test_nothing_is_edited_at_0_per_cent(texts: list[str], edit: str) -> None:
    assert Editor(texts, seed=1).edit(0, edit, 0.0) == texts[0]


@given(st.lists(text, min_size=2, max_size=4), st.floats(0.01, 1.0))
def test_an_edit_touches_its_share_of_the_characters(texts: list[str], share: float) -> None:
    editor, length = Editor(texts, seed=3), len(texts[0])
    touched = max(round(share * length), 1)
    assert len(editor.edit(0, "delete", share)) == length - touched
    assert len(editor.edit(0, "insert", share)) == length + touched
    assert len(editor.edit(0, "replace", share)) == length
    assert Counter(editor.edit(0, "reorder", share)) == Counter(texts[0])


@pytest.mark.parametrize("number", range(0, len(TEXTS), 5))
def test_a_larger_share_deletes_what_a_smaller_one_does_and_more(number: int) -> None:
    editor = Editor(TEXTS, seed=5)
    left = [editor.edit(number, "delete", share) for share in SHARES]
    for larger, smaller in itertools.pairwise(left):
        rest = iter(larger)
        assert all(character in rest for character in smaller)  # in order, so a part of what was left before


@pytest.mark.parametrize("number", range(0, len(TEXTS), 5))
def test_what_is_inserted_is_of_another_document(number: int) -> None:
    edited = Editor(TEXTS, seed=5).edit(number, "insert", 0.3)
    blocks = difflib.SequenceMatcher(None, TEXTS[number], edited, autojunk=False).get_matching_blocks()
    assert sum(block.size for block in blocks) >= len(TEXTS[number]) * 0.98  # the document is still there, in order


def test_reordering_moves_something_in_a_text_of_several_sentences() -> None:
    editor = Editor(TEXTS, seed=5)
    moved = [editor.edit(number, "reorder", 0.1) != TEXTS[number] for number in range(len(TEXTS))]
    assert sum(moved) > 0.9 * len(moved)


def test_equal_seeds_give_equal_edits_and_others_others() -> None:
    edited = [Editor(TEXTS, seed=seed).edit(0, "replace", 0.1) for seed in (1, 1, 2)]
    assert edited[0] == edited[1] != edited[2]
