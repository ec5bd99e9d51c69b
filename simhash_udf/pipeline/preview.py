"""The plan of a run before the run: in seconds, however large the input."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.config import Settings
from simhash_udf.kernel.plan import BandPlan
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.pipeline.fingerprinting import known_fingerprints, learn_from, spread
from simhash_udf.pipeline.planning import plan_join
from simhash_udf.runtime.input_sample import sample_input
from simhash_udf.runtime.inputs import Source
from simhash_udf.runtime.tables import WorkTables
from simhash_udf.stages.documents import select_documents
from simhash_udf.stages.fingerprints import build_fingerprints, select_nodes

SAMPLE_DOCUMENTS = 20_000
"""Documents that are fingerprinted to show a plan without a run: about 5 s on two cores."""

SAMPLE_BYTES = 2.5e8
"""Bytes of the files that the documents or fingerprints are taken from."""

FINGERPRINT_ROW_BYTES = 32
"""A row of the fingerprints table: id, fingerprint and digest of 8 bytes each, and counts."""


def preview_plan(source: Source, settings: Settings, recipe: Recipe, tables: WorkTables | None = None) -> BandPlan:
    """Return the plan of a run without doing it, in a time that does not grow with the input.

    It is made from the fingerprints of an earlier run where ``tables`` has them; from the input where that is the
    ``fingerprints/`` of jobs/fingerprint.py; and else from documents of the input. The run itself samples all
    fingerprints, this looks into some files.
    """
    known = None if tables is None else known_fingerprints(source, settings, recipe, tables)
    if known is not None:
        stored = Source(known.frame, known.digest, known.rows * FINGERPRINT_ROW_BYTES, source.cores)
        as_stored = settings.model_copy(update={"input_format": "parquet", "input_option": ()})
        return _plan_of_fingerprints(stored, as_stored, recipe)
    columns = source.frame.columns
    if schema.FINGERPRINT in columns and settings.text_column not in columns:
        return _plan_of_fingerprints(source, settings, recipe)
    return _plan_of_documents(source, settings, recipe)


def _plan_of_fingerprints(source: Source, settings: Settings, recipe: Recipe) -> BandPlan:
    some = sample_input(source, settings, wanted_bytes=SAMPLE_BYTES)
    nodes = select_nodes(some.frame, num_views=len(recipe.views))
    return plan_join(nodes, some.all_rows, settings, source.cores, sampled_from=some.rows)


def _plan_of_documents(source: Source, settings: Settings, recipe: Recipe) -> BandPlan:
    some = sample_input(source, settings, wanted_bytes=SAMPLE_BYTES)
    share = min(SAMPLE_DOCUMENTS / max(some.rows, 1), 1.0)
    rows = some.frame.sample(fraction=share, seed=0) if share < 1 else some.frame
    documents = select_documents(rows, id_column=settings.id_column, text_column=settings.text_column)
    usable = spread(documents.filter(F.col(schema.TEXT).isNotNull()), source)
    if settings.calibration == "sample":
        learned = learn_from(usable, recipe)["thresholds"]
        recipe = recipe if learned is None else replace(recipe, thresholds=learned)
    nodes = select_nodes(build_fingerprints(usable, recipe), num_views=len(recipe.views))
    return plan_join(nodes, some.all_rows, settings, source.cores, sampled_from=SAMPLE_DOCUMENTS)
