"""Column functions: the fingerprint of a text, and the distance of two fingerprints."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F

from simhash_udf.kernel.fingerprint import fingerprinter
from simhash_udf.kernel.recipe import Recipe


def simhash_of(recipe: Recipe) -> Callable[[Column | str], Column]:
    """Return the pandas UDF of a recipe's first view: text in, ``BIGINT`` fingerprint out, NULL without features."""

    @F.pandas_udf("long")  # type: ignore[attr-defined, call-overload, untyped-decorator, unused-ignore]  # PySpark leaves it untyped
    def simhash_udf(texts: pd.Series) -> pd.Series:
        found = fingerprinter(recipe)(pa.array(texts, pa.string(), from_pandas=True))
        values = pd.array(found.values[:, 0].view(np.int64), dtype="Int64")
        values[~found.has_value] = pd.NA
        return pd.Series(values)

    wrapped: Callable[[Column | str], Column] = simhash_udf
    return wrapped


def hamming_distance(a: Column | str, b: Column | str) -> Column:
    """Return the number of bits in which two fingerprint columns differ, 0 to 64, NULL where one is NULL.

    Parameters
    ----------
    a, b
        ``BIGINT`` columns or their names; both signs are right.

    Examples
    --------
    >>> from simhash_udf import hamming_distance
    >>> frame.withColumn("distance", hamming_distance("fingerprint", "other"))  # doctest: +SKIP
    """
    first, second = (F.col(column) if isinstance(column, str) else column for column in (a, b))
    # BIGINT on both sides: bit_count of a negative narrow integer counts 64 sign-extended bits
    return F.bit_count(first.cast("long").bitwiseXOR(second.cast("long"))).cast("int")
