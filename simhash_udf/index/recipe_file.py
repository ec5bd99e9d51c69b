"""A recipe as plain JSON, dictionaries and all, so that an index needs no other file to read a text."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from simhash_udf.errors import SettingError
from simhash_udf.kernel.recipe import DictEntry, Idf, Normalization, Recipe, View


def recipe_to_json(recipe: Recipe) -> dict[str, Any]:
    """Return every field of a recipe as plain JSON.

    Examples
    --------
    >>> recipe = Recipe(ngram=(1, 2), stop_words=frozenset({"的"}))
    >>> recipe_from_json(recipe_to_json(recipe)) == recipe
    True
    """
    return {**asdict(recipe), "stop_words": sorted(recipe.stop_words)}


def recipe_from_json(value: dict[str, Any]) -> Recipe:
    """Return the recipe of a JSON object that `recipe_to_json` made."""
    idf, thresholds = value["idf"], value["thresholds"]
    return Recipe(
        **{
            **value,
            "normalization": Normalization(**value["normalization"]),
            "views": tuple(View(**view) for view in value["views"]),
            "ngram": tuple(value["ngram"]),
            "stop_words": frozenset(value["stop_words"]),
            "user_dict": tuple(DictEntry(**entry) for entry in value["user_dict"]),
            "synonyms": tuple((old, new) for old, new in value["synonyms"]),
            "idf": idf and Idf(tuple(idf["terms"]), tuple(idf["values"]), idf["default"]),
            "thresholds": thresholds and tuple(tuple(row) for row in thresholds),
        }
    )


def check_specification(made_with: dict[str, Any], recipe: Recipe, place: str) -> None:
    """Refuse a recipe whose fingerprints are not those of the index.

    Raises
    ------
    SettingError
        A setting or the version of a package differs; the message has the old value and the new one of each.
    """
    here = recipe.specification()
    found = [f"{key} was {made_with.get(key)!r}, is {here[key]!r}" for key in here if here[key] != made_with.get(key)]
    if found:
        raise SettingError(
            f"{place} has fingerprints of another specification: {'; '.join(found)}; use the old values, or make the "
            f"fingerprints again"
        )
