"""The console script: the same jobs under one name."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from simhash_udf import __version__, console

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["simhash-dedup", *arguments])
        return console.main()

    return run


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_it_lists_its_commands(call: Any, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    assert call(*arguments) == 0
    shown = capsys.readouterr().out
    assert all(f"\n  {name} " in shown for name in console.COMMANDS)


def test_it_knows_its_version(call: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--version") == 0
    assert capsys.readouterr().out.strip() == __version__


def test_an_unknown_command_is_refused(call: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("dedupe") == 2
    assert "there is no command 'dedupe'" in capsys.readouterr().err


@pytest.mark.parametrize("name", console.COMMANDS)
def test_every_command_is_a_job_and_explains_itself(call: Any, capsys: pytest.CaptureFixture[str], name: str) -> None:
    with pytest.raises(SystemExit) as ended:
        call(name, "--help")
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: simhash-dedup {name} ")
    module = name.replace("-", "_")
    job = (ROOT / "jobs" / f"{module}.py").read_text(encoding="utf-8")
    assert f"from simhash_udf.commands.{module} import main" in job


@pytest.mark.parametrize("arguments", [("dedup", "--max-distance", "9"), ("--max-distance", "9")])
def test_options_alone_are_those_of_the_main_job(
    call: Any, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    assert call(*arguments) == 2
    assert "max_distance: " in capsys.readouterr().err


def test_a_command_gives_its_exit_code_and_takes_its_arguments(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[list[str]] = []

    def main(arguments: list[str]) -> int:
        taken.append(arguments)
        return 3

    monkeypatch.setattr(import_module("simhash_udf.commands.fit_idf"), "main", main)
    assert call("fit-idf", "--input", "a b") == 3
    assert taken == [["--input", "a b"]]
