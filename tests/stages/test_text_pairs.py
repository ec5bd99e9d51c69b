"""Pairs of texts against a plain list of them."""

from __future__ import annotations

import itertools

from pyspark.sql import SparkSession

from simhash_udf.stages.text_pairs import pairs_of_texts

EDGES = "src long, dst long, distance int"


def test_all_texts_of_a_node_and_of_the_ends_of_an_edge_are_paired_once(spark: SparkSession) -> None:
    nodes = {1: 10, 2: 10, 3: 10, 4: 20, 9: 20, 5: 30, 6: 40}  # text: node
    texts = spark.createDataFrame(
        [(text, node, -node) for text, node in nodes.items()], "text_id long, node long, component_id long"
    )
    edges = {(10, 20): 2, (20, 30): 5}
    frame = spark.createDataFrame([(*ends, distance) for ends, distance in edges.items()], EDGES)
    found = [tuple(row) for row in pairs_of_texts(texts, frame).collect()]
    expected = set()
    for one, other in itertools.combinations(sorted(nodes), 2):
        ends = tuple(sorted((nodes[one], nodes[other])))
        distance = 0 if ends[0] == ends[1] else edges.get((ends[0], ends[1]))
        if distance is not None:
            expected.add((one, other, distance))
    assert {row[:3] for row in found} == expected
    assert len(found) == len(expected)


def test_no_edge_leaves_the_texts_of_each_node(spark: SparkSession) -> None:
    texts = spark.createDataFrame([(1, 10, 0), (2, 10, 0), (3, 30, 0)], "text_id long, node long, component_id long")
    nothing = spark.createDataFrame([], EDGES)
    assert [tuple(row) for row in pairs_of_texts(texts, nothing).collect()] == [(1, 2, 0, 0)]
