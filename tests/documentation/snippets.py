"""The code blocks of the pages, and the marks of those that no test of the pages runs.

A block is run by `test_pages_run.py`, unless the line above it is ``<!-- not run here -->`` (a reason may follow a
colon) or ``<!-- run by tests/… -->``, or its page says in its first paragraph that it is not run here.
"""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"<!-- (not run here|run by ([^\s:]+))(?:: [^>]+)? -->\n*\Z")


@dataclass(frozen=True)
class Block:
    """A code block: its page, line, language and text; how it is marked, and by which tests it is run if it says so."""

    page: str
    line: int
    language: str
    text: str
    mark: str | None
    run_by: str | None

    def commands(self) -> list[list[str]]:
        """The commands of a bash block as words: comments gone, continued lines and open quotes joined."""
        found, open_line = [], ""
        for line in self.text.replace("\\\n", " ").splitlines():
            open_line = f"{open_line}\n{line}" if open_line else line
            words = _words(open_line)
            if words is None:  # a quote goes on in the next line
                continue
            found += [words] if words else []
            open_line = ""
        assert not open_line, f"{self.page}:{self.line}: a quote is not closed"
        return found


def _words(line: str) -> list[str] | None:
    """The words of a line up to a comment, None if a quote is open; unlike shlex a # within a word is part of it."""
    for end in [*(at.start() for at in re.finditer(r"(?<!\S)#", line)), len(line)]:
        with suppress(ValueError):
            return shlex.split(line[:end])
    return None


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@cache
def blocks_of(page: Path) -> tuple[Block, ...]:
    """The code blocks of a page in order."""
    return blocks_in(page.read_text(encoding="utf-8"), name_of(page))


def blocks_in(text: str, page: str) -> tuple[Block, ...]:
    """The code blocks of a page's text in order."""
    return tuple(_block(page, text, found) for found in BLOCK.finditer(text))


def _block(page: str, text: str, found: re.Match[str]) -> Block:
    before = text[: found.start()]
    mark = MARK.search(before)
    kind = mark[1] if mark else ("not run here" if _is_not_run(text) else None)
    return Block(page, before.count("\n") + 1, found[1], found[2], kind, mark[2] if mark else None)


def _is_not_run(text: str) -> bool:
    """Whether the first paragraph under the title says so for the whole page."""
    paragraphs = [part for part in text.split("\n\n") if part.strip() and not part.startswith("#")]
    return bool(paragraphs) and "not run here" in paragraphs[0] and not paragraphs[0].startswith("<!--")
