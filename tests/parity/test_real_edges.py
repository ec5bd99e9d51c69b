"""The band join on fingerprints of real documents, whose bits are skewed, against a comparison of all pairs."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from math import comb
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray
from pyspark.sql import SparkSession

from simhash_udf.kernel.band_join import explode_blocks, join_block
from simhash_udf.kernel.bands import MAX_BANDS
from simhash_udf.kernel.calibration import learn_thresholds
from simhash_udf.kernel.edge_list import Edges, join_edges
from simhash_udf.kernel.fingerprint import Fingerprinter
from simhash_udf.kernel.forest import connected_components, spanning_forest
from simhash_udf.kernel.plan import BandPlan, choose_plan
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.stages.edges import build_edges, build_edges_sql

pytestmark = pytest.mark.shared

NUM_DOCUMENTS = 5000
CASES = [(k, b) for k in range(7) for b in range(k + 1, 65) if comb(b, k) <= MAX_BANDS]  # all that are not refused
KINDS = ("classic", "calibrated")

Words = NDArray[np.uint64]


@pytest.fixture(scope="module")
def fingerprints(shared_data: Path) -> dict[str, Words]:
    """Fingerprints of the first documents, repeats included: classic, and with their own medians as thresholds."""
    table = pq.read_table(shared_data / "zh_vsdocs_revisions.parquet", columns=["text"]).slice(0, NUM_DOCUMENTS)
    texts = table["text"].combine_chunks()
    classic = Fingerprinter(Recipe())
    thresholds = learn_thresholds(classic.scores(texts.slice(0, 1000)))
    made = {"classic": classic(texts), "calibrated": Fingerprinter(replace(Recipe(), thresholds=thresholds))(texts)}
    return {kind: found.values[found.has_value] for kind, found in made.items()}


@pytest.fixture(scope="module")
def near(fingerprints: dict[str, Words]) -> dict[str, NDArray[np.int64]]:
    """All pairs within 6 of each kind as sorted rows (src, dst, distance)."""
    return {kind: all_pairs(words, 6) for kind, words in fingerprints.items()}


def all_pairs(words: Words, k: int) -> NDArray[np.int64]:
    ids = np.sort(words[:, 0].view(np.int64))
    ids = np.unique(ids)
    rows = []
    for place, one in enumerate(ids):
        others = ids[place + 1 :]
        turned = np.ascontiguousarray((one ^ others).view(np.uint64))
        distances = np.unpackbits(turned.view(np.uint8).reshape(-1, 8), axis=1).sum(axis=1)
        hits = distances <= k
        rows.append(np.column_stack([np.full(hits.sum(), one), others[hits], distances[hits].astype(np.int64)]))
    return np.concatenate(rows)


def joined(words: Words, plan: BandPlan, *, every_pair: bool) -> Edges:
    """The join without Spark: explode in three batches, gather by slot, join each slot."""
    blocks: dict[int, list[bytes]] = defaultdict(list)
    for part in np.array_split(words, 3):
        for bands in plan.waves:
            for slot, block in explode_blocks(part, plan, bands):
                blocks[slot].append(block)
    return join_edges([join_block(slot, chunks, plan, every_pair) for slot, chunks in blocks.items()])


def as_rows(edges: Edges) -> NDArray[np.int64]:
    rows = np.column_stack([edges.src, edges.dst, edges.distance.astype(np.int64)])
    return rows[np.lexsort((rows[:, 1], rows[:, 0]))]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("k", "num_blocks"), CASES)
def test_every_choice_of_blocks_finds_every_pair_once(
    fingerprints: dict[str, Words], near: dict[str, NDArray[np.int64]], kind: str, k: int, num_blocks: int
) -> None:
    words = fingerprints[kind]
    plan = choose_plan(np.unique(words, axis=0), len(words), max_distance=k, num_blocks=num_blocks, cores=2)
    expected = near[kind][near[kind][:, 2] <= k]
    np.testing.assert_array_equal(as_rows(joined(words, plan, every_pair=True)), expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", range(7))
def test_forests_span_the_components_of_all_pairs(
    fingerprints: dict[str, Words], near: dict[str, NDArray[np.int64]], kind: str, k: int
) -> None:
    words = fingerprints[kind]
    plan = choose_plan(np.unique(words, axis=0), len(words), max_distance=k, cores=2, target_slot_records=500)
    src, dst, distance = near[kind][near[kind][:, 2] <= k].T
    forest = joined(words, plan, every_pair=False)
    for found, expected in zip(
        connected_components(forest.src, forest.dst), connected_components(src, dst), strict=True
    ):
        np.testing.assert_array_equal(found, expected)
    whole = spanning_forest(Edges(src, dst, distance.astype(np.uint8)))
    np.testing.assert_array_equal(as_rows(spanning_forest(forest)), as_rows(whole))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("k", "num_blocks"), [(3, 4), (3, None), (5, 8)])
def test_spark_finds_the_same_pairs_by_both_joins(
    spark: SparkSession,
    fingerprints: dict[str, Words],
    near: dict[str, NDArray[np.int64]],
    kind: str,
    k: int,
    num_blocks: int | None,
) -> None:
    words = fingerprints[kind]
    plan = choose_plan(np.unique(words, axis=0), len(words), max_distance=k, num_blocks=num_blocks, cores=2)
    signed = words[:, 0].view(np.int64).tolist()
    nodes = spark.createDataFrame([(word, word) for word in signed], "node_id long, word_0 long").repartition(4)
    expected = [tuple(row) for row in near[kind][near[kind][:, 2] <= k].tolist()]
    waves = range(len(plan.waves))
    packed = [tuple(row) for w in waves for row in build_edges(nodes, plan, wave=w, all_pairs=True).collect()]
    assert sorted(packed) == expected
    if num_blocks != 4:  # classic bits in four blocks give plain SQL hundreds of millions of rows
        assert sorted(tuple(row) for row in build_edges_sql(nodes, plan).collect()) == expected
