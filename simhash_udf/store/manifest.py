"""Manifests: what a version of a store consists of, as plain values and as JSON.

A manifest is complete by itself: nothing before it has to be read. Its last key is the digest of the rest, so a
manifest that was cut short or changed is known as such.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from simhash_udf.errors import InputError
from simhash_udf.runtime.digests import digest_of
from simhash_udf.runtime.storage import list_names, read_bytes
from simhash_udf.store.layout import MANIFESTS, manifest_place, number_of

FORMAT = 1
"""Layout of manifests and tables; a store of another one is refused."""

RUN, FENCE, COMPACT, FORGET, REBUILD = "run", "fence", "compact", "forget", "rebuild"
"""What makes a version. A fence changes nothing: it takes the number that a run taken for dead would have used."""


@dataclass(frozen=True)
class DataFile:
    """A file of a table: its path relative to the store, rows, bytes, and SHA-256."""

    path: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True)
class RunRecord:
    """A run whose documents are in the store.

    Parameters
    ----------
    run_id
        As the user named it.
    version
        Version that it made.
    created
        When, in UTC; for people.
    input
        Digest of the input's listing and of the columns that were read.
    content
        Digest of ids and normalised texts, in any order.
    max_distance, max_total_distance
        When two nodes were an edge.
    counts
        Documents by what became of them.
    """

    run_id: str
    version: int
    created: str
    input: str
    content: str
    max_distance: int
    max_total_distance: int
    counts: dict[str, int]


@dataclass(frozen=True)
class Manifest:
    """One version of a store; that of no arguments is the store before its first run.

    Parameters
    ----------
    version
        1, 2, …; the newest is the store.
    action, run_id, created
        What made it (`RUN`, `FENCE`, `COMPACT`, `FORGET`, `REBUILD`), which run if it was one, and when, in UTC.
    base
        Version whose state it was made from; 0 for none.
    specification, recipe
        What all runs have in common, see `store.specification`; digest of the file that says how texts are read.
    max_distance, max_total_distance
        Every pair of documents within both is in one group, whichever runs they came in.
    schemas
        Columns of each table, as Spark writes schemas as JSON.
    runs
        In the order in which they came.
    counts
        ``documents``, ``groups``, and ``members`` of groups.
    tables
        Files of each table.
    """

    version: int = 0
    action: str = RUN
    run_id: str | None = None
    created: str = ""
    base: int = 0
    specification: dict[str, Any] = field(default_factory=dict)
    recipe: str = ""
    max_distance: int = 64
    max_total_distance: int = 256
    schemas: dict[str, Any] = field(default_factory=dict)
    runs: tuple[RunRecord, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    tables: dict[str, tuple[DataFile, ...]] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Say whether no run has made anything yet."""
        return not self.specification

    @property
    def directories(self) -> set[str]:
        """Directories under ``data/`` that hold its files."""
        return {file.path.split("/")[1] for files in self.tables.values() for file in files}

    def find_run(self, run_id: str) -> RunRecord | None:
        """Return the run of that id, None if it is not in the store."""
        return next((run for run in self.runs if run.run_id == run_id), None)

    def with_files(self, added: Mapping[str, tuple[DataFile, ...]]) -> dict[str, tuple[DataFile, ...]]:
        """Return its tables with files added to them."""
        return {name: self.tables.get(name, ()) + tuple(added.get(name, ())) for name in {**self.tables, **added}}

    def fenced(self, created: str) -> Manifest:
        """Return the next version with the same state."""
        return replace(self, version=self.version + 1, action=FENCE, created=created, base=self.version)

    def to_bytes(self) -> bytes:
        """Return the manifest's file."""
        content = {"format": FORMAT, **asdict(self)}
        text = json.dumps({**content, "digest": _digest(content)}, ensure_ascii=False, indent=1)
        return (text + "\n").encode("utf-8")


def parse_manifest(content: bytes, place: str) -> Manifest:
    """Return the manifest in a file.

    Raises
    ------
    InputError
        The file was cut short or changed, or is of another format; the message names it.
    """
    try:
        value = json.loads(content)
        digest = value.pop("digest")
        is_whole = isinstance(value, dict) and digest == _digest(value)
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        is_whole = False
    if not is_whole:
        raise InputError(
            f"{place} is not as it was written; restore it from a copy, or delete it to go back to the version before"
        )
    if value.pop("format") != FORMAT:
        raise InputError(f"{place} was written by another version of this package; use that one, or begin a new store")
    value["runs"] = tuple(RunRecord(**run) for run in value["runs"])
    value["tables"] = {name: tuple(DataFile(**file) for file in files) for name, files in value["tables"].items()}
    return Manifest(**value)


def versions(store: str) -> list[int]:
    """Return the versions whose manifests are there, oldest first."""
    return sorted(number for name in list_names(f"{store}/{MANIFESTS}") if (number := number_of(name)))


def read_manifest(store: str, version: int) -> Manifest:
    """Return the manifest of a version, that of version 0 is empty; see `parse_manifest`.

    Raises
    ------
    InputError
        It is not there, or not whole.
    """
    if version == 0:
        return Manifest()
    place = manifest_place(store, version)
    try:
        content = read_bytes(place)
    except FileNotFoundError:
        raise InputError(f"{place} is not there") from None
    return parse_manifest(content, place)


def read_newest(store: str) -> Manifest:
    """Return the newest manifest, an empty one where there is none; no damaged one is passed over for an older one."""
    there = versions(store)
    return read_manifest(store, there[-1]) if there else Manifest()


def open_store(store: str) -> Manifest:
    """Return the newest manifest of a store that has to be there.

    Raises
    ------
    InputError
        There is no store at that place, or its newest manifest is damaged.
    """
    manifest = read_newest(store)
    if manifest.is_empty:
        raise InputError(f"store={store} holds no store; a run of jobs/dedup.py with --store and --run-id makes one")
    return manifest


def _digest(content: dict[str, Any]) -> str:
    """Digest of the content as JSON has it: tuples are lists there."""
    return digest_of(json.loads(json.dumps(content)))
