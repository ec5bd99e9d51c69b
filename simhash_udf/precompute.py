"""What can be made before the main job and used by many runs: fingerprints, and inverse document frequencies."""

from __future__ import annotations

import io
import logging
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.config import FingerprintSettings, IdfSettings
from simhash_udf.errors import InputError, SettingError
from simhash_udf.kernel.idf import fit_idf
from simhash_udf.kernel.recipe import Idf
from simhash_udf.pipeline.fingerprinting import fingerprint_documents
from simhash_udf.runtime.inputs import input_places, read_input, read_source
from simhash_udf.runtime.output import WORK, OutputDirectory, check_place
from simhash_udf.runtime.recipes import DEFAULT_IDF_KEY, IDF_COLUMNS, make_recipe, thresholds_of
from simhash_udf.runtime.storage import delete, exists, overlaps, write_bytes
from simhash_udf.runtime.tables import WorkTables
from simhash_udf.stages.document_frequencies import DOCUMENT_FREQUENCY, TERM, build_document_frequencies, most_frequent
from simhash_udf.stages.documents import select_documents, select_rejected

log = logging.getLogger("simhash_udf")


def run_fingerprint(spark: SparkSession, settings: FingerprintSettings) -> None:
    """Write the fingerprints of the input's documents, with the specification that made them.

    The output has ``fingerprints/``, ``rejected/``, ``specification.json``, ``thresholds.json`` if calibrated, and
    ``_SUCCESS`` last.

    Raises
    ------
    SettingError, InputError
        A setting or the input is wrong.
    """
    output = OutputDirectory(settings.output, inputs=input_places(settings), overwrite=settings.overwrite)
    check_place("work_dir", settings.work_dir, input_places(settings))
    source = read_source(spark, settings)
    tables = WorkTables(spark, settings.work_dir or f"{output.path}/{WORK}", resume=settings.resume)
    made = fingerprint_documents(source, settings, make_recipe(settings), tables)
    rejected = select_rejected(
        source.frame, made.repeated.frame, id_column=settings.id_column, text_column=settings.text_column
    )
    output.begin()
    with tables.step("results"):
        output.write_table("fingerprints", made.table.frame)
        output.write_table("rejected", rejected)
    output.write_json("specification.json", {"recipe": made.recipe.specification(), "counts": made.counts})
    if made.recipe.thresholds is not None:
        output.write_json("thresholds.json", thresholds_of(made.recipe))
    output.finish()
    if settings.work_dir is None:
        delete(f"{output.path}/{WORK}")
    log.info("done: %s", " ".join(f"{name}={value}" for name, value in made.counts.items()))


def run_fit_idf(spark: SparkSession, settings: IdfSettings) -> None:
    """Fit inverse document frequencies on the input's texts and write them as one Parquet file.

    The table has ``term STRING, idf DOUBLE``, terms in code point order; its metadata has the value for other terms.

    Raises
    ------
    SettingError, InputError
        A setting or the input is wrong.
    """
    _check_file(settings)
    recipe = make_recipe(settings)
    if len(recipe.views) > 1:
        raise SettingError("an idf table is of one tokenizer; give --tokenizer and no --views")
    documents = select_documents(
        read_input(spark, settings), id_column=settings.id_column, text_column=settings.text_column
    ).filter(F.col(schema.TEXT).isNotNull())
    n = documents.count()
    frequencies = most_frequent(
        build_document_frequencies(documents, recipe), min_df=settings.min_df, limit=settings.max_features
    )
    idf = fit_idf(_to_dict(frequencies), n, min_df=settings.min_df, max_df=_count_or_share(settings.max_df))
    write_bytes(settings.output, _idf_file(idf))
    log.info("done: documents=%d terms=%d", n, len(idf.terms))


def _check_file(settings: IdfSettings) -> None:
    if not settings.output:
        raise SettingError("output is required; give --output FILE")
    for place in input_places(settings):
        if overlaps(settings.output, place):
            raise SettingError(f"output={settings.output} lies in the input {place}; choose a place apart from it")
    if exists(settings.output) and not settings.overwrite:
        raise InputError(f"output={settings.output} is there already; choose another file, or --overwrite")


def _to_dict(frequencies: DataFrame) -> dict[str, int]:
    """Frequencies on the driver, bounded by ``max_features``: a million terms are about 150 MB."""
    table = frequencies.toArrow()
    return dict(zip(table.column(TERM).to_pylist(), table.column(DOCUMENT_FREQUENCY).to_pylist(), strict=True))


def _count_or_share(max_df: float) -> int | float:
    """A limit up to 1.0 is a share of the documents, one above it a count."""
    return int(max_df) if max_df > 1 else float(max_df)


def _idf_file(idf: Idf) -> bytes:
    columns: list[Any] = [pa.array(idf.terms, pa.string()), pa.array(idf.values, pa.float64())]
    metadata = {DEFAULT_IDF_KEY: repr(idf.default).encode()}
    table = pa.table(columns, names=list(IDF_COLUMNS)).replace_schema_metadata(metadata)
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()
