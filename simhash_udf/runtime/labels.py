"""The file of labels, read and matched with its documents."""

from __future__ import annotations

import logging

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from py4j.protocol import Py4JError  # type: ignore[import-untyped, unused-ignore]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from simhash_udf.config_evaluation import LabelSettings
from simhash_udf.errors import InputError
from simhash_udf.evaluation.labels import SHOWN, Labels, parse_clusters, parse_pairs

PAIRS = ("id_1", "id_2", "is_duplicate")
CLUSTERS = ("id", "cluster")
ENDINGS = {"csv": "csv", "tsv": "csv", "json": "json", "jsonl": "json", "ndjson": "json"}
COMPRESSED = ("gz", "bz2", "zst")

log = logging.getLogger("simhash_udf")


def read_labels(spark: SparkSession, settings: LabelSettings) -> Labels:
    """Return the labels of the file, checked as `evaluation.labels` says; the driver holds them all.

    Raises
    ------
    InputError
        The file cannot be read, its columns are others, or its rows contradict one another.
    """
    place = str(settings.labels)
    frame = _read(spark, place, settings.labels_format)
    columns = _choose_columns(frame, place, settings.label_columns)
    texts = [F.trim(F.col(_quoted(name)).cast("string")).alias(str(at)) for at, name in enumerate(columns)]
    rows = frame.select(*(F.when(text != "", text).alias(str(at)) for at, text in enumerate(texts))).toArrow()
    labels = parse_pairs(rows, place) if len(columns) == len(PAIRS) else parse_clusters(rows, place)
    log.info("labels: %s", " ".join(f"{name}={count}" for name, count in labels.counts.items()))
    return labels.check(place)


def number_ids(spark: SparkSession, labels: Labels) -> DataFrame:
    """Return ``key STRING, number BIGINT`` of the labelled documents."""
    numbers = pa.array(np.arange(len(labels.ids)), pa.int64())
    return spark.createDataFrame(pa.table({"key": pa.array(labels.ids.tolist(), pa.string()), "number": numbers}))


def keep_known(labels: Labels, known: NDArray[np.int64], settings: LabelSettings) -> Labels:
    """Return the labels of the documents that are there, given their numbers; the others are counted and reported.

    Raises
    ------
    InputError
        No document is there, or what is left holds no pair.
    """
    is_there = np.zeros(len(labels.ids), dtype=bool)
    is_there[known] = True
    missing = int((~is_there).sum())
    shown = ", ".join(labels.ids[~is_there][:SHOWN])
    if missing == len(labels.ids):
        raise InputError(
            f"labels={settings.labels}: none of its {missing} ids ({shown}) is the id of a document with a text; "
            "see id_column, or label these documents"
        )
    if missing:
        log.warning("labels: %d of %d ids are not those of a document with a text (%s)", missing, len(is_there), shown)
    kept = labels.take(is_there)
    kept.counts["ids_not_in_documents"] = missing
    return kept.check(str(settings.labels))


def _read(spark: SparkSession, place: str, given: str) -> DataFrame:
    parts = place.rstrip("/").rsplit("/", 1)[-1].lower().split(".")
    while parts[-1] in COMPRESSED:
        parts.pop()
    ending = parts[-1] if len(parts) > 1 else ""
    kind = ENDINGS.get(ending, "parquet") if given == "auto" else given
    options = {"header": "true", "sep": "\t" if ending == "tsv" else ","}
    try:
        return spark.read.format(kind).options(**options if kind == "csv" else {}).load(place)
    except (PySparkException, Py4JError) as error:
        reason = str(error).split("SQLSTATE")[0].strip().splitlines()[0]
        raise InputError(f"labels={place} cannot be read as {kind}: {reason}") from None


def _choose_columns(frame: DataFrame, place: str, given: tuple[str, ...]) -> tuple[str, ...]:
    """The columns of pairs or of clusters: those that are named, or else those of the usual names."""
    there = [name.strip() for name in frame.columns]
    names = dict(zip(there, frame.columns, strict=True))
    for wanted in (given,) if given else (PAIRS, CLUSTERS):
        if set(wanted) <= set(there):
            return tuple(names[name] for name in wanted)
    needs = ", ".join(given) if given else f"{', '.join(PAIRS)} of pairs or {', '.join(CLUSTERS)} of clusters"
    raise InputError(
        f"labels={place} needs the columns {needs}; it has {', '.join(there) or 'none'}; name yours with label_columns"
    )


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
