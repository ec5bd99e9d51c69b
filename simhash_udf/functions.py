"""The public pandas UDF, for use in any DataFrame expression."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column

from simhash_udf.config import TextSettings, validated
from simhash_udf.runtime.recipes import make_recipe
from simhash_udf.udf.columns import simhash_of


def simhash(column: Column | str, **options: Any) -> Column:
    """Return the 64-bit SimHash fingerprint of a text column as ``BIGINT``; NULL for a text without features.

    It is the classic fingerprint (each bit's sum against 0), equal to that of the PyPI package ``simhash`` for the same
    tokens; the job's calibration is not part of it.

    Parameters
    ----------
    column
        Text column or its name.
    **options
        Any text setting of the job by its name: ``tokenizer="jieba"``, ``engine``, ``ngram=(1,)``, ``weight="tf"``,
        ``top_k``, ``stop_words``, ``user_dict``, ``synonyms``, ``keep_punctuation`` and so on.

    Returns
    -------
    Column
        A pandas UDF. Cost: one pass over the text in Python, several MB/s a core.

    Raises
    ------
    SettingError
        An option is unknown or does not fit.

    Examples
    --------
    >>> from simhash_udf import simhash
    >>> frame.withColumn("fingerprint", simhash("text", tokenizer="jieba", weight="tf"))  # doctest: +SKIP
    """
    settings = validated(TextSettings, {"calibration": "none"} | options)
    return simhash_of(make_recipe(settings))(column)
