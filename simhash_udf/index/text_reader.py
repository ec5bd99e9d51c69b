"""Texts to words by the recipe of an index, where it has one that can be followed here."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from simhash_udf.errors import SettingError
from simhash_udf.index.items import Read
from simhash_udf.index.recipe_file import check_specification
from simhash_udf.kernel.fingerprint import fingerprinter
from simhash_udf.kernel.recipe import Recipe


class TextReader:
    """Makes the fingerprints of texts.

    Parameters
    ----------
    recipe
        How; None for an index of bare fingerprints.
    made_with
        Specification under which the fingerprints of the index were made; None for an index of bare fingerprints.
    place
        What to call the index in a message.
    """

    def __init__(self, recipe: Recipe | None, made_with: dict[str, Any] | None, place: str) -> None:
        self.recipe = recipe
        self.made_with = made_with
        self._place = place
        self._is_checked = False

    def __call__(self, texts: list[str] | pa.Array) -> Read:
        """Return words and which texts have a fingerprint.

        Raises
        ------
        SettingError
            There is no recipe, or the packages installed here make other fingerprints of the same text.
        """
        if self.recipe is None or self.made_with is None:
            raise SettingError(
                f"{self._place} was made of fingerprints alone and cannot read a text; ask with a fingerprint, or make "
                f"the index with the text settings that the fingerprints were made with, as tokenizer='jieba'"
            )
        if not self._is_checked:
            check_specification(self.made_with, self.recipe, self._place)
            self._is_checked = True
        made = fingerprinter(self.recipe)(texts if isinstance(texts, pa.Array) else pa.array(texts, pa.large_string()))
        return made.values, made.has_value
