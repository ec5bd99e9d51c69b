"""From settings to the recipe of fingerprints: reads the dictionaries and tables that the settings name."""

from __future__ import annotations

import io
import logging
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from simhash_udf.config import TextSettings
from simhash_udf.errors import SettingError
from simhash_udf.kernel.recipe import DictEntry, Idf, Normalization, Recipe, View
from simhash_udf.kernel.resources import (
    builtin_stop_words,
    ineffective_entries,
    parse_stop_words,
    parse_synonyms,
    parse_user_dict,
)
from simhash_udf.runtime.storage import read_bytes, read_json, read_text

Parsed = TypeVar("Parsed")

log = logging.getLogger("simhash_udf")

SHOWN_WORDS = 5

IDF_COLUMNS = ("term", "idf")
DEFAULT_IDF_KEY = b"simhash.default_idf"


def make_recipe(settings: TextSettings) -> Recipe:
    """Return the recipe of the settings, with the content of every file they name.

    It is classic unless ``calibration`` names a file of thresholds: a sample can be taken only when documents are read.

    Raises
    ------
    SettingError
        A file cannot be read, or a line of it is malformed.
    """
    recipe = Recipe(
        normalization=normalization_of(settings),
        views=make_views(settings.view_tokenizers),
        engine=settings.engine,
        ngram=settings.ngram,
        weight=settings.weight,
        top_k=settings.top_k,
        stop_words=_stop_words(settings.stop_words),
        min_token_length=settings.min_token_length,
        user_dict=_user_dict(settings),
        synonyms=_parsed(settings.synonyms, "synonyms", parse_synonyms) or (),
        idf=read_idf(settings.idf) if settings.idf else None,
        max_chars=settings.max_chars,
        min_features=settings.min_features,
    )
    return recipe if settings.calibration in {"none", "sample"} else read_thresholds(settings.calibration, recipe)


def make_views(tokenizers: tuple[str, ...]) -> tuple[View, ...]:
    """Return the views of the tokenizers; one that is named again takes other bits of the feature hash."""
    seen: Counter[str] = Counter()
    views = []
    for tokenizer in tokenizers:
        views.append(View(tokenizer, bits=seen[tokenizer]))
        seen[tokenizer] += 1
    return tuple(views)


def read_idf(path: str) -> Idf:
    """Return the table that ``jobs/fit_idf.py`` wrote."""
    try:
        table = pq.read_table(io.BytesIO(read_bytes(path)))
        default = float((table.schema.metadata or {})[DEFAULT_IDF_KEY])
        terms, values = (table.column(name).to_pylist() for name in IDF_COLUMNS)
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        raise SettingError(f"idf={path} is not a table of jobs/fit_idf.py: {error}; fit it again") from None
    return Idf(tuple(terms), tuple(values), default)


def thresholds_of(recipe: Recipe) -> dict[str, Any]:
    """Return the content of ``thresholds.json``: the thresholds, and the text settings they belong to."""
    rows = [list(row) for row in recipe.thresholds or ()]
    return {"recipe": _settings_of(recipe), "thresholds": rows}


def read_thresholds(path: str, recipe: Recipe) -> Recipe:
    """Return the recipe with the thresholds of a file that a calibrated run wrote.

    Raises
    ------
    SettingError
        The file holds no thresholds, or those of other text settings; the message names them.
    """
    content = read_json(path) or {}
    rows, theirs, ours = content.get("thresholds"), content.get("recipe"), _settings_of(recipe)
    if not isinstance(rows, list) or not isinstance(theirs, dict):
        raise SettingError(
            f"calibration={path} holds no thresholds; give none, sample, or the thresholds.json of an earlier run"
        )
    differing = [key for key in ours if theirs.get(key) != ours[key]]
    if differing:
        changes = "; ".join(f"{key} was {theirs.get(key)}, is {ours[key]}" for key in differing)
        raise SettingError(f"calibration={path} was learned with other settings ({changes}); use these, or learn anew")
    try:
        thresholds = tuple(tuple(map(float, row)) for row in rows)
    except (TypeError, ValueError, OverflowError):
        thresholds = ((math.nan,),)
    if not all(math.isfinite(value) for row in thresholds for value in row):
        raise SettingError(f"calibration={path} holds something else than numbers; learn the thresholds anew")
    return replace(recipe, thresholds=thresholds)


def _settings_of(recipe: Recipe) -> dict[str, Any]:
    """What thresholds depend on: the specification without thresholds and package versions."""
    return {key: value for key, value in recipe.specification().items() if key not in {"thresholds", "packages"}}


def normalization_of(settings: TextSettings) -> Normalization:
    """Return how texts are normalised; no file is read."""
    return Normalization(
        keep_punctuation=settings.keep_punctuation,
        strip_html=settings.strip_html,
        strip_urls=settings.strip_urls,
        fold_digits=settings.digits == "fold",
        to_simplified=settings.t2s,
    )


def _user_dict(settings: TextSettings) -> tuple[DictEntry, ...]:
    """Entries of the user dictionary; those that no text can match are named in a warning."""
    entries = _parsed(settings.user_dict, "user_dict", parse_user_dict) or ()
    if entries:
        useless = ineffective_entries(entries, normalization_of(settings))
        log.info("user_dict=%s has %d entries that can match", settings.user_dict, len(entries) - len(useless))
        if useless:
            words = ", ".join(entry.word for entry in useless[:SHOWN_WORDS])
            log.warning("user_dict: %d entries match no text, as punctuation is taken out: %s", len(useless), words)
    return entries


def _stop_words(setting: str | None) -> frozenset[str]:
    if setting == "builtin":
        return builtin_stop_words()
    return _parsed(setting, "stop_words", parse_stop_words) or frozenset()


def _parsed(path: str | None, option: str, parse: Callable[..., Parsed]) -> Parsed | None:
    if path is None:
        return None
    try:
        return parse(read_text(path), name=path)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(f"{option}={path} cannot be read as UTF-8 text: {error}") from None
