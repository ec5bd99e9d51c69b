"""The page of a run as text: what it says, what it leaves out, and how large it can be."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from simhash_udf.kernel.recipe import Normalization
from simhash_udf.report_page.page import NO_TEXT_ASKED, render_report
from simhash_udf.report_page.samples import MOST_CHARS, MOST_GROUPS, Group, Member, choose_samples
from tests.report_page import made


class Reader(HTMLParser):
    """The names of all attributes on a page."""

    def __init__(self) -> None:
        super().__init__()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes |= {name for name, _ in attrs}


def test_every_document_is_accounted_for() -> None:
    html = made.page()
    told = re.findall(r'<th scope="row"><svg class="swatch".*?</svg>(.*?)<small.*?<td>([\d,]+)</td>', html, re.S)
    assert dict(told) == {
        "Kept": "780",
        "Removed: same text": "80",
        "Removed: same fingerprint": "10",
        "Removed: near": "120",
        "Set aside: repeated id": "4",
        "Set aside: no text": "6",
    }
    assert sum(int(count.replace(",", "")) for _, count in told) == made.report()["counts"]["documents"]


def test_what_a_person_should_look_at_stands_on_top() -> None:
    over = [{"source": "mirror", "documents": 100, "removed": 99, "share": 0.99}]
    settings = made.report()["settings"] | {"fail_if_removed_over": 0.95}
    html = made.page(sources_over_limit=over, settings=settings)
    assert html.index("Look at this first") < html.index("What was removed, and why")
    for warning in (
        "3 groups are stretched",
        "groups of more than 50 documents",
        "95.0% was removed of mirror (99.0%)",
    ):
        assert warning in html
    calm = made.page(chains={"beyond": 6, "groups": 0, "largest": []}, large_groups=[])
    assert "Look at this first" not in calm


def test_nothing_is_fetched_and_no_text_is_markup() -> None:
    html = made.page()
    reader = Reader()
    reader.feed(html)
    assert not re.findall(r"https?://|url\(|@import", html)
    assert not {name for name in reader.attributes if name in {"src", "href", "style"} or name.startswith("on")}
    assert html.count("<script>") == 1
    assert "default-src &#39;none&#39;" in html
    assert "&lt;script&gt;document.title" in html


def test_a_page_without_texts_has_none() -> None:
    without = [
        replace(group, members=tuple(replace(member, text=None) for member in group.members)) for group in made.groups()
    ]
    html = render_report(made.report(), without, Normalization(), why_no_texts=NO_TEXT_ASKED)
    assert NO_TEXT_ASKED in html
    assert "图书馆" not in html
    assert "doc-1b" in html


def test_a_member_of_another_run_says_why_its_text_is_missing() -> None:
    first = made.groups()[0]
    kept, other = first.members
    html = render_report(made.report(), [replace(first, members=(kept, replace(other, text=None)))], Normalization())
    assert "The input has no such document" in html
    assert "三千多名读者" in html


def test_a_run_of_a_store_says_what_is_new() -> None:
    report = made.report(run={"run_id": "2026-11-30", "version": 3, "created": "", "was_there": False})
    for name in ("plan", "join", "chains", "matches", "removed_by_source", "sources_over_limit"):
        del report[name]
    report["distances"], report["similarities"] = ({"to_representative": {"0": 1}}, {"to_representative": {}})
    report["counts"] = {"documents": 9, "new": 5, "duplicate": 3, "known": 1, "other_text": 0, "admitted": 8}
    report["counts"] |= {"removed": 3, "fingerprinted": 8, "without_fingerprint": 0, "cut": 0}
    html = render_report(report, [], Normalization())
    assert "2026-11-30" in html
    assert "Repeats a document of the store" in html


@pytest.mark.parametrize("samples", [0, 20])
def test_the_size_is_bounded_whatever_the_documents_are(samples: int) -> None:
    long = "<&\"'" * 100_000
    member = Member(long, "near", 9, 0.5, 10**9, long[:MOST_CHARS], len(long), long)
    groups = [
        Group(number, 10**9, long, 9, 0.5, {"near": 10**9, "same_fingerprint": 0, "same_text": 0})
        for number in range(2 * MOST_GROUPS)
    ]
    groups = [replace(group, members=(member,) * 4) if group.group_id < samples else group for group in groups]
    source = {"source": long, "documents": 1, "removed": 1, "share": 1.0}
    report = made.report(removed_by_source=[source] * 100)
    report["settings"] |= {"input": [long] * 100, "keep": [long] * 100}
    html = render_report(report, groups, Normalization())
    assert len(html) < 600_000 + 60_000 * samples


def test_samples_are_the_largest_and_the_most_stretched_by_turns() -> None:
    def group(number: int, size: int, distance: int, same_text: int = 0) -> Group:
        matches = {"near": size - 1 - same_text, "same_fingerprint": 0, "same_text": same_text}
        return Group(number, size, str(number), distance, None, matches)

    groups = [group(1, 99, 0, same_text=98), group(2, 50, 3), group(3, 40, 5), group(4, 2, 9)]
    assert choose_samples(groups, 4) == [2, 4, 3, 1]
    assert choose_samples(groups, 2) == [2, 4]
    assert choose_samples(groups, 0) == choose_samples([], 5) == []
