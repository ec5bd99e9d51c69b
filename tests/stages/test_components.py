"""Components in both paths against networkx."""

from __future__ import annotations

import random
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

from simhash_udf import schema
from simhash_udf.stages.components import components_by_stars, components_in_one_task, large_star, small_star

LOW, HIGH = -(2**63), 2**63 - 1


def to_frame(spark: SparkSession, pairs: list[tuple[int, int]]) -> DataFrame:
    rows = [(min(pair), max(pair), 1) for pair in pairs]
    return spark.createDataFrame(rows, schema.EDGES).repartition(3)


def labels(components: DataFrame) -> dict[int, int]:
    rows = components.collect()
    assert len(rows) == len({row.node_id for row in rows}), "a node has two labels"
    return {row.node_id: row.component_id for row in rows}


def expected(pairs: list[tuple[int, int]]) -> dict[int, int]:
    found = nx.connected_components(nx.Graph(pairs))
    return {node: min(component) for component in found for node in component}


def by_stars(edges: DataFrame) -> DataFrame:
    return components_by_stars(edges, lambda _, frame: frame.localCheckpoint(), partitions=3)


def random_graph(seed: int, nodes: int, edges: int) -> list[tuple[int, int]]:
    draw = np.random.default_rng(seed)
    ids = [*draw.integers(LOW, HIGH, nodes, dtype=np.int64).tolist(), LOW, HIGH]
    pick = draw.integers(0, len(ids), (edges, 2))
    return [(ids[a], ids[b]) for a, b in pick.tolist() if a != b]


def shuffled_chain(length: int) -> list[tuple[int, int]]:
    names = list(range(length))
    random.Random(3).shuffle(names)
    return list(pairwise(names))


GRAPHS = {
    "no edge": [],
    "one edge at the ends of the id range": [(LOW, HIGH)],
    "the chain that a loop which ends too early splits": [
        (121, 128), (135, 142), (107, 114), (163, 170), (156, 163), (149, 156), (142, 149),
    ],
    "chain of 2000": [(i, i + 1) for i in range(2000)],
    "shuffled chain of 2000": shuffled_chain(2000),
    "star": [(-5, i) for i in range(500)],
    "random near the giant component": random_graph(1, 1000, 520),
    "random and dense": random_graph(2, 200, 900),
    "many pairs": [(2 * i, 2 * i + 1) for i in range(700)],
}  # fmt: skip


@pytest.mark.parametrize("name", GRAPHS)
def test_one_task_labels_equal_networkx(spark: SparkSession, name: str) -> None:
    assert labels(components_in_one_task(to_frame(spark, GRAPHS[name]))) == expected(GRAPHS[name])


@pytest.mark.parametrize("name", GRAPHS)
def test_star_labels_equal_networkx(spark: SparkSession, name: str) -> None:
    assert labels(by_stars(to_frame(spark, GRAPHS[name]))) == expected(GRAPHS[name])


@pytest.mark.parametrize("star", [large_star, small_star])
def test_one_star_step_keeps_the_components(spark: SparkSession, star: object) -> None:
    pairs = random_graph(5, 300, 260)
    edges = to_frame(spark, pairs).select("src", "dst").distinct()
    after = [(row.src, row.dst) for row in star(edges).collect()]  # type: ignore[operator]
    assert all(src < dst for src, dst in after)
    assert expected(after) == expected(pairs)
