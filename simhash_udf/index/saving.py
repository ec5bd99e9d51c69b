"""How an index is written to the directory of a generation, and read back without loading it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa

from simhash_udf.errors import InputError
from simhash_udf.index.array_file import map_arrays, map_file, write_arrays
from simhash_udf.index.band_file import put_together, take_apart
from simhash_udf.index.content import Content, Rules
from simhash_udf.index.directory import Generation
from simhash_udf.index.recipe_file import recipe_from_json, recipe_to_json
from simhash_udf.index.text_reader import TextReader

IDS, ARRAYS, BANDS, RECIPE = "ids.arrow", "arrays.bin", "bands.json", "recipe.json"


def write_content(directory: Path, content: Content) -> dict[str, Any]:
    """Write the files of a generation, and return what the manifest says besides."""
    with pa.OSFile(str(directory / IDS), "wb") as sink:
        table = pa.table([content.ids], names=["doc_id"])
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    description, arrays = take_apart(content.bands)
    places = write_arrays(directory / ARRAYS, arrays)
    reader = content.reader
    recipe = reader.recipe and {"recipe": recipe_to_json(reader.recipe), "specification": reader.made_with}
    _write_json(directory / BANDS, {"index": description, "arrays": places, "rules": asdict(content.rules)})
    _write_json(directory / RECIPE, recipe)
    return {"entries": len(content.ids), "max_distance": content.bands.max_distance}


def read_content(generation: Generation) -> Content:
    """Return the content of a generation; its arrays and ids are mapped, not loaded.

    Raises
    ------
    InputError
        A file is not what it should be.
    """
    place = generation.path.parent
    try:
        bands = _read_json(generation.path / BANDS)
        arrays = map_arrays(generation.path / ARRAYS, bands["arrays"])
        table = pa.ipc.open_file(pa.py_buffer(map_file(generation.path / IDS))).read_all()
        ids = table.column(0).combine_chunks()
        recipe = _read_json(generation.path / RECIPE)
        made_with = recipe and recipe["specification"]
        reader = TextReader(recipe and recipe_from_json(recipe["recipe"]), made_with, f"index={place}")
        content = Content(ids, put_together(bands["index"], arrays), Rules(**bands["rules"]), reader)
    except (OSError, ValueError, KeyError, TypeError, IndexError, pa.ArrowException) as error:
        raise InputError(f"index={place} is damaged: {error}; build it again") from None
    if len(ids) != len(content.bands):
        raise InputError(f"index={place} is damaged: {len(ids)} ids of {len(content.bands)} entries; build it again")
    return content


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False) + "\n", encoding="utf-8")


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
