"""Components: each node that has an edge, with the smallest node id of its component."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.errors import SimhashError
from simhash_udf.udf.edge_batches import component_batches, star_batches

MAX_ROUNDS = 40
"""Rounds double what a node knows; with contraction a chain of 10^6 takes under 10."""

Checkpoint = Callable[[str, DataFrame], DataFrame]


def components_in_one_task(edges: DataFrame) -> DataFrame:
    """Return the components table, labelled by one task. Memory grows with the nodes, not with the edges."""
    return edges.repartition(1).mapInArrow(component_batches(), schema.COMPONENTS)


def components_by_stars(edges: DataFrame, checkpoint: Checkpoint, *, partitions: int) -> DataFrame:
    """Return the components table by alternating large-star and small-star rounds.

    Source: Kiveris et al. 2014. Each round begins with a contraction inside every partition, which leaves the
    components as they are and takes most rounds away.

    Parameters
    ----------
    edges
        Table edges; only ``src`` and ``dst`` are used.
    checkpoint
        Cuts a frame's lineage under a name; called once a round.
    partitions
        Tasks of a round.

    Returns
    -------
    DataFrame
        Table components. Convergence is equality of the edge set, so the result is exact.

    Raises
    ------
    SimhashError
        The rounds did not converge, which would be a fault of this function.
    """
    stars = checkpoint("stars-start", _contracted(edges.select(schema.SRC, schema.DST), partitions).distinct())
    for number in range(MAX_ROUNDS):
        # 1 contract, 2 large-star, 3 small-star, 4 compare
        large = large_star(_contracted(stars, partitions))
        after = checkpoint(f"stars-{number % 2}", small_star(large))
        if _are_equal(stars, after):
            return _labels(after)
        stars = after
    raise SimhashError(f"components did not converge in {MAX_ROUNDS} rounds; please report this with the edges table")


def large_star(edges: DataFrame) -> DataFrame:
    """Return the edges after connecting every larger neighbour of a node to the smallest of its neighbourhood."""
    reverse = edges.select(F.col(schema.DST).alias("node"), F.col(schema.SRC).alias("neighbour"))
    both = edges.select(F.col(schema.SRC).alias("node"), F.col(schema.DST).alias("neighbour")).unionByName(reverse)
    smallest = F.least(F.min("neighbour").over(Window.partitionBy("node")), F.col("node"))
    larger = both.withColumn("smallest", smallest).filter(F.col("neighbour") > F.col("node"))
    # smallest <= node < neighbour, so src < dst
    return larger.select(F.col("smallest").alias(schema.SRC), F.col("neighbour").alias(schema.DST)).distinct()


def small_star(edges: DataFrame) -> DataFrame:
    """Return the edges after connecting a node and its smaller neighbours to the smallest of them."""
    smallest = F.min(schema.SRC).over(Window.partitionBy(schema.DST))
    marked = edges.withColumn("smallest", smallest)
    neighbours = marked.select(F.col("smallest").alias(schema.SRC), F.col(schema.SRC).alias(schema.DST))
    node = marked.select(F.col("smallest").alias(schema.SRC), F.col(schema.DST))
    return neighbours.unionByName(node).filter(F.col(schema.SRC) < F.col(schema.DST)).distinct()


def _contracted(edges: DataFrame, partitions: int) -> DataFrame:
    """The edges of each partition as stars; same components."""
    table = f"{schema.SRC} long, {schema.DST} long"
    return edges.repartition(partitions, schema.SRC).mapInArrow(star_batches(), table)


def _are_equal(one: DataFrame, other: DataFrame) -> bool:
    """Equality of two edge sets, each without repeats."""
    keys = [schema.SRC, schema.DST]
    return one.count() == other.count() and other.join(one, on=keys, how="left_anti").isEmpty()


def _labels(stars: DataFrame) -> DataFrame:
    """Components table of edge stars: the centre labels itself and its leaves."""
    leaves = stars.select(F.col(schema.DST).alias(schema.NODE_ID), F.col(schema.SRC).alias(schema.COMPONENT_ID))
    centres = stars.select(F.col(schema.SRC).alias(schema.NODE_ID), F.col(schema.SRC).alias(schema.COMPONENT_ID))
    return leaves.unionByName(centres.distinct())
