"""Whether a store is as it was written: every manifest, and every file's rows, bytes and digest; no Spark."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa

from simhash_udf.errors import InputError
from simhash_udf.runtime.digests import digest_of_file
from simhash_udf.runtime.storage import exists
from simhash_udf.store.files import THREADS, describe_file
from simhash_udf.store.layout import recipe_place
from simhash_udf.store.manifest import DataFile, Manifest, open_store, read_manifest, versions


def verify_store(store: str) -> str:
    """Return one line on what was checked. Cost: every byte of the newest version is read.

    Raises
    ------
    InputError
        Something is not as it was written; the message names every file.
    """
    faults = list(_manifest_faults(store))
    manifest = open_store(store) if not faults or _newest_is_whole(store) else None
    checked = [file for files in manifest.tables.values() for file in files] if manifest else []
    with ThreadPoolExecutor(THREADS) as pool:
        faults += [fault for fault in pool.map(lambda file: _file_fault(store, file), checked) if fault]
    if manifest:
        faults += _recipe_faults(store, manifest) + list(_count_faults(manifest))
    if faults:
        raise InputError(f"store={store} is damaged: {'; '.join(faults)}; restore what is named from a copy")
    rows, size = sum(file.rows for file in checked), sum(file.bytes for file in checked)
    return f"{store} is whole: {len(versions(store))} manifests, {len(checked)} files, {rows:,} rows, {size:,} bytes"


def _manifest_faults(store: str) -> Iterator[str]:
    for version in versions(store):
        try:
            read_manifest(store, version)
        except InputError as error:
            yield str(error)


def _newest_is_whole(store: str) -> bool:
    try:
        open_store(store)
    except InputError:
        return False
    return True


def _file_fault(store: str, file: DataFile) -> str | None:
    """What is wrong with a file, None if nothing is."""
    try:
        found = describe_file(store, file.path)
    except FileNotFoundError:
        return f"{file.path} is missing"
    except (OSError, pa.ArrowException):
        return f"{file.path} cannot be read as Parquet"
    wrong = [
        f"{name} {getattr(found, name)} instead of {getattr(file, name)}"
        for name in ("rows", "bytes", "sha256")
        if getattr(found, name) != getattr(file, name)
    ]
    return f"{file.path} has {', '.join(wrong)}" if wrong else None


def _recipe_faults(store: str, manifest: Manifest) -> list[str]:
    place = recipe_place(store, manifest.recipe)
    if not exists(place):
        return [f"{place} is missing"]
    return [] if digest_of_file(place) == manifest.recipe else [f"{place} has another content"]


def _count_faults(manifest: Manifest) -> Iterator[str]:
    rows = sum(file.rows for file in manifest.tables.get("fingerprints", ()))
    if rows != manifest.counts["documents"]:
        yield f"the manifest counts {manifest.counts['documents']} documents, its files have {rows}"
