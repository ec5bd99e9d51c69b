"""Settings are data, and packages are pinned."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = sorted((ROOT / "simhash_udf").rglob("*.py"))
RUNS_CODE = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "yaml", "subprocess", "ctypes"}
CALLS = {"eval", "exec", "compile", "__import__", "system", "popen", "mktemp", "extractall", "chmod"}
LOCKED = (ROOT / "requirements" / "locked.txt").read_text(encoding="utf-8")


def imported(tree: ast.Module) -> set[str]:
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return {name.split(".")[0] for name in names}


def called(tree: ast.Module) -> set[str]:
    functions = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    plain = {function.id for function in functions if isinstance(function, ast.Name)}
    # re.compile and the like are called on a module
    return plain | {f.attr for f in functions if isinstance(f, ast.Attribute)} - {"compile"}


@pytest.mark.parametrize("path", PACKAGE, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_of_the_package_can_run_what_it_reads(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert imported(tree) & RUNS_CODE == set()
    assert called(tree) & CALLS == set()


def locked() -> dict[str, list[tuple[str, str]]]:
    """Versions of each locked package, with the rest of its entry."""
    found: dict[str, list[tuple[str, str]]] = {}
    for entry in re.split(r"\n(?=[a-z])", LOCKED):
        match = re.match(r"([a-z0-9._-]+)(?:\[[a-z,]+\])?==(\S+)", entry)
        if match:
            found.setdefault(match[1], []).append((match[2], entry))
    return found


def test_every_locked_package_has_its_hashes_and_no_place() -> None:
    assert "://" not in LOCKED
    assert len(locked()) > 50
    assert [name for name, entries in locked().items() for _, entry in entries if "--hash=sha256:" not in entry] == []


def test_every_package_that_setup_installs_is_locked_within_its_range() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = re.search(r"'\.\[([a-z,]+)\]'", (ROOT / "scripts" / "setup").read_text(encoding="utf-8"))
    assert extras is not None
    wanted = [*project["dependencies"]]
    for extra in extras[1].split(","):
        wanted += project["optional-dependencies"][extra]
    missing = []
    for requirement in map(Requirement, wanted):
        versions = [version for version, _ in locked().get(requirement.name.lower(), [])]
        is_good = versions and all(version in requirement.specifier for version in versions)
        if not is_good and requirement.name != project["name"]:
            missing.append(f"{requirement}, locked is {versions or 'none'}")
    assert missing == [], "run `make lock`"
