"""All pairs of texts within the limits of their fingerprints, for an evaluation that looks at every one."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema

_NODE = "node"


def pairs_of_texts(texts: DataFrame, edges: DataFrame) -> DataFrame:
    """Return every two texts of one node, and every two at the ends of an edge.

    Parameters
    ----------
    texts
        As `stages.verify.select_texts` gives them.
    edges
        Table edges between the nodes of the band join, all pairs.

    Returns
    -------
    DataFrame
        ``src, dst, distance, component_id`` of text ids, ``src < dst``. Cost: two joins of the edges; rows grow with
        the square of the texts of a node.
    """
    first = texts.select(F.col(_NODE).alias("a"), F.col(schema.TEXT_ID).alias("one"), schema.COMPONENT_ID)
    second = texts.select(F.col(_NODE).alias("b"), F.col(schema.TEXT_ID).alias("two"))
    inside = first.join(second, on=(F.col("a") == F.col("b")) & (F.col("one") < F.col("two")), how="inner")
    linked = edges.join(first, on=F.col(schema.SRC) == F.col("a"), how="inner").join(
        second, on=F.col(schema.DST) == F.col("b"), how="inner"
    )
    return _ordered(inside.withColumn(schema.DISTANCE, F.lit(0))).unionByName(_ordered(linked))


def _ordered(pairs: DataFrame) -> DataFrame:
    return pairs.select(
        F.least("one", "two").alias(schema.SRC),
        F.greatest("one", "two").alias(schema.DST),  # the ids of two texts differ, so src < dst
        schema.DISTANCE,
        schema.COMPONENT_ID,
    )
