"""The page: whole in itself, readable by machines that read it out, and safe with any text in it."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from simhash_udf.evaluation.evaluated import Evaluated, Recommended
from simhash_udf.evaluation.report import build_files
from simhash_udf.evaluation.scoring import Row

PNG = b"\x89PNG\r\n\x1a\n"
SHARES = ("precision", "recall", "f1")


def scored(k: int, **changes: Any) -> Row:
    row: Row = {"views": "jieba", "weight": "tf", "calibration": "sample", "verify": None, "max_distance": k}
    row |= {"max_total_distance": 8, "status": "evaluated", "accuracy": 0.5}
    for kind in ("groups", "edges"):
        for share in SHARES:
            row |= {f"{kind}_{share}": 0.9, f"{kind}_{share}_low": 0.8, f"{kind}_{share}_high": 0.95}
        row |= {f"{kind}_{name}_pairs": 12345 for name in ("right", "found", "true")}
    return row | changes


def tried(k: int) -> Row:
    row: Row = {"views": "jieba", "weight": "tf", "calibration": "sample", "verify": None, "max_distance": k}
    row |= {"status": "evaluated", "recall": 0.5, "recall_low": 0.4, "recall_high": 0.6, "found_pairs": 10}
    return row | {
        "false_pairs_seen": 0.0,
        "false_pairs": 1e-3,
        "false_pairs_per_1000": 1e-5,
        "estimated_precision": 1.0,
    }


def outcome(rows: list[Row], edits: list[Row] | None = None) -> Evaluated:
    recommended = [
        Recommended(0, "Take <b>this</b>.", "--max-distance 0 --user-dict 'a&b'"),
        Recommended(None, "No.", ""),
    ]
    return Evaluated(rows, edits or [], {"label_rows": 3}, recommended, 0.99)


def edits_of(k: int) -> list[Row]:
    setting: Row = {"views": "jieba", "weight": "tf", "calibration": "sample", "verify": None, "max_distance": k}
    return [
        {**setting, "edit": edit, "share": share, "recall": 0.5, "recall_low": 0.4, "recall_high": 0.6}
        for edit in ("delete", "insert", "replace", "reorder", "all")
        for share in (0.01, 0.1)
    ]


class Reader(HTMLParser):
    """Elements in order, with the element each is in, and the text of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in {"meta", "img"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


PAGES = {
    "labels": outcome([scored(0), scored(1), scored(2, status="left out: too many")]),
    "pairs": outcome([scored(0, accuracy=None)]),
    "edits": outcome([tried(0), tried(1)], [*edits_of(0), *edits_of(1)]),
}


@pytest.fixture(params=PAGES)
def page(request: pytest.FixtureRequest) -> tuple[str, Reader]:
    html = build_files(PAGES[request.param])["evaluation.html"].decode("utf-8")
    reader = Reader()
    reader.feed(html)
    return html, reader


def test_the_page_can_be_read_out(page: tuple[str, Reader]) -> None:
    _, reader = page
    tags = [tag for tag, _ in reader.elements]
    assert reader.open == []
    assert reader.elements[0] == ("html", {"lang": "en"})
    assert (tags.count("h1"), tags.count("title"), tags.count("main")) == (1, 1, 1)
    assert tags.index("h1") < tags.index("h2")
    assert tags.count("caption") == tags.count("table") > 1
    assert all(attributes.get("scope") in {"col", "row"} for tag, attributes in reader.elements if tag == "th")
    assert all(attributes.get("alt") for tag, attributes in reader.elements if tag == "img")


def test_the_page_needs_nothing_from_elsewhere(page: tuple[str, Reader]) -> None:
    html, reader = page
    assert not re.findall(r"https?://|url\(|@import", html)
    sources = [
        value for _, attributes in reader.elements for name, value in attributes.items() if name in {"src", "href"}
    ]
    (picture,) = sources
    assert base64.b64decode(str(picture).removeprefix("data:image/png;base64,")).startswith(PNG)
    assert "script" not in {tag for tag, _ in reader.elements}


def test_text_is_shown_and_never_taken_for_markup(page: tuple[str, Reader]) -> None:
    _, reader = page
    assert "Take <b>this</b>." in reader.text
    assert "--max-distance 0 --user-dict 'a&b'" in reader.text
    assert "b" not in {tag for tag, _ in reader.elements}


def test_figures_stand_with_their_intervals_and_the_recommended_row_is_marked() -> None:
    html = build_files(PAGES["labels"])["evaluation.html"].decode("utf-8")
    assert "0.900 <small>[0.800, 0.950]</small>" in html
    assert "12,345" in html
    assert html.count(' chosen"') == 3  # groups, edges, documents
    assert "left out: too many" in html
    assert "Groups, by document" not in build_files(PAGES["pairs"])["evaluation.html"].decode("utf-8")


def test_the_best_k_of_each_setting_stands_first() -> None:
    rows = [
        scored(k, weight=weight, groups_precision=precision, groups_recall=k / 10)
        for weight, precisions in (("tf", (1.0, 0.995, 0.9)), ("log_tf", (1.0, 1.0, 0.99)), ("binary", (0.9, 0.9, 0.9)))
        for k, precision in enumerate(precisions)
    ]
    html = build_files(outcome(rows))["evaluation.html"].decode("utf-8")
    first = html[html.index("<table>") : html.index("</table>")]
    assert "Best k of each setting that reaches a precision of 0.99" in first
    assert re.findall(r'<th scope="row">(.*?)</th>\s*<td>(.*?)</td>', first) == [
        ("jieba tf sample", "1"),
        ("jieba log_tf sample", "2"),
    ]


def test_the_tables_of_edits_have_a_column_for_each_share() -> None:
    html = build_files(PAGES["edits"])["evaluation.html"].decode("utf-8")
    assert '<th scope="col">1%</th>' in html
    assert '<th scope="col">10%</th>' in html
    assert "edits.csv" in build_files(PAGES["edits"])
