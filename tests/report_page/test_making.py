"""The page that a run writes, and the same made again: with texts, without, and when the input is gone."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from simhash_udf import InputError
from simhash_udf.report_page import making
from simhash_udf.report_page.making import remake_page

pytestmark = pytest.mark.processes  # two whole scans and a run with a second look

BASE = [f"word{number}" for number in range(60)]
COUNTED = 40


def table() -> pa.Table:
    """Two families of near documents with one page of a stranger, and documents without any."""
    near = [("a1", BASE), ("a2", [*BASE[:-1], "another"]), ("a3", BASE)]
    script = ["<script>alert(1)</script>", *(f"w{number}" for number in range(60))]
    hostile = [("<b>1", script), ("<b>2", [*script, "end"])]
    alone = [(f"z{number}", [f"n{number}x{place}" for place in range(30)]) for number in range(COUNTED)]
    rows = [(name, " ".join(words), name[0]) for name, words in [*near, *hostile, *alone]]
    return pa.table(dict(zip(("id", "text", "site"), map(list, zip(*rows, strict=True)), strict=True)))


@pytest.fixture(scope="module")
def place(dedup: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("page")
    pq.write_table(table(), place / "in.parquet")
    options = {"tokenizer": "word", "calibration": "none", "max_distance": 8, "source_column": "site"}
    dedup(place / "in.parquet", output=str(place / "out"), verify="jaccard:0.5", **options)
    return place


def test_a_run_writes_its_page(place: Path) -> None:
    html = (place / "out" / "report.html").read_text(encoding="utf-8")
    assert '<mark class="member">another</mark>' in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "<script>alert" not in html
    assert "by similarity to the kept one" in html
    assert html.count('<tbody data-kept="') == 2


def test_the_page_is_made_again_as_it_was_asked_for(spark: SparkSession, place: Path) -> None:
    page = place / "out" / "report.html"
    first = page.read_text(encoding="utf-8")
    assert remake_page(spark, str(place / "out")) == str(page)
    assert page.read_text(encoding="utf-8") == first
    for asked in ({"samples": 0}, {"no_text": True}):
        remake_page(spark, str(place / "out"), **asked)  # type: ignore[arg-type]
        assert "another" not in page.read_text(encoding="utf-8")
    remake_page(spark, str(place / "out"), samples=1)
    assert page.read_text(encoding="utf-8").count("<details") == 2  # one group, the settings


def test_a_page_without_its_input_has_no_texts_and_says_so(
    spark: SparkSession, place: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.copytree(place / "out", tmp_path / "out")
    (place / "in.parquet").rename(place / "elsewhere.parquet")
    try:
        remake_page(spark, str(tmp_path / "out"))
    finally:
        (place / "elsewhere.parquet").rename(place / "in.parquet")
    html = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "the input could not be read any more" in html
    assert "another" not in html
    assert "the page has no texts" in caplog.text


def test_there_is_no_page_without_results(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no results"):
        remake_page(spark, str(tmp_path))


def test_results_stand_where_the_page_cannot_be_made(
    dedup: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(making, "render_report", lambda *_, **__: 1 / 0)
    options = {"tokenizer": "word", "calibration": "none", "max_distance": 8}
    results = dedup(table(), output=str(tmp_path / "out"), **options)
    assert {path.name for path in results.path.iterdir()} >= {"_SUCCESS", "groups", "report.json"}
    assert not (results.path / "report.html").exists()
    (line,) = [record.getMessage() for record in caplog.records if "report.html" in record.getMessage()]
    assert line == f"report.html could not be made; the results are whole, jobs/report.py {tmp_path}/out makes it again"
