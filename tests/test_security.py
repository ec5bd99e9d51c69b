"""Settings are data, packages are pinned, and what is written is where and as private as the user said."""

from __future__ import annotations

import ast
import re
import stat
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from packaging.requirements import Requirement

from tests.environment import job_environment

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


@pytest.mark.processes
@pytest.mark.parametrize("mask", [0o077, 0o007])
def test_outputs_are_as_private_as_the_umask_says_and_nothing_lies_outside(tmp_path: Path, mask: int) -> None:
    """Names that look like ways out of a directory, everywhere a name can be given."""
    place = tmp_path / "inner" / "place"
    place.mkdir(parents=True)
    table = pa.table(
        {"../../id": ["../a", "../b", "c"], "..%2Ftext": ["渡口的船", "渡口的船！", "田里插秧"], "n": [1, 2, 3]}
    )
    (place / "in" / "day=..%2F..").mkdir(parents=True)
    pq.write_table(table, place / "in" / "day=..%2F.." / "a.parquet")
    arguments = [
        "--input",
        place / "in",
        "--output",
        place / "out",
        "--store",
        place / "store",
        "--run-id",
        "../../../r",
    ]
    arguments += ["--id-column", "../../id", "--text-column", "..%2Ftext", "--mode", "filter", "--calibration", "none"]
    (place / "tmp").mkdir()
    done = subprocess.run(
        [sys.executable, str(ROOT / "jobs" / "dedup.py"), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=job_environment(PYTHONPATH=str(ROOT), TMPDIR=str(place / "tmp")),
        timeout=600,
        umask=mask,
        cwd=place / "tmp",
    )
    assert done.returncode == 0, done.stderr
    written = [path for name in ("out", "store") for path in (place / name).rglob("*")]
    assert any(path.suffix == ".parquet" for path in written)
    wide = [path for path in written if stat.S_IMODE(path.stat().st_mode) & mask]
    assert wide == []
    if mask == 0o007:
        narrow = [path for path in written if path.suffix == ".parquet" and not path.stat().st_mode & stat.S_IWGRP]
        assert narrow == []
    assert {path.name for path in place.iterdir()} == {"in", "out", "store", "tmp"}
    assert [path.name for path in tmp_path.rglob("*") if path.parent in (tmp_path, tmp_path / "inner")] == [
        "inner",
        "place",
    ]
