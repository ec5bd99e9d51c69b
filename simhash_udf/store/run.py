"""A run of the main job with a store: one batch is matched against all that came before, and added."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from simhash_udf import schema, store_schema
from simhash_udf.alarms import check_removed
from simhash_udf.config import Settings
from simhash_udf.errors import InputError
from simhash_udf.keeping import KEEP_PREFIX
from simhash_udf.kernel.calibration import MIN_SAMPLE
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.pipeline.fingerprinting import fingerprint_documents
from simhash_udf.report import describe_groups
from simhash_udf.report_page.making import write_page
from simhash_udf.runtime.inputs import Source, input_places, read_source
from simhash_udf.runtime.output import OutputDirectory, check_place
from simhash_udf.runtime.progress import running_step
from simhash_udf.runtime.recipes import make_recipe, thresholds_of
from simhash_udf.runtime.storage import delete
from simhash_udf.runtime.tables import WorkTables
from simhash_udf.stages.answered import ADDED_COLUMNS
from simhash_udf.stages.documents import select_documents
from simhash_udf.stages.groups import select_keep_values
from simhash_udf.stages.outputs import check_free_names
from simhash_udf.store import layout
from simhash_udf.store.adding import Addition, Batch, add_batch
from simhash_udf.store.claim import Claim
from simhash_udf.store.files import check_files
from simhash_udf.store.frames import StoreFrames
from simhash_udf.store.heartbeat import held
from simhash_udf.store.identity import base_of, content_digest, find_same_run, input_digest, refuse_other_input
from simhash_udf.store.manifest import Manifest, RunRecord
from simhash_udf.store.publishing import check_is_store, enter
from simhash_udf.store.recipes import read_recipe
from simhash_udf.store.results import RunResults, is_written, write_results
from simhash_udf.store.specification import calibrated_as, check_specification, specify
from simhash_udf.version import __version__

log = logging.getLogger("simhash_udf")


@dataclass(frozen=True)
class Request:
    """A run as it was asked for: settings, session, and the input with the columns that keep policies read.

    ``was_written`` says that the output has whole results of a run of this name.
    """

    spark: SparkSession
    store: str
    settings: Settings
    source: Source
    keep_values: DataFrame | None
    was_written: bool


@dataclass(frozen=True)
class Outcome:
    """The store with the run in it, what was large, what the stages took, and whether the run was there already."""

    manifest: Manifest
    run: RunRecord
    recipe: Recipe
    large: list[dict[str, Any]]
    stages: list[dict[str, Any]]
    is_old: bool


def run_with_store(spark: SparkSession, settings: Settings) -> None:
    """Add the input's documents to the store, and write what that changed if there is an output.

    The run is in the store once its manifest is; results are read back from there, so a run that ended between the two
    writes them when it is started again.

    Raises
    ------
    SettingError, InputError
        A setting or the input is wrong, or the store is damaged, of another specification or held by another run;
        nothing becomes visible.
    AlarmError
        A larger share is removed than the settings allow; everything is written.
    """
    start = time.monotonic()
    store = str(settings.store).rstrip("/")
    places = input_places(settings)
    check_place("store", store, places)
    check_place("work_dir", settings.work_dir, [*places, store])
    check_is_store(store)
    was_written = is_written(settings) and not settings.replace_run
    output = _output(settings, [*places, store], overwrite=settings.overwrite or was_written)
    source = read_source(spark, settings)
    check_free_names(source.frame, settings.mode, ADDED_COLUMNS)
    keep_values = select_keep_values(source.frame, id_column=settings.id_column, keep=settings.keep)
    request = Request(spark, store, settings, source, keep_values, was_written)
    with held(store, f"run {settings.run_id}", wait_s=settings.claim_wait) as claim:
        outcome = _find_or_add(request, claim)
        report = _report(outcome, settings)
        if output is not None and not (was_written and outcome.is_old and not settings.overwrite):
            results = RunResults(StoreFrames(spark, store, outcome.manifest), outcome.run, len(outcome.recipe.views))
            steps: dict[str, float] = {}
            with running_step(spark, "results", steps):
                report |= write_results(output, results, source, settings)
            written = spark.read.parquet(f"{output.path}/groups")
            report |= describe_groups(written)
            report |= {"steps": steps, "seconds": round(time.monotonic() - start, 1)}
            output.write_json("report.json", report)
            with running_step(spark, "page", steps):
                write_page(output, report, written, source.frame, settings)
            if outcome.recipe.thresholds is not None:
                output.write_json("thresholds.json", thresholds_of(outcome.recipe))
            output.finish()
        if settings.work_dir is None:
            delete(f"{store}/{layout.WORK}")
    log.info("done: %s", " ".join(f"{name}={value}" for name, value in report["counts"].items()))
    check_removed(report, settings.fail_if_removed_over)


def _output(settings: Settings, inputs: list[str], *, overwrite: bool) -> OutputDirectory | None:
    """Where results go, None if only the store gets them."""
    return OutputDirectory(settings.output, inputs=inputs, overwrite=overwrite) if settings.output else None


def _find_or_add(request: Request, claim: Claim) -> Outcome:
    """The run as it is in the store, added first unless it is there."""
    settings, source, store = request.settings, request.source, request.store
    newest = enter(store, claim)
    check_files(store, newest)
    same = find_same_run(newest, settings)
    if same is None and request.was_written and not settings.overwrite:
        raise InputError(
            f"output={settings.output} holds results of run_id={settings.run_id}, which store={store} has not; choose "
            f"another directory, or --overwrite"
        )
    base = base_of(store, newest, settings)
    recipe = make_recipe(settings)
    if not base.is_empty:
        recipe = calibrated_as(recipe, read_recipe(store, base), settings.calibration)
        check_specification(store, base.specification, _specify(request, recipe))
    digest = input_digest(source.digest, settings)
    if same is not None and same.input == digest:
        return _already(newest, same, recipe)
    tables = WorkTables(request.spark, settings.work_dir or f"{store}/{layout.WORK}", resume=settings.resume)
    calibration = settings.calibration if base.is_empty else "none"
    made = fingerprint_documents(source, settings.model_copy(update={"calibration": calibration}), recipe, tables)
    content = content_digest(made.table.frame)
    if same is not None:
        return _already(newest, same, recipe) if same.content == content else refuse_other_input(settings)
    if settings.calibration == "sample" and made.recipe.thresholds is None:
        raise InputError(
            f"a store keeps its calibration for ever, and this first batch has fewer than {MIN_SAMPLE} documents to "
            f"learn from; begin with a larger one, or give --calibration none, or the thresholds.json of another run"
        )
    addition = Addition(StoreFrames(request.spark, store, base), newest.version, claim, settings, tables, source.cores)
    batch = Batch(made, request.keep_values, _specify(request, made.recipe), digest, content)
    manifest, large = add_batch(addition, batch)
    return Outcome(manifest, manifest.runs[-1], made.recipe, large, tables.summaries(), is_old=False)


def _already(manifest: Manifest, run: RunRecord, recipe: Recipe) -> Outcome:
    """The outcome of a run that is in the store."""
    log.info("run_id=%s is in the store since version %d, with this input; nothing is added", run.run_id, run.version)
    return Outcome(manifest, run, recipe, [], [], is_old=True)


def _specify(request: Request, recipe: Recipe) -> dict[str, Any]:
    """What a store is held to, of this run."""
    settings = request.settings
    documents = select_documents(request.source.frame, id_column=settings.id_column, text_column=settings.text_column)
    fields = [] if request.keep_values is None else request.keep_values.schema.fields
    types = {
        field.name.removeprefix(KEEP_PREFIX): field.dataType.simpleString()
        for field in fields
        if field.name.startswith(KEEP_PREFIX)
    }
    id_type = documents.schema[schema.DOC_ID].dataType.simpleString()
    return specify(recipe, id_type=id_type, keep=settings.keep, keep_types=types)


def _report(outcome: Outcome, settings: Settings) -> dict[str, Any]:
    """The report of a run, but for what its results add."""
    run = outcome.run
    removed = {"removed": run.counts[store_schema.DUPLICATE], "fingerprinted": run.counts["admitted"]}
    return {
        "version": __version__,
        "settings": settings.model_dump(mode="json"),
        "recipe": outcome.recipe.specification(),
        "is_calibrated": outcome.recipe.thresholds is not None,
        "run": {"run_id": run.run_id, "version": run.version, "created": run.created, "was_there": outcome.is_old},
        "store": {"version": outcome.manifest.version, **outcome.manifest.counts},
        "counts": {**run.counts, **removed},
        "large_groups": outcome.large,
        "stages": outcome.stages,
    }
