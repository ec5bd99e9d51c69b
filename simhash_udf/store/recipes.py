"""The recipe of a store: one file, named by its digest, that says how texts are read, dictionaries and all.

With it a text can be asked for without naming its settings again; a batch still brings its own, which are compared.
"""

from __future__ import annotations

import hashlib
import json

from simhash_udf.errors import InputError
from simhash_udf.index.recipe_file import recipe_from_json, recipe_to_json
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.runtime.exclusive import create_exclusively
from simhash_udf.runtime.storage import exists, read_bytes
from simhash_udf.store.layout import recipe_place
from simhash_udf.store.manifest import Manifest


def write_recipe(store: str, recipe: Recipe) -> str:
    """Write the file of a recipe unless it is there, and return its digest."""
    content = json.dumps(recipe_to_json(recipe), ensure_ascii=False).encode("utf-8")
    digest = hashlib.sha256(content).hexdigest()
    if not exists(recipe_place(store, digest)):
        create_exclusively(recipe_place(store, digest), content)
    return digest


def read_recipe(store: str, manifest: Manifest) -> Recipe:
    """Return the recipe of a store.

    Raises
    ------
    InputError
        Its file is missing, or not as it was written.
    """
    place = recipe_place(store, manifest.recipe)
    try:
        content = read_bytes(place)
    except FileNotFoundError:
        raise InputError(f"store={store} is damaged: {place} is missing; restore it from a copy") from None
    if hashlib.sha256(content).hexdigest() != manifest.recipe:
        raise InputError(f"store={store} is damaged: {place} has another content; restore it from a copy")
    return recipe_from_json(json.loads(content))
