"""From documents to fingerprints: survey, calibration, fingerprints."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.config import FingerprintSettings
from simhash_udf.errors import InputError, SimhashError
from simhash_udf.kernel.calibration import MIN_SAMPLE, learn_thresholds
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.runtime.inputs import Source
from simhash_udf.runtime.tables import StageTable, Tables, WorkTables
from simhash_udf.stages.documents import repeated_ids, select_documents, without_bad_rows
from simhash_udf.stages.fingerprints import build_fingerprints, build_scores, calibration_sample

log = logging.getLogger("simhash_udf")

CALIBRATION_SAMPLE = 2_000
"""Documents whose scores give the thresholds; 500 gave the same medians as 7,000."""


@dataclass(frozen=True)
class Fingerprinted:
    """Fingerprints of a source, with what was counted on the way and the recipe that made them."""

    table: StageTable
    repeated: StageTable
    recipe: Recipe
    counts: dict[str, int]


def fingerprint_documents(
    source: Source, settings: FingerprintSettings, recipe: Recipe, tables: Tables
) -> Fingerprinted:
    """Return the fingerprints of all usable documents, calibrated first if the settings ask for it.

    Raises
    ------
    InputError
        Bad rows, where the policy is to fail; the message counts them.
    """
    documents = select_documents(source.frame, id_column=settings.id_column, text_column=settings.text_column)
    key = _input_key(source, settings)
    # 1 survey
    repeated = tables.table("repeated_ids", key, lambda: repeated_ids(documents))
    counts = tables.value(
        "survey", key | {"texts": settings.on_bad_rows == "fail"}, lambda: _survey(documents, settings, repeated)
    )
    _refuse_bad_rows(counts, settings)
    usable = spread(without_bad_rows(documents, repeated.frame if repeated.rows else None), source)
    # 2 calibrate
    if settings.calibration == "sample":
        recipe = _calibrated(usable, recipe, tables, key)
    # 3 fingerprint
    made = _recipe_key(key, recipe)
    table = tables.table("fingerprints", made, lambda: build_fingerprints(usable, recipe))
    return Fingerprinted(table, repeated, recipe, _count_fingerprints(table, counts))


def known_fingerprints(
    source: Source, settings: FingerprintSettings, recipe: Recipe, tables: WorkTables
) -> StageTable | None:
    """Return the fingerprints that an earlier run has made of the same input with the same settings, if it has."""
    key = _input_key(source, settings)
    if settings.calibration == "sample":
        learned = tables.known_value("calibrate", _calibration_key(key, recipe))
        if learned is None:
            return None
        recipe = _with_thresholds(recipe, learned["thresholds"])
    return tables.known_table("fingerprints", _recipe_key(key, recipe))


def learn_from(documents: DataFrame, recipe: Recipe) -> dict[str, Any]:
    """Thresholds from a sample of documents, None where it is too small, with the number of documents in it."""
    rows = build_scores(calibration_sample(documents, CALIBRATION_SAMPLE), recipe).toArrow().column(0)
    flat = rows.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return {"documents": len(rows), "thresholds": learn_thresholds(flat.reshape(len(rows), len(recipe.views), 64))}


def spread(documents: DataFrame, source: Source) -> DataFrame:
    """The documents over all cores: a small input is often one file that cannot be split."""
    megabytes = source.bytes / 1e6
    if megabytes > 512:
        return documents
    return documents.repartition(max(2 * source.cores, int(megabytes / 4)))


def _survey(documents: DataFrame, settings: FingerprintSettings, repeated: StageTable) -> dict[str, int]:
    """Count rows and bad rows; texts are read only where a null text must stop the run."""
    null_text = F.count(F.when(F.col(schema.TEXT).isNull(), 1)) if settings.on_bad_rows == "fail" else F.lit(0)
    row = documents.agg(F.count("*"), F.count(schema.DOC_ID), null_text).first()
    rows = repeated.frame.agg(F.coalesce(F.sum("rows"), F.lit(0))).first()
    if row is None or rows is None:
        raise SimhashError("the input could not be counted")
    return {"documents": row[0], "null_ids": row[0] - row[1], "repeated_ids": rows[0], "null_texts": row[2]}


def _refuse_bad_rows(counts: Mapping[str, int], settings: FingerprintSettings) -> None:
    ids_may_be_bad = settings.on_bad_rows == "set_aside"
    for name, what in (("null_ids", "a null id"), ("repeated_ids", "an id that other rows have too")):
        if counts[name] and not ids_may_be_bad:
            raise InputError(
                f"{counts[name]} rows have {what} in column {settings.id_column!r}; choose another id_column, "
                f"or set them aside with on_bad_rows=set_aside"
            )
    if counts["null_texts"]:
        raise InputError(
            f"{counts['null_texts']} rows have a null in column {settings.text_column!r}; choose another text_column, "
            f"or set them aside with on_bad_rows=set_aside"
        )


def _calibrated(usable: DataFrame, recipe: Recipe, tables: Tables, key: dict[str, Any]) -> Recipe:
    """The recipe with the medians of a sample as thresholds; as it was where the sample is too small."""
    settings = _calibration_key(key, recipe)
    learned = tables.value("calibrate", settings, lambda: learn_from(usable, recipe))["thresholds"]
    if learned is None:
        log.warning("calibration=none: there are fewer than %d documents with features to learn from", MIN_SAMPLE)
    return _with_thresholds(recipe, learned)


def _with_thresholds(recipe: Recipe, learned: Any) -> Recipe:
    return recipe if learned is None else replace(recipe, thresholds=tuple(tuple(row) for row in learned))


def _input_key(source: Source, settings: FingerprintSettings) -> dict[str, Any]:
    return {"input": source.digest, "id_column": settings.id_column, "text_column": settings.text_column}


def _calibration_key(key: dict[str, Any], recipe: Recipe) -> dict[str, Any]:
    return key | {"recipe": recipe.specification(), "sample": CALIBRATION_SAMPLE}


def _recipe_key(key: dict[str, Any], recipe: Recipe) -> dict[str, Any]:
    return key | {"recipe": recipe.specification()}


def _count_fingerprints(table: StageTable, counts: Mapping[str, int]) -> dict[str, int]:
    """The survey's counts with what became known by fingerprinting."""
    row = table.frame.agg(F.count(schema.FINGERPRINT), F.count(F.when(F.col(schema.IS_CUT), 1))).first()
    if row is None:
        raise SimhashError("the fingerprints could not be counted")
    null_texts = counts["documents"] - counts["null_ids"] - counts["repeated_ids"] - table.rows
    return dict(counts) | {
        "null_texts": null_texts,
        "fingerprinted": table.rows,
        "without_fingerprint": table.rows - row[0],
        "cut": row[1],
    }
