"""Components in both paths against networkx."""

from __future__ import annotations

import random
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

from simhash_udf import schema
from simhash_udf.errors import SimhashError
from simhash_udf.stages import components as stage
from simhash_udf.stages.components import components_by_contraction, components_in_one_task

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


def by_contraction(edges: DataFrame, task_pairs: int) -> tuple[DataFrame, list[str]]:
    """Components, and the names of the tables between the rounds."""
    names: list[str] = []

    def checkpoint(name: str, frame: DataFrame) -> DataFrame:
        names.append(name)
        return frame.localCheckpoint()

    return components_by_contraction(edges, checkpoint, rows=edges.count(), task_pairs=task_pairs), names


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
def test_labels_by_contraction_in_small_tasks_equal_networkx(spark: SparkSession, name: str) -> None:
    found, names = by_contraction(to_frame(spark, GRAPHS[name]), task_pairs=600)
    assert labels(found) == expected(GRAPHS[name])
    assert len(names) == len(set(names))
    assert sum(name.startswith("contraction") for name in names) <= 12


def test_rounds_go_on_until_no_edge_is_left(spark: SparkSession) -> None:
    pairs = shuffled_chain(300)
    rounds: list[tuple[int, int]] = []

    def checkpoint(name: str, frame: DataFrame) -> DataFrame:
        cut = frame.localCheckpoint()
        if name.startswith("contraction"):
            row = cut.filter("slot is not null").agg({"num_pairs": "sum", "slot": "count"}).first()
            rounds.append((row["sum(num_pairs)"] or 0, row["count(slot)"]))
        return cut

    edges = to_frame(spark, pairs)
    assert labels(components_by_contraction(edges, checkpoint, rows=300, task_pairs=40)) == expected(pairs)
    # the last round but one has no pair left, only nodes to name; the last has nothing
    assert [pairs > 0 for pairs, _ in rounds] == [True] * (len(rounds) - 2) + [False, False]
    assert [blocks > 0 for _, blocks in rounds] == [True] * (len(rounds) - 1) + [False]


def test_rounds_that_do_not_end_are_a_fault(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "MAX_ROUNDS", 1)
    with pytest.raises(SimhashError, match="did not end in 1 rounds"):
        by_contraction(to_frame(spark, shuffled_chain(300)), task_pairs=20)
