"""The pages about clusters: their commands have options that exist, and they say what was not run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from simhash_udf.config import Settings
from simhash_udf.runtime.options import load_settings

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "docs" / "deploy").glob("*.md"))
DOCKERFILE = ROOT / "conf" / "docker" / "Dockerfile"


def commands(page: Path) -> list[list[str]]:
    """The words of every command that submits a job."""
    blocks = re.findall(r"^```bash\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    return [shlex.split(line) for line in lines if line.startswith("spark-submit")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_have_options_that_exist_and_files_that_are_here(page: Path) -> None:
    for words in commands(page):
        (at,) = [place for place, word in enumerate(words) if word.endswith(".py")]
        settings = load_settings(Settings, "", words[at + 1 :], {})
        assert settings.input
        assert settings.output
        files = [words[at].removeprefix("local:///opt/simhash/"), words[words.index("--properties-file") + 1]]
        assert all((ROOT / file).exists() for file in files)


def test_the_commands_are_found() -> None:
    assert {page.stem for page in PAGES if commands(page)} >= {"standalone", "yarn", "kubernetes"}


@pytest.mark.parametrize("page", [page for page in PAGES if page.stem != "standalone"], ids=lambda page: page.stem)
def test_a_page_about_a_cluster_that_is_not_here_says_so(page: Path) -> None:
    assert "Written, not run here" in page.read_text(encoding="utf-8")


def test_the_image_takes_what_is_here_or_made() -> None:
    sources = re.findall(r"^(?:COPY|ADD) (\S+)", DOCKERFILE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(sources) == ["conf", "dist/environment.tar.gz", "jobs"]
    assert (ROOT / "jobs" / "dedup.py").exists()
