"""The commands of the README and the pages do what the pages say, one after another."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.dataset as ds
import pytest

from tests.documentation.commands import job_of
from tests.documentation.places import prepare
from tests.documentation.run_page import BEFORE
from tests.documentation.snippets import PAGES, ROOT, blocks_of, name_of
from tests.documentation.test_output_tables import columns_of, report_keys
from tests.environment import job_environment

pytestmark = pytest.mark.processes

TUTORIAL = ROOT / "docs" / "tutorial.md"
COPIES = {ROOT / "README.zh-CN.md"}
"""Pages with the commands of another one, which a test holds equal."""


def has_jobs(page: Path) -> bool:
    blocks = [block for block in blocks_of(page) if block.language == "bash" and block.mark is None]
    return any(job_of(words) is not None for block in blocks for words in block.commands())


def run_page(page: Path, place: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.documentation.run_page", name_of(page), str(place)],
        cwd=place,
        env=job_environment(PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-4000:]


def to_run(page: Path) -> object:
    """A page as a parameter; the README's commands are run every time."""
    return pytest.param(page, id=name_of(page), marks=[] if page == ROOT / "README.md" else pytest.mark.nightly)


@pytest.mark.parametrize("page", [to_run(page) for page in PAGES if has_jobs(page) and page not in {TUTORIAL, *COPIES}])
def test_the_commands_of_a_page_run_in_order(page: Path, tmp_path: Path) -> None:
    prepare(tmp_path)
    run_page(page, tmp_path)


def test_the_tutorial_goes_from_a_directory_to_a_filtered_copy(tmp_path: Path) -> None:
    for name in ("jobs", "conf"):
        (tmp_path / name).symlink_to(ROOT / name)
    run_page(TUTORIAL, tmp_path)
    assert not (tmp_path / "data" / "pages-work").exists()
    checked = tmp_path / "data" / "pages-checked"
    for name in ("groups", "edges"):
        found = ds.dataset(checked / name).to_table()
        assert found.num_rows
        never = [column for column, _, null in columns_of(f"{name}/") if null == "never"]
        assert {column: found[column].null_count for column in never} == dict.fromkeys(never, 0)
    report = json.loads((tmp_path / "data" / "pages-groups" / "report.json").read_text(encoding="utf-8"))
    assert report_keys() == (set(report), set(report["counts"]))
    places = [tmp_path / "data" / name for name in ("pages", "pages-unique/documents")]
    every, kept = (set(ds.dataset(place).to_table(["id"])["id"].to_pylist()) for place in places)
    assert kept < every


def test_what_is_done_before_a_page_is_of_a_page_that_is_run() -> None:
    assert {page for page in BEFORE if (ROOT / page).exists()} <= {name_of(page) for page in PAGES if has_jobs(page)}
