"""The README: its Python runs, its table of options is right, and the Chinese README is equal to the English one.

Commands of both are looked at and run with those of the other pages, in tests/documentation.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from simhash_udf.config import Settings, validated
from simhash_udf.runtime.options import build_parser
from tests.documentation.snippets import ROOT, blocks_in

ENGLISH, CHINESE = "README.md", "README.zh-CN.md"
TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in (ENGLISH, CHINESE)}
LINK = re.compile(r"\]\(([^)]+)\)")


def prose(name: str) -> str:
    """The text of a README without its code blocks."""
    return re.sub(r"^```.*?^```$", "", TEXTS[name], flags=re.MULTILINE | re.DOTALL)


def sections(name: str) -> list[str]:
    return re.split(r"^#+ .*$", prose(name), flags=re.MULTILINE)


def code(name: str) -> list[tuple[str, str]]:
    """The code blocks of a README by language, comments gone."""
    return [
        (block.language, re.sub(r"#.*$", "#", block.text, flags=re.MULTILINE)) for block in blocks_in(TEXTS[name], name)
    ]


def test_the_python_snippets_run_in_order(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "readme"}
    snippets = [block.text for block in blocks_in(TEXTS[ENGLISH], ENGLISH) if block.language == "python"]
    assert snippets
    for snippet in snippets:
        exec(compile(snippet, ENGLISH, "exec"), namespace)


@pytest.mark.parametrize("name", TEXTS)
def test_every_option_in_the_readmes_table_exists_with_that_default(name: str) -> None:
    rows = re.findall(r"^\| `--([a-z0-9-]+)` \| ([^|]*) \|", TEXTS[name], re.MULTILINE)
    known = vars(build_parser(Settings, ""))["_option_string_actions"]
    defaults = validated(Settings, {}).model_dump(mode="json")
    assert rows
    for option, shown in rows:
        assert f"--{option}" in known
        default = defaults[option.replace("-", "_")]
        value = ",".join(map(str, default)) if isinstance(default, list) else default
        expected = {"", None, False}
        assert shown.strip("` ") == ("" if value in expected else str(value)), option


def test_each_readme_begins_with_a_link_to_the_other() -> None:
    for name, other in ((ENGLISH, CHINESE), (CHINESE, ENGLISH)):
        assert f"]({other})" in TEXTS[name].partition("\n\n")[2].partition("\n\n")[0]


def test_both_readmes_have_headings_of_the_same_levels() -> None:
    english, chinese = (re.findall(r"^(#+) ", prose(name), re.MULTILINE) for name in TEXTS)
    assert len(english) > 10
    assert english == chinese


def test_both_readmes_have_the_same_code_but_for_comments() -> None:
    assert code(ENGLISH)
    assert code(ENGLISH) == code(CHINESE)


def test_both_readmes_name_the_same_code_and_pages_in_each_section() -> None:
    for english, chinese in zip(sections(ENGLISH)[2:], sections(CHINESE)[2:], strict=True):
        for pattern in (re.compile(r"`[^`]+`"), LINK):
            assert sorted(set(pattern.findall(english))) == sorted(set(pattern.findall(chinese)))


def test_the_tables_of_both_readmes_have_the_same_rows_and_figures() -> None:
    english, chinese = (
        [re.findall(r"[\d.⁰-⁹¹²³]*\d", line) for line in prose(name).splitlines() if line.startswith("|")]
        for name in TEXTS
    )
    assert english == chinese
