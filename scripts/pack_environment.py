"""Pack this environment for the executors: interpreter, standard library, and the packages that the tasks need.

Run it as ``python scripts/pack_environment.py WHEEL ARCHIVE``, or ``make dist``. The nodes need no Python, for the
archive brings its own, started by ``bin/python``. PySpark is left out, for the nodes' own Spark has it.
The reasons are in docs/decisions/0015-packed-environment.md.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

LEFT_OUT = {"pyspark", "py4j"}
"""What each node's Spark puts on the path of the workers itself."""

UNUSED = ("test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3", "site-packages", "dist-packages")
"""Directories that no task imports: a third of the size."""

START = """#!/bin/sh
# Starts the interpreter beside this file with the packages of this directory, wherever it was unpacked.
here=$(cd "${0%/*}/.." && pwd -P)
unset PYTHONHOME
export PYTHONNOUSERSITE=1 PYTHONPATH="$here/packages${PYTHONPATH:+:$PYTHONPATH}"
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec "$here/bin/VERSION" "$@"
"""

CHECK = "import ctypes, jieba, numpy, pandas, pyarrow.parquet, rjieba, scipy.sparse, zlib"


def main() -> None:
    """Build the environment in a temporary directory, try it there, and pack it."""
    wheel, archive = map(Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        copy_interpreter(root)
        copy_packages(wheel, root / "packages")
        subprocess.run([root / "bin" / "python", "-c", CHECK], env={"PATH": os.defpath}, check=True)  # noqa: S603
        with tarfile.open(archive, "w:gz", compresslevel=4) as packed:
            for path in sorted(root.iterdir()):
                packed.add(path, path.name)
    print(f"{archive}: {archive.stat().st_size / 1e6:.0f} MB, Python {sys.version.split()[0]}")


def copy_interpreter(root: Path) -> None:
    """Copy the interpreter of this environment, its library if it has one, and its standard library."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (root / "bin").mkdir()
    shutil.copy2(Path(sys.executable).resolve(), root / "bin" / version)
    ignored = shutil.ignore_patterns(*UNUSED, "config-*")
    shutil.copytree(sysconfig.get_path("stdlib"), root / "lib" / version, ignore=ignored)
    if sysconfig.get_config_var("Py_ENABLE_SHARED") and not sys.platform.startswith("darwin"):
        name = sysconfig.get_config_var("INSTSONAME")
        library = Path(sysconfig.get_config_var("LIBDIR")) / name
        if library.exists():  # Debian's interpreter is linked without it, whatever the variable says
            shutil.copy2(library, root / "lib" / name)
    start = root / "bin" / "python"
    start.write_text(START.replace("VERSION", version), encoding="utf-8")
    start.chmod(0o755)


def copy_packages(wheel: Path, packages: Path) -> None:
    """Unpack the wheel, and copy what it needs from this environment, in the versions that the driver has."""
    zipfile.ZipFile(wheel).extractall(packages)  # noqa: S202 - our own wheel
    (metadata,) = packages.glob("*.dist-info")
    for needed in closure(Distribution.at(metadata)):
        for file in needed.files or ():
            if ".." not in file.parts and not set(file.parts) & set(UNUSED):
                target = packages / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(needed.locate_file(file), target)


def closure(wanted: Distribution) -> list[Distribution]:
    """Return the distributions that one needs, and that those need, as far as they are installed."""
    found: dict[str, Distribution] = {}
    waiting = list(requirements(wanted.requires or (), extras={"t2s"}))
    while waiting:
        name = waiting.pop()
        if name in found or name in LEFT_OUT:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:  # an extra that is not wanted here, or of another Python
            continue
        waiting += requirements(found[name].requires or (), extras=set())
    return list(found.values())


def requirements(lines: Iterable[str], extras: set[str]) -> Iterator[str]:
    """Give the names of requirements, without those of other extras."""
    for line in lines:
        extra = re.search(r"""extra\s*==\s*["']([^"']+)["']""", line)
        name = re.match(r"[A-Za-z0-9._-]+", line)
        if name and (extra is None or extra[1] in extras):
            yield re.sub(r"[-_.]+", "-", name[0]).lower()


if __name__ == "__main__":
    main()
