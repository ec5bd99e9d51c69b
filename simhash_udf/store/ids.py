"""A file of document ids, in the type that the ids of a store have."""

from __future__ import annotations

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DataType

from simhash_udf import schema
from simhash_udf.columns import resolve_column
from simhash_udf.errors import InputError

_FORMATS = {"parquet": "parquet", "orc": "orc", "json": "json", "jsonl": "json", "csv": "csv"}
_NAMES = (schema.DOC_ID, "id")


def read_ids(spark: SparkSession, path: str, id_type: DataType) -> DataFrame:
    """Return ``doc_id``, each once, of a file or directory.

    Parameters
    ----------
    spark
        Session to read with.
    path
        By its ending Parquet, ORC, JSON lines or CSV with a heading, with a column ``doc_id`` or ``id`` or no more than
        one; any other is text, an id a line.
    id_type
        Type of the ids.

    Raises
    ------
    InputError
        The file cannot be read, has no such column, or has values that are no ids of this type.
    """
    kind = _FORMATS.get(path.rstrip("/").rsplit(".", 1)[-1].lower(), "text")
    try:
        frame = spark.read.format(kind).options(**({"header": "true"} if kind == "csv" else {})).load(path)
    except PySparkException as error:
        raise InputError(f"ids={path} cannot be read as {kind}: {str(error).splitlines()[0]}") from None
    name = next((name for name in _NAMES if name in frame.columns), frame.columns[0])
    if name not in _NAMES and len(frame.columns) > 1:
        raise InputError(f"ids={path} has the columns {', '.join(frame.columns)}; call the one with the ids doc_id")
    given = resolve_column(frame, name, option="ids").alias("given")
    if kind == "text":
        given = F.rtrim(given, F.lit("\r")).alias("given")
    ids = frame.select(given).filter(F.col("given").isNotNull() & (F.col("given").cast("string") != ""))
    ids = ids.withColumn(schema.DOC_ID, F.col("given").try_cast(id_type)).distinct()
    wrong = ids.filter(F.col(schema.DOC_ID).isNull()).count()
    if wrong:
        raise InputError(f"ids={path} has {wrong} values that are no {id_type.simpleString()}, as ids of the store are")
    return ids.select(schema.DOC_ID).distinct()
