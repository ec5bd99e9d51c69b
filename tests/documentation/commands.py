"""What a command of the pages calls, and whether what it calls knows the options that it gives."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from jobs import demo, sample
from simhash_udf.commands import report, store
from simhash_udf.config import FingerprintSettings, IdfSettings, Settings
from simhash_udf.config_evaluation import EvaluateSettings
from simhash_udf.errors import SettingError
from simhash_udf.runtime.options import load_settings
from tests.documentation.snippets import ROOT

SETTINGS: dict[str, type[BaseModel]] = {
    "jobs/dedup.py": Settings,
    "jobs/fingerprint.py": FingerprintSettings,
    "jobs/fit_idf.py": IdfSettings,
    "jobs/evaluate.py": EvaluateSettings,
}
PARSERS = {
    "jobs/demo.py": demo.build_parser,
    "jobs/report.py": report.build_parser,
    "jobs/sample.py": sample.build_parser,
    "jobs/store.py": store.build_parser,
}
OF_SPARK = (
    "--archives",
    "--conf",
    "--deploy-mode",
    "--master",
    "--name",
    "--packages",
    "--properties-file",
    "--py-files",
    "--remote",
)
"""Options of spark-submit that the pages use; each takes a value."""

PLAIN = {"aws", "cd", "docker", "export", "gcloud", "git", "grep", "kubectl", "mkdir", "pip", "rm", "set"}
"""Programs of others."""


@dataclass(frozen=True)
class Job:
    """A script of this project with its arguments, the environment given before it, and what spark-submit is given."""

    script: str
    arguments: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    of_spark: tuple[str, ...] = ()


def job_of(words: Sequence[str]) -> Job | None:
    """The job that a command runs, None if it runs none."""
    environment, rest = _apart(words)
    program = rest[0].rpartition("/")[2] if rest else ""
    if program == "simhash-dedup" and len(rest) > 1:
        name = "dedup" if rest[1].startswith("-") else rest.pop(1)
        return Job(f"jobs/{name.replace('-', '_')}.py", tuple(rest[1:]), tuple(environment))
    if program not in {"spark-submit", "python"}:
        return None
    scripts = [at for at, word in enumerate(rest) if re.fullmatch(r"(?:\S+/)?jobs/\w+\.py", word)]
    if not scripts:
        return None
    at = scripts[0]
    script = "jobs/" + rest[at].rpartition("/")[2]
    return Job(script, tuple(rest[at + 1 :]), tuple(environment), tuple(rest[1:at]))


def _apart(words: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """The environment that is given before a command, and the command."""
    rest = list(words)
    environment = []
    while rest and re.fullmatch(r"\w+=.*", rest[0], re.DOTALL):
        name, _, value = rest.pop(0).partition("=")
        environment.append((name, value))
    return environment, rest


def fault_of(words: Sequence[str]) -> str | None:
    """What is wrong with a command, None if nothing is: an unknown program, target, script, module or option."""
    job = job_of(words)
    if job is not None:
        return _fault_of_job(job)
    _, rest = _apart(words)
    if not rest or rest[0] in PLAIN or rest[0].startswith("$"):
        return None
    if rest[0] == "make":
        return _fault_of_make(rest[1:])
    if rest[1:2] == ["-m"]:
        return _fault_of_module(rest[2], rest[3:])
    return None if (ROOT / rest[0]).exists() else f"{rest[0]} is not known"


def _fault_of_job(job: Job) -> str | None:
    if not (ROOT / job.script).exists():
        return f"{job.script} is not there"
    given = list(job.of_spark)
    while given:
        option, _, value = given.pop(0).partition("=")
        if option not in OF_SPARK:
            return f"spark-submit: {option} is not known"
        value = value or (given.pop(0) if given else "")
        if option == "--properties-file" and "/" in value and not (ROOT / value).exists():
            return f"{value} is not there"
    try:
        if job.script in SETTINGS:
            load_settings(SETTINGS[job.script], "", _with_config_here(job.arguments), dict(job.environment))
        elif job.script == "jobs/demo.py":
            load_settings(Settings, "", demo.build_parser().parse_known_args(list(job.arguments))[1], {})
        else:
            PARSERS[job.script]().parse_args(list(job.arguments))
    except (SettingError, SystemExit, argparse.ArgumentError) as error:
        return f"{job.script}: {error}"
    return None


def _with_config_here(arguments: Sequence[str]) -> list[str]:
    """The arguments with files of conf/ as they lie in the checkout."""
    return [str(ROOT / word) if word.startswith("conf/") else word for word in arguments]


def _fault_of_make(words: Sequence[str]) -> str | None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for word in words:
        name, _, value = word.partition("=")
        if name == "OPTIONS":
            fault = _fault_of_job(Job("jobs/demo.py", tuple(shlex.split(value))))
            if fault:
                return fault
        elif "=" not in word and word not in targets:
            return f"make {word} is not a target"
    return None


def _fault_of_module(module: str, arguments: Sequence[str]) -> str | None:
    """A program started as a module: of others, or a file of ours in whose source every option stands."""
    place = ROOT / module.replace(".", "/")
    if not (ROOT / module.partition(".")[0]).is_dir():
        return None
    file = place.with_suffix(".py") if place.with_suffix(".py").exists() else place / "__main__.py"
    if not file.exists():
        return f"module {module} is not there"
    source = "".join(part.read_text(encoding="utf-8") for part in [file, *place.rglob("*.py")])
    unknown = [word for word in arguments if word.startswith("--") and f'"{word.partition("=")[0]}"' not in source]
    return f"{module}: {unknown[0]} is not known" if unknown else None
