"""Every command of the README and the pages: what it calls is here and knows its options, and it is run or marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documentation.commands import fault_of, job_of
from tests.documentation.snippets import PAGES, ROOT, Block, blocks_in, blocks_of, name_of

RUN_AS_THEY_ARE = {"export", "rm"}
"""What `run_page.py` does itself."""

WITH_COMMANDS = [page for page in PAGES if any(block.language == "bash" for block in blocks_of(page))]


def bash_blocks(page: Path) -> list[Block]:
    return [block for block in blocks_of(page) if block.language == "bash"]


def test_there_are_commands() -> None:
    assert {"README.md", "docs/tutorial.md", "docs/store.md"} <= {name_of(page) for page in WITH_COMMANDS}


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name_of)
def test_commands_call_what_is_here_with_options_that_it_knows(page: Path) -> None:
    for block in bash_blocks(page):
        for words in block.commands():
            assert fault_of(words) is None, f"{block.page}:{block.line}: {' '.join(words)}: {fault_of(words)}"


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name_of)
def test_a_command_is_run_or_marked(page: Path) -> None:
    verdict = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    for block in bash_blocks(page):
        if block.run_by is not None:
            assert (ROOT / block.run_by).exists(), f"{block.page}:{block.line}: {block.run_by} is not there"
        if block.mark is not None:
            continue
        for words in block.commands():
            is_run = job_of(words) is not None or words[0] in RUN_AS_THEY_ARE or " ".join(words) in verdict
            assert is_run, (
                f"{block.page}:{block.line}: no test runs `{' '.join(words)}`; put <!-- not run here: why --> or "
                f"<!-- run by tests/… --> on the line above the block"
            )


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("spark-submit jobs/dedup.py --input a --output b --no-such-option 1", "no-such-option"),
        ("spark-submit --no-such-option 1 jobs/dedup.py --input a", "spark-submit: --no-such-option"),
        ("spark-submit --properties-file conf/none.conf jobs/dedup.py --input a", "conf/none.conf is not there"),
        ("spark-submit jobs/dedup.py --input a --max-distance 9", "max_distance"),
        ("spark-submit jobs/none.py", "jobs/none.py is not there"),
        ("python jobs/store.py list --store a", "jobs/store.py"),
        ("make nothing", "make nothing is not a target"),
        ("make demo OPTIONS='--no-such-option 1'", "no-such-option"),
        ("python -m benchmarks.none", "module benchmarks.none is not there"),
        ("python -m benchmarks.components --no-such-option 1", "--no-such-option is not known"),
        ("scripts/none", "scripts/none is not known"),
    ],
)
def test_the_check_finds_what_is_wrong(command: str, fault: str, capsys: pytest.CaptureFixture[str]) -> None:
    (words,) = Block("page", 1, "bash", command, None, None).commands()
    assert fault in str(fault_of(words)) + capsys.readouterr().err


def test_marks_and_continued_lines_are_read() -> None:
    text = "# T\n\nText.\n\n<!-- not run here: why -->\n```bash\na \\\n  b # c\n'd\ne' f\n```\n\n```bash\ng\n```\n"
    marked, plain = blocks_in(text, "docs/page.md")
    assert (marked.mark, marked.line, plain.mark) == ("not run here", 6, None)
    assert marked.commands() == [["a", "b"], ["d\ne", "f"]]
    assert all(block.mark for block in blocks_in(f"# T\n\nWritten, not run here.\n\n{text}", "docs/page.md"))
