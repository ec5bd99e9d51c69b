"""Hooks of MkDocs: which pages the site has, and where links lead that leave docs/.

The navigation of mkdocs.yml may name pages that are not there, which are left out, and patterns, which stand for the
pages that they match; pages that it does not name come last. Pages beside docs/ (README, …) become pages under
``project/``; other files that a page links to go there as they are; a link to a directory becomes its text.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PROJECT = "project/"
PROJECT_PAGES = ("README.md", "README.zh-CN.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def on_config(config: Any) -> Any:
    """Return the configuration with the navigation of the pages that are there; what it does not name comes last."""
    config.nav = _present(config.nav)
    named = set(_targets(config.nav))
    others = sorted({page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")} - named)
    if others:
        config.nav.append({"More": others})
    return config


def on_files(files: Any, config: Any) -> Any:
    """Return the files with those beside docs/ that are pages of the site or linked to by one."""
    pages = [ROOT / name for name in PROJECT_PAGES if (ROOT / name).exists()]
    for page in pages:
        content = page.read_text(encoding="utf-8")
        files.append(File.generated(config, PROJECT + page.name, content=content))
    linked = {target for page in [*DOCS.rglob("*.md"), *pages] for target in _linked_files(page)}
    for target in sorted(linked - set(pages)):
        place = PROJECT + target.relative_to(ROOT).as_posix()
        files.append(File.generated(config, place, abs_src_path=str(target)))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Return the page with links that are right on the site."""
    here = page.file.src_uri
    is_beside = here.startswith(PROJECT)
    source = ROOT / here.removeprefix(PROJECT) if is_beside else DOCS / here

    def rewritten(link: re.Match[str]) -> str:
        text, target, anchor = link.groups(default="")
        found = _resolved(source, target)
        if found is None or (not is_beside and found.is_relative_to(DOCS)):
            return link[0]
        if found.is_dir():
            return text
        place = found.relative_to(DOCS) if found.is_relative_to(DOCS) else Path(PROJECT) / found.relative_to(ROOT)
        return f"[{text}]({posixpath.relpath(place.as_posix(), posixpath.dirname(here))}{anchor})"

    return LINK.sub(rewritten, markdown)


def _present(entries: list[Any]) -> list[Any]:
    """Navigation entries without pages that are not there, patterns replaced, and no empty sections."""
    return [kept for entry in entries for kept in _kept(entry)]


def _kept(entry: Any) -> Iterator[Any]:
    if isinstance(entry, str):
        yield from sorted(path.relative_to(DOCS).as_posix() for path in DOCS.glob(entry))
        return
    ((title, target),) = entry.items()
    if isinstance(target, list):
        inside = _present(target)
        if inside:
            yield {title: inside}
    elif (ROOT / target.removeprefix(PROJECT) if target.startswith(PROJECT) else DOCS / target).exists():
        yield entry


def _targets(entries: list[Any]) -> Iterator[str]:
    """The pages of navigation entries."""
    for entry in entries:
        target = entry if isinstance(entry, str) else next(iter(entry.values()))
        yield from _targets(target) if isinstance(target, list) else [target]


def _linked_files(page: Path) -> Iterator[Path]:
    """Files beside docs/ that a page links to."""
    for _, target, _ in LINK.findall(page.read_text(encoding="utf-8")):
        found = _resolved(page, target)
        if found is not None and found.is_file() and not found.is_relative_to(DOCS):
            yield found


def _resolved(page: Path, target: str) -> Path | None:
    """What a relative link leads to in the checkout; None for what is not there, and for addresses."""
    if "://" in target:
        return None
    found = (page.parent / target).resolve()
    return found if found.exists() and found.is_relative_to(ROOT) else None
