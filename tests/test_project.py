"""What holds for the project as a whole: layers, modules, jobs, links."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

from simhash_udf import __version__

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted(path for folder in ("simhash_udf", "jobs") for path in (ROOT / folder).rglob("*.py"))
JOBS = sorted(path for path in (ROOT / "jobs").glob("*.py") if path.name != "__init__.py")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LONGEST_MODULE = 300  # lines; a module holds one idea


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_imports_go_down_the_layers_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert lint_imports(config_filename="pyproject.toml", no_cache=True) == 0


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_can_be_read_in_five_minutes(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_MODULE


def test_no_module_is_named_after_nothing() -> None:
    assert {path.stem for path in MODULES} & {"utils", "util", "helpers", "common", "manager", "misc"} == set()


def test_no_two_test_files_have_one_name() -> None:
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("path", JOBS, ids=name_of)
def test_every_job_explains_itself(path: Path) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SIMHASH_")}
    shown = subprocess.run(
        [sys.executable, str(path), "--help"], capture_output=True, text=True, check=False, cwd=ROOT, env=clean
    )
    assert (shown.returncode, shown.stdout[:5]) == (0, "usage"), shown.stderr


@pytest.mark.parametrize("path", sorted((ROOT / "conf").glob("spark-*.conf")), ids=name_of)
def test_a_spark_profile_has_settings_with_a_reason_above(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    settings = [at for at, line in enumerate(lines) if line and not line.startswith("#")]
    assert all(re.fullmatch(r"spark\.[A-Za-z0-9_.]+\s+\S.*", lines[at]) for at in settings)
    assert all(lines[at - 1].startswith("#") or at - 1 in settings for at in settings)


def test_the_change_log_begins_with_this_version() -> None:
    first = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert first is not None
    assert first[1] == __version__


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    missing = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
    assert missing == []
