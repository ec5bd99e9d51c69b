"""The page of a run from its output directory: the groups are read back there, texts from the input."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped, unused-ignore]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.columns import resolve_column
from simhash_udf.config import Settings, validated
from simhash_udf.errors import InputError, SimhashError
from simhash_udf.report_page.page import NO_SAMPLES_ASKED, NO_TEXT_ASKED, NOT_READ, render_report
from simhash_udf.report_page.samples import read_groups, with_texts
from simhash_udf.runtime.inputs import read_input
from simhash_udf.runtime.output import SUCCESS, OutputDirectory
from simhash_udf.runtime.recipes import normalization_of
from simhash_udf.runtime.storage import exists, read_json, write_text
from simhash_udf.stages.documents import select_documents
from simhash_udf.stages.shown import SOURCE

PAGE = "report.html"

log = logging.getLogger("simhash_udf")


def make_page(report: Mapping[str, Any], groups: DataFrame, frame: DataFrame, settings: Settings) -> str:
    """Return the page of a run.

    Parameters
    ----------
    report
        Content of ``report.json``.
    groups
        The table of that name.
    frame
        The rows of the input.
    settings
        Settings of the run; ``report_samples`` and ``report_no_text`` say what is shown.

    Returns
    -------
    str
        Cost: three scans of the groups, and one of the input unless no texts are asked for.
    """
    found = read_groups(groups, settings.report_samples)
    reason = NO_TEXT_ASKED if settings.report_no_text else "" if settings.report_samples else NO_SAMPLES_ASKED
    if not reason:
        found = with_texts(found, groups, _with_source(frame, settings))
    return render_report(report, found, normalization_of(settings), why_no_texts=reason)


def write_page(
    output: OutputDirectory, report: Mapping[str, Any], groups: DataFrame, frame: DataFrame, settings: Settings
) -> None:
    """Write the page of a run beside its results, which are whole without it: where it fails a line says so."""
    try:
        output.write_file(PAGE, make_page(report, groups, frame, settings).encode("utf-8"))
    except Exception:  # hours of work are not thrown away for a picture of them
        remedy = f"the results are whole, jobs/report.py {output.path} makes it again"
        log.exception("%s could not be made; %s", PAGE, remedy)


def remake_page(spark: SparkSession, output: str, *, samples: int | None = None, no_text: bool = False) -> str:
    """Write the page of a run again and return its path; without texts where the input cannot be read any more.

    Parameters
    ----------
    spark
        Session to read with.
    output
        Directory that the main job wrote.
    samples, no_text
        In place of the run's own ``report_samples``, and as ``report_no_text``.

    Raises
    ------
    InputError
        There are no whole results.
    """
    place = output.rstrip("/")
    report = read_json(f"{place}/report.json") if exists(f"{place}/{SUCCESS}") else None
    if report is None:
        raise InputError(f"{output} has no results; give the --output of a run that ended")
    asked = {} if samples is None else {"report_samples": samples}
    is_private = no_text or report["settings"].get("report_no_text", False)
    settings = validated(Settings, report["settings"] | asked | {"report_no_text": is_private})
    groups = spark.read.parquet(f"{place}/groups")
    try:
        page = make_page(report, groups, read_input(spark, settings), settings)
    except (SimhashError, PySparkException, Py4JError) as error:
        reason = str(error) if isinstance(error, SimhashError) else type(error).__name__  # Spark's may quote a text
        log.warning("the page has no texts: the input cannot be read as it was (%s)", reason)
        found = read_groups(groups, settings.report_samples)
        page = render_report(report, found, normalization_of(settings), why_no_texts=NOT_READ)
    write_text(f"{place}/{PAGE}", page)
    return f"{place}/{PAGE}"


def _with_source(frame: DataFrame, settings: Settings) -> DataFrame:
    """``doc_id, text``, and ``source`` if the settings name its column."""
    documents = select_documents(frame, id_column=settings.id_column, text_column=settings.text_column)
    if settings.source_column is None:
        return documents
    source = resolve_column(frame, settings.source_column, option="source_column").cast("string").alias(SOURCE)
    doc_id = resolve_column(frame, settings.id_column, option="id_column").alias(schema.DOC_ID)
    text = resolve_column(frame, settings.text_column, option="text_column").cast("string")
    return frame.select(doc_id, F.make_valid_utf8(text).alias(schema.TEXT), source)
