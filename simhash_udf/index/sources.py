"""Fingerprints from Parquet files: those of the job ``fingerprint``, of a store, or any with such columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
from numpy.typing import NDArray

from simhash_udf.config import TextSettings, validated
from simhash_udf.errors import InputError, SettingError
from simhash_udf.index.calibrating import calibrated
from simhash_udf.index.ids import as_ids
from simhash_udf.index.items import read_items
from simhash_udf.index.recipe_file import check_specification
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.runtime.recipes import make_recipe
from simhash_udf.runtime.storage import filesystem, read_json

Words = NDArray[np.uint64]
Paths = str | Path | Sequence[str]

DOC_ID, FINGERPRINT, FINGERPRINTS = "doc_id", "fingerprint", "fingerprints"


def recipe_of(options: dict[str, Any]) -> Recipe:
    """Return the recipe of text settings by their names; the classic fingerprint unless they name thresholds.

    Raises
    ------
    SettingError
        A setting is unknown or cannot be right, or thresholds are to be learned from what is no text.
    """
    if options.get("calibration") == "sample":
        raise SettingError(
            "calibration='sample' learns from texts, and these are fingerprints; give the thresholds.json that they "
            "were made with, or make the index from_texts"
        )
    return make_recipe(validated(TextSettings, {"calibration": "none"} | options))


def recipe_of_texts(texts: Iterable[Any], options: dict[str, Any]) -> Recipe:
    """Return the recipe of text settings, calibrated on the texts unless the settings say otherwise."""
    if options.get("calibration", "sample") != "sample":
        return recipe_of(options)
    return calibrated(recipe_of({**options, "calibration": "none"}), texts)


def recipe_of_output(path: Paths, options: dict[str, Any]) -> Recipe | None:
    """Return the recipe of what the job ``fingerprint`` wrote, None for other Parquet files without settings.

    Raises
    ------
    SettingError
        The settings are not those of the job.
    """
    written = read_json(f"{path}/specification.json") if isinstance(path, str | Path) else None
    if written is None:
        return recipe_of(options) if options else None
    if written["recipe"].get("thresholds") is not None:
        options = {"calibration": f"{path}/thresholds.json"} | options
    recipe = recipe_of(options)
    check_specification(written["recipe"], recipe, str(path))
    return recipe


def read_fingerprints(path: Paths) -> tuple[pa.Array, Words]:
    """Return the ids and words of all rows that have a fingerprint.

    Parameters
    ----------
    path
        A Parquet file, a directory of them, the output of the job ``fingerprint``, or a list of files.

    Raises
    ------
    InputError
        There is nothing to read, or a column is missing.
    """
    dataset = _dataset(path)
    missing = [name for name in (DOC_ID, FINGERPRINT) if name not in dataset.schema.names]
    if missing:
        raise InputError(f"{path} has no column {missing[0]!r}; give a table of fingerprints")
    has_views = FINGERPRINTS in dataset.schema.names
    column = FINGERPRINTS if has_views else FINGERPRINT
    ids, parts, num_views = [], [], 1
    for batch in dataset.to_batches(columns=[DOC_ID, column]):
        values = batch.column(column)
        if has_views and len(present := values.drop_null()):
            num_views = present[0].as_py().__len__()
        words, has_value = read_items(values, num_views, _no_texts)
        ids.append(batch.column(DOC_ID).filter(pa.array(has_value)))
        parts.append(words[has_value])
    parts = [part for part in parts if len(part)] or [np.empty((0, num_views), dtype=np.uint64)]
    return as_ids(pa.chunked_array(ids, type=dataset.schema.field(DOC_ID).type)), np.concatenate(parts)


def _dataset(path: Paths) -> ds.Dataset:
    """Open the files on whatever file system they are."""
    places = [str(path)] if isinstance(path, str | Path) else list(path)
    if not places:
        raise InputError("no file of fingerprints was given; name one or more")
    if len(places) == 1 and read_json(f"{places[0]}/specification.json") is not None:
        places = [f"{places[0]}/{FINGERPRINTS}"]
    files, _ = filesystem(places[0])
    inner = [filesystem(place)[1] for place in places]
    try:
        return ds.dataset(inner if len(inner) > 1 else inner[0], format="parquet", filesystem=files)
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{path} cannot be read as Parquet: {error}") from None


def _no_texts(texts: Any) -> Any:
    """Refuse a column of texts where fingerprints should be."""
    raise InputError(f"the column of fingerprints holds {texts.type}; give a table of fingerprints")
