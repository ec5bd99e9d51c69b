from __future__ import annotations

import pytest

from simhash_udf.sample.findings import Corpus, right_and_wrong_groups
from simhash_udf.sample.show import WIDTH, columns, show_counts, show_groups, show_kinds

TEXT = "九月一日，城里的新图书馆开门了，" * 10


@pytest.fixture
def found() -> Corpus:
    documents = {
        "news/1": {"cluster": "1", "kind": "original", "text": TEXT},
        "blog/2": {"cluster": "1", "kind": "light_edit", "text": TEXT.replace("新图书馆", "旧\n书店", 1)},
        "board/3": {"cluster": "2", "kind": "template", "text": "【公示】"},
    }
    shared = {"group_id": 5, "group_size": 2, "representative_id": "news/1"}
    groups = {
        "news/1": {"doc_id": "news/1", "is_representative": True, "distance": 0, "match": "same_text", **shared},
        "blog/2": {"doc_id": "blog/2", "is_representative": False, "distance": 2, "match": "near", **shared},
    }
    return Corpus(documents, groups)


def test_both_texts_are_shown_side_by_side_from_just_before_they_differ(found: Corpus) -> None:
    title, ids, first, *_ = show_groups(found, right_and_wrong_groups(found)[0])
    assert title == "2 documents; the farthest differs in 2 of 64 bits"
    assert "kept: news/1" in ids
    assert "duplicate: blog/2" in ids
    left, right = first.split(" | ")
    assert "新图书馆" in left
    assert "旧 书店" in right


def test_the_bar_between_two_texts_stays_in_one_column(found: Corpus) -> None:
    lines = [line for line in show_groups(found, right_and_wrong_groups(found)[0]) if "|" in line]
    assert {columns(line.split("|")[0]) for line in lines} == {WIDTH + 5}


def test_each_planted_kind_has_a_line_with_what_was_found(found: Corpus) -> None:
    lines = [" ".join(line.split()) for line in show_kinds(found)]
    assert "light_edit 1 of 1 found two to four small changes" in lines
    assert any(line.startswith("template 0 of 1 wrongly grouped") for line in lines)
    assert lines[-1] == "over all pairs of documents: precision 1.000, recall 1.000"


def test_counts_have_separators_and_the_seconds() -> None:
    counts = {"documents": 12345, "null_texts": 6, "groups": 70, "members": 200, "removed": 130}
    lines = [line.strip() for line in show_counts(counts, 4.25)]
    assert lines[0] == "12,345  documents"
    assert lines[-1] == "4.2  seconds"
