"""Edges: the self-join on band keys, in two forms that give the same pairs."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.kernel.plan import BandPlan
from simhash_udf.udf.columns import hamming_distance
from simhash_udf.udf.edge_batches import explode_block_batches, forest_batches, join_block_batches


def build_edges(nodes: DataFrame, plan: BandPlan, *, wave: int, all_pairs: bool) -> DataFrame:
    """Return the edges that the bands of one wave find, table edges, in no order; see `join_blocks`."""
    return select_joined(join_blocks(nodes, plan, wave=wave, all_pairs=all_pairs))


def join_blocks(nodes: DataFrame, plan: BandPlan, *, wave: int, all_pairs: bool) -> DataFrame:
    """Return the edges that the bands of one wave find, by packed blocks, and what was done to find them.

    Explode to packed blocks, shuffle by (band, range), join each. A pair comes from the first band in which it agrees,
    so the waves together hold every pair once.

    Parameters
    ----------
    nodes
        ``node_id`` and ``word_0 … word_{r-1}``, BIGINT, repeats allowed.
    plan, wave
        The band plan and the number of the wave in it.
    all_pairs
        Every pair, or only the minimum spanning forest of each block.

    Returns
    -------
    DataFrame
        Table joined, in no order. Cost: one shuffle of 8 bytes a view, band and node.
    """
    blocks = nodes.drop(schema.NODE_ID).mapInArrow(explode_block_batches(plan, wave), schema.BLOCKS)
    by_slot = _one_task_a_slot(blocks, _num_slots(plan, wave))
    return by_slot.mapInArrow(join_block_batches(plan, all_pairs=all_pairs), schema.JOINED)


def select_joined(joined: DataFrame) -> DataFrame:
    """Return the edges of table joined."""
    return joined.filter(F.col(schema.SRC).isNotNull()).select(*schema.EDGES.names)


def sum_joined(joined: DataFrame) -> DataFrame:
    """Return one row of table joined: ``edges, records, comparisons``; the last two are NULL if there was no record."""
    return joined.agg(
        F.count(schema.SRC).alias("edges"),
        F.sum(schema.RECORDS).alias(schema.RECORDS),
        F.sum(schema.COMPARISONS).alias(schema.COMPARISONS),
    )


def build_edges_sql(nodes: DataFrame, plan: BandPlan) -> DataFrame:
    """Return every edge by the plain Spark SQL join: explode to band records, self-join on the key, test, distinct.

    Parameters
    ----------
    nodes
        ``node_id`` and ``word_0 … word_{r-1}``, BIGINT.
    plan
        The band plan; only its bands and limits matter here.

    Returns
    -------
    DataFrame
        Table edges. Cost: two shuffles of a row a band and node, and one of the pairs; quadratic in the largest bucket.
    """
    words = [F.col(name) for name in nodes.columns if name != schema.NODE_ID]
    # 1 explode: one record a band
    records = [
        F.struct(
            F.lit(band.band_id).alias("band_id"),
            words[band.view].bitwiseAND(F.lit(_signed(band.mask))).alias("band_key"),
        )
        for band in plan.bands
    ]
    exploded = nodes.distinct().select(
        schema.NODE_ID, F.array(*words).alias("words"), F.explode(F.array(*records)).alias("record")
    )
    left = exploded.select("record", F.col(schema.NODE_ID).alias(schema.SRC), F.col("words").alias("left"))
    right = exploded.select("record", F.col(schema.NODE_ID).alias(schema.DST), F.col("words").alias("right"))
    # 2 self-join on the band key
    pairs = left.join(right, on="record", how="inner").filter(F.col(schema.SRC) < F.col(schema.DST))
    # 3 exact test, 4 each pair once
    views = [hamming_distance(F.col("left")[view], F.col("right")[view]) for view in range(len(words))]
    nearest = F.least(*views) if len(views) > 1 else views[0]
    total = reduce(lambda a, b: a + b, views)
    edges = pairs.select(schema.SRC, schema.DST, nearest.alias(schema.DISTANCE), total.alias("total"))
    within = (F.col(schema.DISTANCE) <= plan.max_distance) & (F.col("total") <= plan.max_total_distance)
    return edges.filter(within).select(schema.SRC, schema.DST, schema.DISTANCE).distinct()


def spanning_forest_of(edges: DataFrame, components: DataFrame, *, partitions: int) -> DataFrame:
    """Return the minimum spanning forest of the edges, unique because edges are ordered by (distance, src, dst).

    Every component lies whole in one task, so the result does not depend on how the edges were found.
    Cost: one join and one shuffle of the edges.
    """
    if partitions == 1:
        return edges.repartition(1).mapInArrow(forest_batches(), schema.EDGES)
    labels = components.withColumnRenamed(schema.NODE_ID, schema.SRC)
    by_component = edges.join(labels, on=schema.SRC, how="inner").repartition(partitions, schema.COMPONENT_ID)
    return by_component.select(schema.SRC, schema.DST, schema.DISTANCE).mapInArrow(forest_batches(), schema.EDGES)


def _signed(mask: int) -> int:
    """A 64-bit mask as BIGINT has it."""
    return mask - (1 << 64) if mask >= 1 << 63 else mask


def _one_task_a_slot(blocks: DataFrame, num_slots: int) -> DataFrame:
    """Shuffle by slot; from Spark 4.1 to the task of that number, before that by hash (some tasks get several)."""
    if not hasattr(blocks, "repartitionById"):
        return blocks.repartition(num_slots, schema.SLOT)
    # the slots of a wave are numbered through, so the remainders are all different
    return blocks.repartitionById(num_slots, F.pmod(F.col(schema.SLOT), F.lit(num_slots)).cast("int"))


def _num_slots(plan: BandPlan, wave: int) -> int:
    """Tasks of a wave's join: one a slot."""
    cells = [plan.cell_of_band(band) for band in plan.waves[wave]]
    return sum(cell.end_slot - cell.first_slot for cell in cells)
