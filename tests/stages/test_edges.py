"""Both band joins against a comparison of all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

from simhash_udf.kernel.bits import node_ids
from simhash_udf.kernel.plan import BandPlan, choose_plan
from simhash_udf.stages.components import components_in_one_task
from simhash_udf.stages.edges import (
    build_edges,
    build_edges_sql,
    join_blocks,
    select_joined,
    spanning_forest_of,
    sum_joined,
)

Edge = tuple[int, int, int]


def planted(seed: int, n: int, views: int) -> np.ndarray:
    """Random nodes, and for each of a third of them a neighbour with 1 to 6 bits of every view turned."""
    draw = np.random.default_rng(seed)
    words = draw.integers(0, 2**64, (n, views), dtype=np.uint64)
    near = words[: n // 3].copy()
    for row in near:
        for view in range(views):
            for bit in draw.choice(64, draw.integers(1, 7), replace=False):
                row[view] ^= np.uint64(1) << np.uint64(bit)
    return np.concatenate([words, near, words[:20]])


def all_edges(words: np.ndarray, k: int, total: int) -> set[Edge]:
    distinct = np.unique(words, axis=0)
    ids = node_ids(distinct)
    found = set()
    for i in range(len(distinct)):
        distances = np.bitwise_count(distinct[i] ^ distinct[i + 1 :]).astype(int)
        hits = (distances.min(axis=1) <= k) & (distances.sum(axis=1) <= total)
        for j in np.flatnonzero(hits):
            a, b = int(ids[i]), int(ids[i + 1 + j])
            found.add((min(a, b), max(a, b), int(distances[j].min())))
    return found


def to_nodes(spark: SparkSession, words: np.ndarray) -> DataFrame:
    columns = ["node_id", *(f"word_{view}" for view in range(words.shape[1]))]
    rows = np.column_stack([node_ids(words), words.view(np.int64)]).tolist()
    return spark.createDataFrame(rows, ", ".join(f"{name} long" for name in columns)).repartition(3)


def packed(nodes: DataFrame, plan: BandPlan, *, all_pairs: bool) -> list[Edge]:
    waves = range(len(plan.waves))
    return [tuple(row) for wave in waves for row in build_edges(nodes, plan, wave=wave, all_pairs=all_pairs).collect()]


def plan_of(words: np.ndarray, k: int, **options: int) -> BandPlan:
    return choose_plan(words, len(words), max_distance=k, cores=2, **options)


@pytest.mark.parametrize(("k", "num_blocks"), [(0, None), (1, 3), (3, 4), (3, 5), (3, 6), (5, None)])
def test_both_joins_find_every_pair_once(spark: SparkSession, k: int, num_blocks: int | None) -> None:
    words = planted(k, 300, 1)
    plan = plan_of(words, k, num_blocks=num_blocks)
    found = packed(to_nodes(spark, words), plan, all_pairs=True)
    assert len(found) == len(set(found))
    assert set(found) == all_edges(words, k, 64)
    assert {tuple(row) for row in build_edges_sql(to_nodes(spark, words), plan).collect()} == set(found)


@pytest.mark.parametrize("views", [2, 4])
def test_several_views_need_one_near_view_and_a_small_sum(spark: SparkSession, views: int) -> None:
    words = planted(11, 300, views)
    total = 3 * views
    plan = plan_of(words, 3, max_total_distance=total)
    found = packed(to_nodes(spark, words), plan, all_pairs=True)
    assert len(found) == len(set(found))
    assert set(found) == all_edges(words, 3, total)
    assert 0 < len(found) < len(all_edges(words, 3, 64 * views)), "the sum must matter in this test"
    assert {tuple(row) for row in build_edges_sql(to_nodes(spark, words), plan).collect()} == set(found)


def test_waves_give_the_same_edges(spark: SparkSession) -> None:
    words = planted(4, 300, 1)
    one = plan_of(words, 3)
    many = plan_of(words, 3, num_blocks=one.num_blocks, max_shuffle_bytes=2 * 8 * len(words))
    assert len(many.waves) > 1 == len(one.waves)
    nodes = to_nodes(spark, words)
    assert sorted(packed(nodes, many, all_pairs=True)) == sorted(packed(nodes, one, all_pairs=True))


def test_the_forest_is_the_same_from_all_pairs_and_from_forests(spark: SparkSession) -> None:
    words = planted(5, 400, 1)
    words[:, 0] &= np.uint64(0xFFFF)  # crowded: most nodes are in one component
    plan = plan_of(words, 3)
    nodes = to_nodes(spark, words)
    forests = []
    for all_pairs in (True, False):
        edges = build_edges(nodes, plan, wave=0, all_pairs=all_pairs)
        components = components_in_one_task(edges)
        forests += [spanning_forest_of(edges, components, partitions=partitions).collect() for partitions in (1, 3)]
    found = {tuple(sorted(map(tuple, forest))) for forest in forests}
    assert len(found) == 1
    assert 0 < len(found.pop()) < len(all_edges(words, 3, 64))


def test_tasks_count_their_records_and_comparisons_beside_their_edges(spark: SparkSession) -> None:
    words = np.unique(planted(6, 2000, 1), axis=0)
    plan = plan_of(words, 3, num_blocks=4)
    joined = join_blocks(to_nodes(spark, words).coalesce(1), plan, wave=0, all_pairs=True)
    keys = [np.unique(words & np.uint64(band.mask), return_counts=True)[1] for band in plan.bands]
    comparisons = sum(int((sizes * (sizes - 1) // 2).sum()) for sizes in keys)
    assert sum_joined(joined).collect() == [(len(all_edges(words, 3, 64)), 4 * len(words), comparisons)]
    assert {tuple(row) for row in select_joined(joined).collect()} == all_edges(words, 3, 64)


def test_no_fingerprint_gives_no_edge(spark: SparkSession) -> None:
    words = np.empty((0, 1), np.uint64)
    plan = plan_of(words, 3)
    nodes = spark.createDataFrame([], "node_id long, word_0 long")
    assert packed(nodes, plan, all_pairs=False) == []
    assert sum_joined(join_blocks(nodes, plan, wave=0, all_pairs=False)).collect() == [(0, None, None)]
    assert build_edges_sql(nodes, plan).collect() == []
