"""The kernel behind Arrow batches: no id is touched, no cut of the batches changes a result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from simhash_udf.kernel.fingerprint import Fingerprinter
from simhash_udf.kernel.plan import choose_plan
from simhash_udf.kernel.recipe import Recipe, View
from simhash_udf.kernel.values import distance
from simhash_udf.udf import component_batches, edge_batches
from simhash_udf.udf.columns import hamming_distance, simhash_of
from simhash_udf.udf.edge_batches import (
    explode_block_batches,
    forest_batches,
    join_block_batches,
)
from simhash_udf.udf.text_batches import fingerprint_batches, score_batches

LOW, HIGH = -(2**63), 2**63 - 1
TEXTS = ["数据清洗流程", None, "", "我想学游泳", "！！！", "她在喝红茶"]


def batches(table: pa.Table, rows: int) -> Iterator[pa.RecordBatch]:
    yield from table.to_batches(max_chunksize=rows)


def collected(run: Any, table: pa.Table, rows: int = 10**6) -> list[dict[str, Any]]:
    return [row for batch in run(batches(table, rows)) for row in batch.to_pylist()]


def edge_table(seed: int, nodes: int, edges: int) -> pa.Table:
    draw = np.random.default_rng(seed)
    ids = draw.integers(LOW, HIGH, nodes, dtype=np.int64)
    ends = np.sort(ids[draw.integers(0, nodes, (edges, 2))], axis=1)
    ends = np.unique(ends[ends[:, 0] < ends[:, 1]], axis=0)
    distances = draw.integers(0, 4, len(ends)).astype(np.int32)
    return pa.table({"src": ends[:, 0], "dst": ends[:, 1], "distance": distances})


def components_of(table: pa.Table) -> set[frozenset[int]]:
    pairs = zip(table["src"].to_pylist(), table["dst"].to_pylist(), strict=True)
    return {frozenset(component) for component in nx.connected_components(nx.Graph(list(pairs)))}


def test_the_column_function_gives_the_kernels_values_and_null_without_features(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(text,) for text in TEXTS], "text string").coalesce(1)
    found = [row[0] for row in frame.select(simhash_of(Recipe())("text")).collect()]
    made = Fingerprinter(Recipe())(pa.array(TEXTS))
    words = made.values[:, 0].view(np.int64).tolist()
    assert found == [word if has_value else None for word, has_value in zip(words, made.has_value, strict=True)]
    assert found[0] == 3121501542761393625
    assert found[1] is found[2] is found[4] is None


def test_hamming_distance_is_right_for_both_signs_and_narrow_types(spark: SparkSession) -> None:
    pairs = [(0, 0), (-1, 1), (LOW, HIGH), (LOW, 0), (-1, None), (12345, -9876543210)]
    frame = spark.createDataFrame(pairs, "a long, b long")
    found = [row[0] for row in frame.select(hamming_distance("a", F.col("b"))).collect()]
    assert found == [None if b is None else distance(a, b) for a, b in pairs]
    assert found[1:4] == [63, 64, 1]
    narrow = spark.range(1).select(F.lit(-1).cast("int").alias("a"), F.lit(0).cast("tinyint").alias("b"))
    assert narrow.select(hamming_distance("a", "b")).first()[0] == 64


@pytest.mark.parametrize("ids", [[1234567890123456789, 9007199254740993, None, LOW, HIGH, 0], [*"甲乙丙丁戊", None]])
def test_ids_pass_a_batch_of_fingerprints_to_the_bit(ids: list[Any]) -> None:
    table = pa.table({"doc_id": pa.array(ids), "text": pa.array(TEXTS)})
    found = collected(fingerprint_batches(Recipe()), table, rows=4)
    assert [row["doc_id"] for row in found] == ids
    assert [row["fingerprint"] is None for row in found] == [False, True, True, False, True, False]


def test_two_views_give_lists_and_nodes_that_are_null_together() -> None:
    recipe = Recipe(views=(View("jieba"), View("char")))
    found = collected(fingerprint_batches(recipe), pa.table({"doc_id": range(6), "text": TEXTS}), rows=4)
    assert [row["fingerprints"] is None for row in found] == [row["node_id"] is None for row in found]
    assert all(row["fingerprint"] == row["fingerprints"][0] for row in found if row["fingerprints"])


def test_scores_are_flat_lists_of_all_views() -> None:
    recipe = Recipe(views=(View("jieba"), View("char")))
    found = collected(score_batches(recipe), pa.table({"text": TEXTS}), rows=2)
    expected = Fingerprinter(recipe).scores(pa.array(TEXTS)).reshape(6, 128)
    np.testing.assert_array_equal(np.array([row["scores"] for row in found]), expected)


@pytest.mark.parametrize("views", [1, 2])
@pytest.mark.parametrize(("chunk", "size"), [(10**6, 10**7), (50, 64), (1, 1)])
def test_no_cut_of_batches_changes_the_pairs(
    monkeypatch: pytest.MonkeyPatch, views: int, chunk: int, size: int
) -> None:
    draw = np.random.default_rng(5)
    words = draw.integers(0, 2**64, (120, views), dtype=np.uint64)
    words = np.concatenate([words, words ^ (np.uint64(1) << draw.integers(0, 64, (120, views), dtype=np.uint64))])
    plan = choose_plan(words, len(words), max_distance=3, cores=2)
    nodes = pa.table({f"word_{view}": words[:, view].view(np.int64) for view in range(views)})
    monkeypatch.setattr(edge_batches, "NODES_PER_CHUNK", chunk)
    monkeypatch.setattr(edge_batches, "BYTES_PER_BATCH", size)
    blocks = list(explode_block_batches(plan, 0)(batches(nodes, 7)))
    table = pa.Table.from_batches(blocks)
    *found, counts = collected(join_block_batches(plan, all_pairs=True), table, rows=5)
    assert (counts["src"], counts["records"]) == (None, len(words) * len(plan.bands))
    assert len(found) == 120
    assert {row["distance"] for row in found} == {1}
    assert len({(row["src"], row["dst"]) for row in found}) == 120


def test_the_forest_is_the_same_however_often_it_is_contracted(monkeypatch: pytest.MonkeyPatch) -> None:
    table = edge_table(1, 200, 1500)
    whole = collected(forest_batches(), table)
    monkeypatch.setattr(edge_batches, "EDGES_PER_CHUNK", 20)
    assert collected(forest_batches(), table, rows=7) == whole
    graph = nx.Graph()
    graph.add_weighted_edges_from(tuple(row.values()) for row in table.to_pylist())
    least = nx.minimum_spanning_tree(graph).size(weight="weight")
    assert sum(row["distance"] for row in whole) == least
    assert components_of(pa.Table.from_pylist(whole)) == components_of(table)


def test_components_are_the_same_in_small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    table = edge_table(2, 300, 280)
    pairs = table.select(["src", "dst"])
    expected = {(node, min(group)) for group in components_of(table) for node in group}
    for chunk in (10**6, 10):
        monkeypatch.setattr(component_batches, "EDGES_PER_CHUNK", chunk)
        found = collected(component_batches.component_batches(), pairs, rows=9)
        assert {(row["node_id"], row["component_id"]) for row in found} == expected


@pytest.mark.parametrize(("chunk", "slot_bits"), [(10**6, 0), (10, 3), (1, 7)])
def test_rounds_of_contraction_find_the_components(monkeypatch: pytest.MonkeyPatch, chunk: int, slot_bits: int) -> None:
    table = edge_table(3, 300, 280)
    monkeypatch.setattr(component_batches, "EDGES_PER_CHUNK", chunk)
    monkeypatch.setattr(component_batches, "BYTES_PER_BATCH", 64)
    found = collected(component_batches.contract_batches(slot_bits), table.select(["src", "dst"]), rows=9)
    label = {}
    pointers: list[tuple[int, int]] = []
    while blocks := [row for row in found if row["slot"] is not None]:
        columns = {name: [row[name] for row in blocks] for name in ("slot", "pairs", "smallest")}
        assert all(len(row["pairs"]) == 16 * row["num_pairs"] for row in blocks)
        assert set(columns["slot"]) <= set(range(1 << slot_bits))
        found = collected(component_batches.settle_batches(slot_bits), pa.table(columns), rows=2)
        pointers += [(row["node_id"], row["label"]) for row in found if row["label"] is not None]
        label |= {row["node_id"]: row["component_id"] for row in found if row["component_id"] is not None}
    for node, target in reversed(pointers):
        label[node] = label[target]
    assert set(label.items()) == {(node, min(group)) for group in components_of(table) for node in group}


@pytest.mark.parametrize("run", [forest_batches(), component_batches.component_batches()])
def test_no_edge_gives_a_batch_without_rows_or_none(run: Any) -> None:
    assert collected(run, edge_table(1, 1, 0).select(["src", "dst", "distance"])) == []
