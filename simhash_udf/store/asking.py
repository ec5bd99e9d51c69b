"""Which stored documents are near to a text: an index of the store's fingerprints is asked, without Spark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from simhash_udf.errors import InputError
from simhash_udf.index import FingerprintIndex
from simhash_udf.runtime.storage import exists, read_json, write_json
from simhash_udf.store.files import check_files
from simhash_udf.store.layout import FINGERPRINTS
from simhash_udf.store.manifest import Manifest, open_store
from simhash_udf.store.recipes import read_recipe

_OF_STORE = "store.json"


def open_index(store: str, *, max_distance: int, place: str | None) -> FingerprintIndex:
    """Return an index of the fingerprints of a store.

    Parameters
    ----------
    store
        Directory of the store.
    max_distance
        Largest distance that will be asked for.
    place
        Directory where the index is kept: it is opened there in milliseconds while the store has not changed, and made
        anew when it has. None makes it in memory: about 100 bytes and 2 microseconds a document.

    Raises
    ------
    InputError
        There is no store, it is damaged, or something else is at the place.
    """
    manifest = open_store(store)
    if place is not None and _is_current(place, store, manifest, max_distance):
        return FingerprintIndex.open(f"{place}/index")
    check_files(store, manifest)
    files = [f"{store}/{file.path}" for file in manifest.tables.get(FINGERPRINTS, ())]
    if not files:
        raise InputError(f"store={store} has no documents yet")
    recipe = read_recipe(store, manifest)
    index = FingerprintIndex.from_parquet(files, max_distance=max_distance, recipe=recipe)
    if place is not None:
        index.save(f"{place}/index", overwrite=True)
        write_json(f"{place}/{_OF_STORE}", _identity(store, manifest, max_distance))
    return index


def answer(index: FingerprintIndex, names: list[str], texts: list[str], max_distance: int) -> Iterator[str]:
    """Yield one line for each neighbour of each text: its name, the document, the distance; a name alone for none."""
    for name, near in zip(names, index.query_many(pa.array(texts, pa.string()), max_distance), strict=True):
        if not near:
            yield name
        for neighbor in near:
            yield f"{name}\t{neighbor.doc_id}\t{neighbor.distance}"


def read_texts(path: str) -> tuple[list[str], list[str]]:
    """Return names and texts of a file: the lines of a text file, named by their numbers.

    Raises
    ------
    InputError
        The file cannot be read as UTF-8 text.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"input={path} cannot be read as UTF-8 text, one text a line: {error}") from None
    return [str(number) for number in range(1, len(lines) + 1)], lines


def _identity(store: str, manifest: Manifest, max_distance: int) -> dict[str, object]:
    return {
        "store": store,
        "version": manifest.version,
        "created": manifest.created,
        "max_distance": max_distance,
    }


def _is_current(place: str, store: str, manifest: Manifest, max_distance: int) -> bool:
    """Whether the index at a place is of this version of the store and can be asked this far."""
    told = read_json(f"{place}/{_OF_STORE}") if exists(f"{place}/{_OF_STORE}") else None
    if told is None or told["max_distance"] < max_distance:
        return False
    return {**told, "max_distance": max_distance} == _identity(store, manifest, max_distance)
