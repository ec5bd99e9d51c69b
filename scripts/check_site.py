"""Refuse a built site that would ask anything of another machine when a page of it is opened.

Run it as ``python scripts/check_site.py SITE``. Links that a reader follows may lead anywhere; what a page loads by
itself may not: scripts, styles, pictures, fonts, frames. Two parts of the theme load from elsewhere once a page has
their mark, so the marks are refused: diagrams, and the figures of a source repository.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

ELSEWHERE = re.compile(r"\s*(?:https?:)?//", re.IGNORECASE)
STYLE_URL = re.compile(r"""(?:url\(\s*|@import\s+)["']?\s*((?:https?:)?//[^"')\s]+)""", re.IGNORECASE)
LOADING = ("src", "srcset", "data", "poster", "background", "style")
NAMING_ONLY = {"canonical", "next", "prev", "alternate", "edit", "license", "author"}
"""Kinds of ``<link>`` that name an address without loading it."""

LOADING_MARKS = {"mermaid": "a diagram, whose program is loaded"}


class _Loads(HTMLParser):
    """Collects what a page loads from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._is_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._is_style = tag == "style"
        names = (*LOADING, "href") if tag == "link" and given.get("rel") not in NAMING_ONLY else LOADING
        values = [(name, given[name]) for name in names if name in given]
        self.found += [f"<{tag} {name}={value}>" for name, value in values if _is_elsewhere(name, value)]
        marks = set(given.get("class", "").split()) & LOADING_MARKS.keys()
        self.found += [f"<{tag} class={mark}>: {LOADING_MARKS[mark]}" for mark in marks]
        if given.get("data-md-component") == "source":
            self.found.append("a source repository, whose figures are loaded")

    def handle_data(self, data: str) -> None:
        if self._is_style:
            self.found += STYLE_URL.findall(data)


def _is_elsewhere(name: str, value: str) -> bool:
    if name == "style":
        return bool(STYLE_URL.search(value))
    parts = value.split(",") if name == "srcset" else [value]
    return any(ELSEWHERE.match(part) for part in parts)


def loads_of_page(html: str) -> list[str]:
    """Return what an HTML page loads from elsewhere when it is opened.

    Examples
    --------
    >>> loads_of_page('<a href="https://a.example">a</a><script src="//b.example/c.js"></script>')
    ['<script src=//b.example/c.js>']
    """
    parser = _Loads()
    parser.feed(html)
    return parser.found


def loads_of_site(site: Path) -> Iterator[str]:
    """Yield every such load of a directory's pages and style sheets, with its file."""
    for file in sorted(site.rglob("*")):
        if file.suffix not in {".html", ".css"}:
            continue
        text = file.read_text(encoding="utf-8")
        found = loads_of_page(text) if file.suffix == ".html" else STYLE_URL.findall(text)
        yield from (f"{file.relative_to(site)}: {load}" for load in found)


def main() -> int:
    """Print what is loaded from elsewhere and return 1 if there is something, or if there is no site."""
    site = Path(sys.argv[1])
    found = list(loads_of_site(site))
    if not (site / "index.html").exists():
        found.append(f"{site}/index.html is not there")
    print("\n".join(found) or f"{site}: pages load nothing from elsewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
