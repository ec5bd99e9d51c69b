"""Leaders: groups whose members are all within the edge rule of one node, made of components."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.kernel.edge_rule import EdgeRule
from simhash_udf.udf.group_batches import leader_batches


def build_leaders(nodes: DataFrame, refused: DataFrame | None, rule: EdgeRule) -> DataFrame:
    """Return the table leaders: each node with the first one in keep order that it may follow.

    Parameters
    ----------
    nodes
        ``component_id, node_id, place, words, is_leader``: nodes with their place in keep order; a node that leads
        already follows nobody.
    refused
        ``component_id, src, dst``: dst must not follow src. None if there is no such pair.
    rule
        How near a node must be to its leader.

    Returns
    -------
    DataFrame
        In no order. Cost: a component is held by one task, some 200 bytes a view and node.
    """
    rows = nodes.select(
        schema.COMPONENT_ID,
        F.col(schema.NODE_ID).alias("a"),
        F.col(schema.PLACE).cast("long").alias("b"),
        "words",
        "is_leader",
    )
    if refused is not None:
        pairs = refused.select(schema.COMPONENT_ID, F.col(schema.SRC).alias("a"), F.col(schema.DST).alias("b"))
        rows = rows.unionByName(pairs, allowMissingColumns=True)
    return rows.repartition(schema.COMPONENT_ID).mapInArrow(leader_batches(rule), schema.LEADERS)


def groups_of_leaders(pairs: DataFrame) -> DataFrame:
    """Return the table components of ``node_id, leader_id`` pairs, one label a leader: the smallest node id with it."""
    led = pairs.select(schema.NODE_ID, schema.LEADER_ID)
    leading = pairs.select(F.col(schema.LEADER_ID).alias(schema.NODE_ID), schema.LEADER_ID).distinct()
    smallest = F.min(schema.NODE_ID).over(Window.partitionBy(schema.LEADER_ID))
    return led.unionByName(leading).select(schema.NODE_ID, smallest.alias(schema.COMPONENT_ID))
