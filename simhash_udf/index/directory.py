"""The directory of an index: generations of files, and one manifest, written last, that names the newest.

```
DIR/manifest.json              which generation counts, size and SHA-256 of its files
DIR/00000002-<token>/ids.arrow, arrays.bin, bands.json, recipe.json
DIR/lock                       held while a generation is written
```

A generation is written beside the one in use; the manifest is then replaced in one step, and the old generation is
removed. Who has it mapped keeps it until he closes it.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simhash_udf.errors import InputError
from simhash_udf.runtime.digests import digest_of, digest_of_file

FORMAT = 1
"""Layout of the directory and of its files; another one is refused."""

MANIFEST, LOCK = "manifest.json", "lock"
_OURS = re.compile(r"manifest\.json(\.partial)?|lock|[0-9]{8}-[0-9a-f]{12}")


@dataclass(frozen=True)
class Generation:
    """A generation that a manifest names: its directory, and what the manifest says of it."""

    path: Path
    manifest: dict[str, Any]

    @property
    def name(self) -> str:
        """Name of its directory, which no other generation ever has."""
        return self.path.name


def read_generation(path: Path) -> Generation:
    """Return the generation that counts, after checking that its files are there in full length.

    Raises
    ------
    InputError
        The directory is no index, is of another format, or is not whole.
    """
    for attempt in (1, 2):
        manifest = _read_manifest(path)
        generation = Generation(path / manifest["generation"], manifest)
        broken = [name for name, file in manifest["files"].items() if _size(generation.path / name) != file["bytes"]]
        if not broken:
            return generation
        # Another process may have saved in between, and removed what the first manifest named.
        if attempt == 2 or _read_manifest(path) == manifest:
            break
    raise InputError(f"index={path} is not whole: {', '.join(broken)} missing or cut short; build it again")


def check_digests(generation: Generation) -> None:
    """Read every file and compare it with its SHA-256.

    Raises
    ------
    InputError
        A file was changed.
    """
    for name, file in generation.manifest["files"].items():
        if digest_of_file(str(generation.path / name)) != file["sha256"]:
            raise InputError(f"index={generation.path.parent} is damaged: {name} was changed; build it again")


def write_generation(
    path: Path, write: Callable[[Path], dict[str, Any]], *, replaces: str | None, overwrite: bool
) -> Generation:
    """Write a generation and make it the one that counts.

    Parameters
    ----------
    path
        Directory of the index; made if it is not there.
    write
        Writes the files into the directory it is given, and returns what the manifest should say besides.
    replaces
        Name of the generation that this one was made from; None if it is new.
    overwrite
        Whether another index may be replaced.

    Raises
    ------
    InputError
        The directory holds something else, another index, or a later generation; or another process writes to it.
    """
    _check_ours(path)
    path.mkdir(parents=True, exist_ok=True)
    with _locked(path):
        newest = _newest(path, overwrite=overwrite)
        if newest not in {None, replaces} and not overwrite:
            raise InputError(
                f"index={path} is there already, and is not what this one was opened from; open it again and repeat "
                f"the changes, choose another directory, or replace it with overwrite=True"
            )
        numbers = [int(name[:8]) for name in _generations(path)]
        directory = path / f"{max(numbers, default=0) + 1:08d}-{uuid.uuid4().hex[:12]}"
        directory.mkdir()
        content = write(directory)
        manifest = {"format": FORMAT, "generation": directory.name, **content, "files": _describe(directory)}
        _replace_manifest(path, {**manifest, "digest": digest_of(manifest)})
        for name in _generations(path):
            if name != directory.name:
                shutil.rmtree(path / name, ignore_errors=True)
    return Generation(directory, manifest)


def _read_manifest(path: Path) -> dict[str, Any]:
    """Return the manifest, checked against its own digest."""
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        digest = manifest.pop("digest")
    except OSError as error:
        raise InputError(
            f"index={path} cannot be read: {error.strerror}; give the directory of a saved index"
        ) from None
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise InputError(f"index={path} is damaged: {MANIFEST} cannot be read; build it again") from None
    if manifest.get("format") != FORMAT:
        raise InputError(f"index={path} has the format {manifest.get('format')}, known is {FORMAT}; build it again")
    if digest != digest_of(manifest) or not _OURS.fullmatch(str(manifest["generation"])):  # no way out of the index
        raise InputError(f"index={path} is damaged: {MANIFEST} was changed; build it again")
    return dict(manifest)


def _newest(path: Path, *, overwrite: bool) -> str | None:
    """Name of the generation that counts, None if there is none; a broken one may be overwritten."""
    if not (path / MANIFEST).exists():
        return None
    try:
        return str(_read_manifest(path)["generation"])
    except InputError:
        if overwrite:
            return None
        raise


def _check_ours(path: Path) -> None:
    """Refuse a directory with anything in it that no index has."""
    if path.exists() and not path.is_dir():
        raise InputError(f"index={path} is a file; choose a directory")
    foreign = sorted(entry.name for entry in path.iterdir() if not _OURS.fullmatch(entry.name)) if path.exists() else []
    if foreign:
        raise InputError(f"index={path} holds {foreign[0]!r}, which is no part of an index; choose an empty directory")


def _generations(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir() if entry.is_dir() and _OURS.fullmatch(entry.name))


def _describe(directory: Path) -> dict[str, dict[str, Any]]:
    """Size and digest of every file, which is on the disk when this returns."""
    described = {}
    for file in sorted(directory.iterdir()):
        _sync(file)
        described[file.name] = {"bytes": file.stat().st_size, "sha256": digest_of_file(str(file))}
    _sync(directory)
    return described


def _replace_manifest(path: Path, manifest: dict[str, Any]) -> None:
    """Put the manifest in place of the old one, in one step."""
    partial = path / f"{MANIFEST}.partial"
    partial.write_text(json.dumps(manifest, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    _sync(partial)
    partial.replace(path / MANIFEST)
    _sync(path)


def _sync(path: Path) -> None:
    """Wait until a file or the entries of a directory are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.exists() else None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of a directory; it is free again when the process ends, however that is."""
    with (path / LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"index={path} is being saved by another process; wait for it and try again") from None
        yield
