"""The whole job as one call: from an input to written results, or from a DataFrame to its groups."""

from __future__ import annotations

import logging
import time
import uuid
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from simhash_udf.alarms import check_group_sizes, check_removed, report_chains, report_sources
from simhash_udf.config import Settings, validated
from simhash_udf.pipeline.fingerprinting import Fingerprinted, fingerprint_documents
from simhash_udf.pipeline.grouping import Grouped, group_fingerprints
from simhash_udf.pipeline.joining import compare_with_plan
from simhash_udf.pipeline.preview import preview_plan
from simhash_udf.report import build_report
from simhash_udf.report_page.making import write_page
from simhash_udf.runtime.inputs import Source, input_places, partition_columns, read_source
from simhash_udf.runtime.output import WORK, OutputDirectory, check_place
from simhash_udf.runtime.recipes import make_recipe, thresholds_of
from simhash_udf.runtime.session import num_cores
from simhash_udf.runtime.storage import delete
from simhash_udf.runtime.tables import CheckpointTables, WorkTables
from simhash_udf.stages.documents import select_rejected, without_rejected
from simhash_udf.stages.groups import select_keep_values
from simhash_udf.stages.outputs import annotate_documents, check_free_names, filter_documents, select_edges
from simhash_udf.store.run import run_with_store

log = logging.getLogger("simhash_udf")


@dataclass(frozen=True)
class Result:
    """What a run found: fingerprints, and the groups of them."""

    made: Fingerprinted
    found: Grouped


def run_dedup(spark: SparkSession, settings: Settings) -> None:
    """Find the groups of the input's documents and write the results that the settings ask for.

    Earlier results stay until all tables of the new ones are computed; ``_SUCCESS`` is written last.

    Raises
    ------
    SettingError, InputError
        A setting or the input is wrong, or a group is larger than the settings allow; nothing is written.
    AlarmError
        A larger share is removed than the settings allow; everything is written.
    """
    recipe = make_recipe(settings)
    if settings.plan:
        tables = WorkTables(spark, settings.work_dir, resume=settings.resume) if settings.work_dir else None
        print(preview_plan(read_source(spark, settings), settings, recipe, tables).describe())
        return
    if settings.store is not None:
        run_with_store(spark, settings)
        return
    start = time.monotonic()
    log.info("settings: %s", " ".join(f"{name}={value}" for name, value in settings.effective.items()))
    output = OutputDirectory(settings.output, inputs=input_places(settings), overwrite=settings.overwrite)
    check_place("work_dir", settings.work_dir, input_places(settings))
    source = read_source(spark, settings)
    check_free_names(source.frame, settings.mode)
    select_keep_values(source.frame, id_column=settings.id_column, keep=settings.keep)  # refuses before the work
    tables = WorkTables(spark, settings.work_dir or f"{output.path}/{WORK}", resume=settings.resume)
    made = fingerprint_documents(source, settings, recipe, tables)
    found = group_fingerprints(made, source, settings, tables)
    large = check_group_sizes(found.groups.frame, settings)
    with tables.step("results"):
        _write_results(output, settings, source, Result(made, found))
    with tables.step("counts"):
        counted = _reported(settings, source, Result(made, found))
    stages = tables.summaries()
    about = {
        "settings": settings.model_dump(mode="json"),
        "effective": settings.effective,
        "recipe": made.recipe.specification(),
        "is_calibrated": made.recipe.thresholds is not None,
        "plan": found.plan.to_dict(),
        "join": compare_with_plan(found.plan, found.measured),
        "stages": stages,
        "steps": tables.steps,
        "seconds": round(time.monotonic() - start, 1),
        "finished": datetime.now(timezone.utc).isoformat(timespec="seconds"),
    }
    report: dict[str, Any] = about | counted | {"large_groups": large}
    output.write_json("report.json", report)
    written = spark.read.schema(found.groups.frame.schema).parquet(f"{output.path}/groups")
    with tables.step("page"):
        write_page(output, report, written, source.frame, settings)
    output.finish()
    if settings.work_dir is None:
        delete(f"{output.path}/{WORK}")
    log.info("done: %s", " ".join(f"{name}={value}" for name, value in report["counts"].items()))
    check_removed(report, settings.fail_if_removed_over)


def find_duplicates(
    documents: DataFrame, *, id_column: str = "id", text_column: str = "text", **options: Any
) -> DataFrame:
    """Return the groups of near-duplicate documents: one row a member, groups of two or more only.

    Parameters
    ----------
    documents
        Any DataFrame with an id and a text column.
    id_column, text_column
        Their names.
    **options
        Any setting of the job by its name, such as ``max_distance=4``, ``tokenizer="char"``, ``keep=("longest",)``;
        those about input and output files have no effect here.

    Returns
    -------
    DataFrame
        Table groups: ``doc_id, group_id, group_size, is_representative, representative_id, distance, match, similarity,
        node_id``.
        The stages run now; their tables are local checkpoints of the session.

    Raises
    ------
    SettingError, InputError
        An option or the input is wrong.

    Examples
    --------
    >>> from simhash_udf import find_duplicates
    >>> groups = find_duplicates(frame, max_distance=3)  # doctest: +SKIP
    """
    settings = validated(Settings, options | {"id_column": id_column, "text_column": text_column})
    source = Source(documents, uuid.uuid4().hex, 0, num_cores(documents.sparkSession))
    tables = CheckpointTables()
    made = fingerprint_documents(source, settings, make_recipe(settings), tables)
    groups = group_fingerprints(made, source, settings, tables).groups.frame
    check_group_sizes(groups, settings)
    return groups


def _reported(settings: Settings, source: Source, result: Result) -> dict[str, Any]:
    """What the report reads off the results."""
    groups, edges = result.found.groups.frame, select_edges(result.found.edges.frame)
    report = build_report(groups, edges, counts=result.made.counts)
    if settings.grouping == "component":
        report["chains"] = report_chains(groups, edges, 2 * settings.max_distance)
    columns = {"id_column": settings.id_column, "text_column": settings.text_column}
    rows = without_rejected(source.frame, result.made.repeated.frame, **columns)
    return report | report_sources(rows, groups, settings)


def _write_results(output: OutputDirectory, settings: Settings, source: Source, result: Result) -> None:
    """Write every table of the results; the output's earlier results go first."""
    columns = {"id_column": settings.id_column, "text_column": settings.text_column}
    repeated, groups = result.made.repeated.frame, result.found.groups.frame
    partitions = partition_columns(source.frame.sparkSession, settings)
    output.begin()
    output.write_table("groups", groups)
    output.write_table("edges", select_edges(result.found.edges.frame))
    output.write_table("rejected", select_rejected(source.frame, repeated, **columns))
    recipe = result.made.recipe
    if recipe.thresholds is not None:
        output.write_json("thresholds.json", thresholds_of(recipe))
    if settings.mode != "groups":
        choose = annotate_documents if settings.mode == "annotate" else filter_documents
        rows = without_rejected(source.frame, repeated, **columns)
        documents = choose(rows, groups, id_column=settings.id_column)
        output.write_table("documents", documents, partition_by=partitions)
