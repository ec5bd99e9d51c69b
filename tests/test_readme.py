"""The README's snippets: Python runs, commands are understood by the programs that they call."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from pyspark.sql import SparkSession

from jobs import sample
from simhash_udf.config import FingerprintSettings, IdfSettings, Settings, validated
from simhash_udf.runtime.options import build_parser, load_settings

ROOT = Path(__file__).resolve().parent.parent
JOBS: dict[str, type[BaseModel]] = {
    "jobs/dedup.py": Settings,
    "jobs/fingerprint.py": FingerprintSettings,
    "jobs/fit_idf.py": IdfSettings,
}
README = (ROOT / "README.md").read_text(encoding="utf-8")


def snippets(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def commands() -> list[list[str]]:
    """The lines of the bash snippets as words, comments gone and continued lines joined."""
    lines = "\n".join(snippets("bash")).replace("\\\n", " ").splitlines()
    return [words for words in (shlex.split(line, comments=True) for line in lines) if words]


def arguments_of(job: str) -> list[list[str]]:
    """The arguments of every command that runs the job."""
    found = [words for words in commands() if job in words]
    return [words[words.index(job) + 1 :] for words in found]


def test_the_python_snippets_run_in_order(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "readme"}
    assert snippets("python")
    for snippet in snippets("python"):
        exec(compile(snippet, "README.md", "exec"), namespace)


def test_every_command_calls_something_that_is_here() -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for words in commands():
        scripts = [word for word in words if word.endswith(".py")]
        assert all((ROOT / script).exists() for script in scripts), words
        assert scripts or words[0] in {"pip", "git", "cd"} or (words[0] == "make" and words[1] in targets)


@pytest.mark.parametrize(
    ("model", "arguments"),
    [(model, arguments) for job, model in JOBS.items() for arguments in arguments_of(job)],
    ids=lambda value: value.__name__ if isinstance(value, type) else " ".join(value),
)
def test_options_of_the_spark_jobs_in_the_readme_are_right(model: type[BaseModel], arguments: list[str]) -> None:
    settings = load_settings(model, "", arguments, {})
    assert settings.input
    assert settings.output or settings.plan


def test_options_of_the_sample_in_the_readme_are_right() -> None:
    for arguments in arguments_of("jobs/sample.py"):
        assert sample.build_parser().parse_args(arguments).documents >= 0


def test_options_given_to_the_demo_in_the_readme_are_right() -> None:
    given = [word.removeprefix("OPTIONS=") for words in commands() for word in words if word.startswith("OPTIONS=")]
    assert given
    for options in given:
        assert load_settings(Settings, "", shlex.split(options), {})


def test_every_option_in_the_readmes_table_exists_with_that_default() -> None:
    rows = re.findall(r"^\| `--([a-z0-9-]+)` \| ([^|]*) \|", README, re.MULTILINE)
    known = vars(build_parser(Settings, ""))["_option_string_actions"]
    defaults = validated(Settings, {}).model_dump(mode="json")
    assert rows
    for name, shown in rows:
        assert f"--{name}" in known
        default = defaults[name.replace("-", "_")]
        value = ",".join(map(str, default)) if isinstance(default, list) else default
        expected = {"", None, False}
        assert shown.strip("` ") == ("" if value in expected else str(value)), name
