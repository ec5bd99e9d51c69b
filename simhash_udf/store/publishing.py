"""How a version becomes visible, and how what no version names goes away.

A version is there once its manifest is. The manifest is created under its number only if there is none, by a run that
holds the claim and has checked so directly before. Before a run that took a claim over from another does anything else,
it creates a fence: the manifest that the other would have written. If the other still lives it cannot commit any more;
if it was faster, its version is what the run goes on from. So files are never removed that a later manifest names.
"""

from __future__ import annotations

import logging
import posixpath
from datetime import datetime, timezone

from simhash_udf.errors import InputError, SimhashError
from simhash_udf.runtime.exclusive import PARTIAL, create_exclusively
from simhash_udf.runtime.storage import delete, list_files, list_names
from simhash_udf.store.claim import Claim
from simhash_udf.store.layout import CLAIMS, DATA, MANIFESTS, PLACES, RECIPES, manifest_place, numbered
from simhash_udf.store.manifest import Manifest, read_newest, versions

log = logging.getLogger("simhash_udf")

KEPT_MANIFESTS = 20
"""Manifests that stay: a reader may be at an older one, and one run can be replaced by its successor."""


def now() -> str:
    """Return the time in UTC, for people."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def check_is_store(store: str) -> None:
    """Refuse a directory that holds other things than a store.

    Raises
    ------
    InputError
        It does, or it is a file.
    """
    try:
        names = list_names(store)
    except NotADirectoryError:
        raise InputError(f"store={store} is a file; choose a directory") from None
    others = [name for name in names if name not in PLACES and not name.startswith(".")]
    if others:
        raise InputError(f"store={store} holds other files ({', '.join(others[:3])}); choose a directory of its own")


def enter(store: str, claim: Claim) -> Manifest:
    """Return the newest manifest, for a run that has just got the claim; what no version names is removed."""
    manifest = read_newest(store)
    if claim.was_taken_over:
        create_exclusively(manifest_place(store, manifest.version + 1), manifest.fenced(now()).to_bytes())
        manifest = read_newest(store)
    claim.check()
    sweep(store, manifest)
    return manifest


def publish(store: str, manifest: Manifest, claim: Claim) -> None:
    """Make a version visible.

    Raises
    ------
    SimhashError
        The claim was lost, or the version is there already; nothing became visible.
    """
    claim.check()
    place = manifest_place(store, manifest.version)
    if not create_exclusively(place, manifest.to_bytes()):
        raise SimhashError(f"{place} is there already: another run was faster; nothing was written, run again")
    log.info("store=%s version=%d action=%s", store, manifest.version, manifest.action)


def sweep(store: str, manifest: Manifest) -> None:
    """Remove data that the newest version does not name, and manifests that are old. Only for who holds the claim."""
    for name in list_names(f"{store}/{DATA}"):
        if name not in manifest.directories:
            delete(f"{store}/{DATA}/{name}")
    named = {file.path for files in manifest.tables.values() for file in files}
    for name in list_files(f"{store}/{DATA}"):
        if f"{DATA}/{name}" not in named:
            delete_data(store, f"{DATA}/{name}")
    for name in list_names(f"{store}/{RECIPES}"):
        if name != f"{manifest.recipe}.json":
            delete(f"{store}/{RECIPES}/{name}")
    for place in (MANIFESTS, CLAIMS):
        for name in list_names(f"{store}/{place}"):
            if name.startswith(PARTIAL):
                delete(f"{store}/{place}/{name}")
    for version in versions(store)[:-KEPT_MANIFESTS]:
        if version != manifest.base:
            delete(f"{store}/{MANIFESTS}/{numbered(version)}")


def delete_data(store: str, path: str) -> None:
    """Delete a data file, with the checksum that Spark writes beside it on a local disk."""
    directory, name = posixpath.split(path)
    delete(f"{store}/{path}")
    delete(f"{store}/{directory}/.{name}.crc")
