"""Small files and directory listings on any file system that Arrow can reach: local, S3, GCS, Azure, HDFS."""

from __future__ import annotations

import json
import os
import posixpath
import re
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyarrow import fs

from simhash_udf.errors import InputError

_SCHEME_ALIASES = {"s3a": "s3", "s3n": "s3", "abfss": "abfs"}


def normalized_path(path: str) -> str:
    """Return the path in one spelling, so that two names of one place are equal.

    Local paths become absolute with links resolved; ``file:`` is dropped; ``s3a`` and ``s3n`` become ``s3``.

    Raises
    ------
    InputError
        No file system has such a name.
    """
    try:
        parts = urlsplit(path)
        path.encode("utf-8")
    except ValueError as error:
        raise InputError(f"{path!r} is no path: {error}") from None
    if "\0" in path or "%00" in path:
        raise InputError(f"{path!r} is no path: it holds the character NUL")
    if not parts.scheme or parts.scheme == "file":
        local = unquote(parts.path) if parts.scheme else path
        return os.path.realpath(local)
    scheme = _SCHEME_ALIASES.get(parts.scheme, parts.scheme)
    return f"{scheme}://{parts.netloc}{posixpath.normpath('/' + parts.path.lstrip('/'))}"


def overlaps(one: str, other: str) -> bool:
    """Say whether two places are equal or one lies in the other; a glob counts as the directory before it."""
    first, second = (_fixed_part(normalized_path(place)) for place in (one, other))
    return first == second or first.startswith(second + "/") or second.startswith(first + "/")


def filesystem(path: str) -> tuple[fs.FileSystem, str]:
    """Return the Arrow file system of a path and the path in it.

    Raises
    ------
    InputError
        Arrow has no file system for the scheme.
    """
    try:
        found: tuple[fs.FileSystem, str] = fs.FileSystem.from_uri(normalized_path(path))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise InputError(f"{path} is on a file system that cannot be used here: {error}") from None
    return found


def exists(path: str) -> bool:
    """Say whether there is a file or directory."""
    files, place = filesystem(path)
    return bool(files.get_file_info(place).type != fs.FileType.NotFound)


def why_not_writable(path: str) -> str | None:
    """Return why no directory can be made or written there, None where nothing speaks against it; nothing is written.

    Only a local path is looked at: an object store has no directories, and says no when it is written.
    """
    files, place = filesystem(path)
    if not isinstance(files, fs.LocalFileSystem):
        return None
    while not os.path.lexists(place):
        place = os.path.dirname(place)
    if not os.path.isdir(place):
        return f"{place} is a file"
    return None if os.access(place, os.W_OK | os.X_OK) else f"this user may not write in {place}"


def list_files(path: str) -> dict[str, int]:
    """Return the size of every file below a directory by its relative name, without Spark's hidden files."""
    files, place = filesystem(path)
    infos = files.get_file_info(fs.FileSelector(place, recursive=True, allow_not_found=True))
    sizes = {posixpath.relpath(info.path, place): info.size for info in infos if info.type == fs.FileType.File}
    return {name: size for name, size in sorted(sizes.items()) if not posixpath.basename(name).startswith((".", "_"))}


def list_names(path: str) -> list[str]:
    """Return the names directly in a directory, sorted; none if it is not there."""
    files, place = filesystem(path)
    infos = files.get_file_info(fs.FileSelector(place, allow_not_found=True))
    return sorted(info.base_name for info in infos)


def read_bytes(path: str) -> bytes:
    """Return a file's content."""
    files, place = filesystem(path)
    with files.open_input_stream(place) as stream:
        return bytes(stream.read())


def read_text(path: str) -> str:
    """Return a file's content as text (UTF-8)."""
    return read_bytes(path).decode("utf-8")


def write_bytes(path: str, content: bytes) -> None:
    """Write a file so that it is there whole or not at all: under another name first, then renamed."""
    files, place = filesystem(path)
    files.create_dir(posixpath.dirname(place), recursive=True)
    partial = f"{place}.partial"
    with files.open_output_stream(partial) as stream:
        stream.write(content)
    files.move(partial, place)


def write_text(path: str, text: str) -> None:
    """Write a small file of text (UTF-8), whole or not at all."""
    write_bytes(path, text.encode("utf-8"))


def read_json(path: str) -> dict[str, Any] | None:
    """Return a JSON object from a file, None where there is none or it is not whole."""
    try:
        value = json.loads(read_text(path))
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def write_json(path: str, value: dict[str, Any]) -> None:
    """Write a JSON object, readable by a person."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def delete(path: str) -> None:
    """Delete a file or a directory with all it holds; nothing happens if it is not there."""
    files, place = filesystem(path)
    kind = files.get_file_info(place).type
    if kind == fs.FileType.Directory:
        files.delete_dir(place)
    elif kind == fs.FileType.File:
        files.delete_file(place)


def _fixed_part(path: str) -> str:
    """Part of a path before its first glob character, cut back to a whole directory."""
    match = re.search(r"[*?\[{]", path)
    return (posixpath.dirname(path[: match.start()]) if match else path).rstrip("/")
