"""From fingerprints to groups: the same rows by every route, and known cases with given fingerprints."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from simhash_udf import schema
from simhash_udf.config import Settings, validated
from simhash_udf.errors import SettingError
from simhash_udf.kernel.bits import node_ids
from simhash_udf.kernel.recipe import Recipe, View
from simhash_udf.kernel.values import distance
from simhash_udf.pipeline import connecting
from simhash_udf.pipeline.fingerprinting import Fingerprinted, fingerprint_documents
from simhash_udf.pipeline.grouping import Grouped, group_fingerprints
from simhash_udf.pipeline.joining import JoinFigures, compare_with_plan
from simhash_udf.runtime.inputs import Source
from simhash_udf.runtime.tables import CheckpointTables, StageTable
from simhash_udf.sample import generate_documents

Words = dict[str, tuple[int, ...]]


def group(frame: DataFrame, views: int = 1, **options: Any) -> Grouped:
    """Groups of a fingerprints table, through the same stages as the job."""
    source = Source(frame.select(schema.DOC_ID), "digest", 0, 2)
    recipe = Recipe(views=tuple(View("jieba", bits) for bits in range(views)))
    without = frame.filter("fingerprint is null").count()
    repeated = StageTable(frame.limit(0), "none", 0)
    made = Fingerprinted(StageTable(frame, "given", frame.count()), repeated, recipe, {"without_fingerprint": without})
    settings = validated(Settings, {"id_column": "doc_id", "views": ("jieba",) * views} | options)
    return group_fingerprints(made, source, settings, CheckpointTables())


def to_frame(spark: SparkSession, words: Words) -> DataFrame:
    views = len(next(iter(words.values())))
    signed = np.array(list(words.values()), dtype=np.uint64)
    rows = []
    for number, (name, node) in enumerate(zip(words, node_ids(signed).tolist(), strict=True)):
        row = [name, int(signed.view(np.int64)[number, 0]), 1, number, number, False]
        rows.append((*row, signed.view(np.int64)[number].tolist(), node) if views > 1 else tuple(row))
    return spark.createDataFrame(rows, schema.fingerprints(T.StringType(), views)).repartition(3)


def near_pairs(words: Words, k: int, total: int) -> set[tuple[str, str]]:
    """Oracle: all pairs of documents compared one by one."""
    found = set()
    for (one, first), (other, second) in combinations(sorted(words.items()), 2):
        distances = [distance(a, b) for a, b in zip(first, second, strict=True)]
        if min(distances) <= k and sum(distances) <= total:
            found.add((one, other))
    return found


def sets(groups: DataFrame) -> set[frozenset[str]]:
    members = defaultdict(set)
    for row in groups.collect():
        members[row.group_id].add(row.doc_id)
    return {frozenset(ids) for ids in members.values()}


def rows(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in frame.collect())


PUBLISHED = {
    "g0a": 0x7EFC636BA1B47D75, "g0b": 0x6EFC636BA1B47D75, "g0c": 0x7EFC676BA1B07D7D, "g0d": 0x7FF8636BA13C7D75,
    "g1a": 0x8A1E657DC48557B3, "g1b": 0x8A1E657DE48557B3, "g1c": 0x8A1E6D7CC48557F3, "g1d": 0x9A1E65FDA48557B3,
    "g2a": 0xE7A813B0925E4454, "g2b": 0xE7A813B092564454, "g2c": 0xE3A893B0924E4454, "g2d": 0x678813B0B25C4454,
    "g3a": 0xAA1C0B1584DB7040, "g3b": 0xAB1C0B1584DB7040, "g3c": 0xAA1C0B1C84DB70C0, "g3d": 0xAA1C1B1580DB7850,
    "s0": 0xC8A0A2CEF36F188E, "s1": 0x4D16C39B80B6D91C, "s2": 0x4978F8E1FA587AF5, "s3": 0xC611BCB2FE204F82,
}  # fmt: skip


@pytest.mark.parametrize(
    ("values", "options", "expected"),
    [
        (PUBLISHED, {}, ["g0a g0b g0c", "g1a g1b g1c g1d", "g2a g2b g2c", "g3a g3b g3c"]),
        ({"a": 0, "b": 0x100010001, "c": 0x1000100010001}, {"num_blocks": 4}, ["a b c"]),
        ({"a": 0, "c": 0x1000100010001}, {"num_blocks": 5, "max_distance": 4}, ["a c"]),
        ({"1": 0xFF, "2": 0xFF, "3": 0xFE}, {"max_distance": 0}, ["1 2"]),
        ({"low": 2**63, "zero": 0, "high": 2**63 - 1}, {"max_distance": 1}, ["low zero"]),
    ],
)
def test_known_fingerprints_give_known_groups(
    spark: SparkSession, values: dict[str, int], options: dict[str, Any], expected: list[str]
) -> None:
    words = {name: (value,) for name, value in values.items()}
    assert sets(group(to_frame(spark, words), **options).groups.frame) == {frozenset(ids.split()) for ids in expected}


@pytest.mark.parametrize(("k", "expected"), [(0, []), (3, ["1 2"]), (4, ["1 2 3"])])
def test_the_distance_that_is_set_is_the_one_that_counts(spark: SparkSession, k: int, expected: list[str]) -> None:
    words = {"1": (0x0F473896338CAADC,), "2": (0x8F472896338CA2DC,), "3": (0x8F47389E3188A2DC,)}
    found = sets(group(to_frame(spark, words), max_distance=k).groups.frame)
    assert found == {frozenset(ids.split()) for ids in expected}


def test_a_chain_is_one_group_and_shows_how_far_its_ends_are_apart(spark: SparkSession) -> None:
    found = group(to_frame(spark, {"A": (0,), "B": (0x7,), "C": (0x3F,)}))
    assert {(row.doc_id, row.distance) for row in found.groups.frame.collect()} == {("A", 0), ("B", 3), ("C", 6)}
    assert rows(found.edges.frame) == [(0, 7, 3), (7, 63, 3)]


@pytest.fixture(scope="module")
def corpus(spark: SparkSession) -> DataFrame:
    """Fingerprints of the sample corpus, classic and of one view: crowded, so that its groups are large too."""
    documents = [(d.id, d.text) for d in generate_documents(300, seed=3) if d.text is not None]
    frame = spark.createDataFrame(documents, "id string, text string")
    settings = validated(Settings, {"calibration": "none", "tokenizer": "char"})
    source = Source(frame, "digest", 0, 2)
    made = fingerprint_documents(source, settings, Recipe(views=(View("char"),)), CheckpointTables())
    return made.table.frame


@pytest.fixture(scope="module")
def expected(corpus: DataFrame) -> Grouped:
    return group(corpus)


@pytest.fixture
def configure(spark: SparkSession) -> Iterator[Callable[[dict[str, str]], None]]:
    """A function that sets Spark options until the end of the test."""
    before: dict[str, str | None] = {}

    def set_options(options: dict[str, str]) -> None:
        for name, value in options.items():
            before[name] = spark.conf.get(name, None)
            spark.conf.set(name, value)

    yield set_options
    for name, value in before.items():
        spark.conf.set(name, value) if value is not None else spark.conf.unset(name)


@pytest.mark.parametrize(
    ("adaptive", "shuffle_partitions", "partitions"), [("true", "1", 7), ("false", "7", 1), ("false", "200", 3)]
)
def test_partitions_and_adaptive_execution_change_no_row(
    corpus: DataFrame, expected: Grouped, configure: Any, adaptive: str, shuffle_partitions: str, partitions: int
) -> None:
    configure({"spark.sql.adaptive.enabled": adaptive, "spark.sql.shuffle.partitions": shuffle_partitions})
    found = group(corpus.orderBy("text_digest").repartition(partitions))
    assert rows(found.groups.frame) == rows(expected.groups.frame)
    assert rows(found.edges.frame) == rows(expected.edges.frame)


@pytest.mark.parametrize(
    "options", [{"band_join": "sql"}, {"num_blocks": 4}, {"max_shuffle_bytes": 5000.0}], ids=["sql", "blocks", "waves"]
)
def test_every_way_to_join_gives_the_same_rows(corpus: DataFrame, expected: Grouped, options: dict[str, Any]) -> None:
    found = group(corpus, **options)
    assert len(found.plan.waves) > 1 or "max_shuffle_bytes" not in options
    assert rows(found.groups.frame) == rows(expected.groups.frame)
    assert rows(found.edges.frame) == rows(expected.edges.frame)


def test_rounds_of_contraction_give_the_same_rows_as_one_task(
    corpus: DataFrame, expected: Grouped, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "SINGLE_TASK_EDGES", -1)
    found = group(corpus)
    assert rows(found.components.frame) == rows(expected.components.frame)
    assert rows(found.groups.frame) == rows(expected.groups.frame)
    assert rows(found.edges.frame) == rows(expected.edges.frame)


def test_all_pairs_on_request_and_the_same_groups(corpus: DataFrame, expected: Grouped) -> None:
    found = group(corpus, write_pairs=True)
    words = sorted({row.fingerprint for row in corpus.collect() if row.fingerprint is not None})
    pairs = [(a, b, distance(a, b)) for a, b in combinations(words, 2) if distance(a, b) <= 3]
    assert rows(found.edges.frame) == pairs
    assert rows(found.groups.frame) == rows(expected.groups.frame)
    forest = nx.Graph([(row.src, row.dst) for row in expected.edges.frame.collect()])
    assert nx.is_forest(forest)
    assert nx.number_connected_components(forest) == nx.number_connected_components(nx.Graph([p[:2] for p in pairs]))


@pytest.mark.parametrize("views", [2, 4])
def test_several_views_agree_with_a_comparison_of_all_pairs(spark: SparkSession, views: int) -> None:
    draw = np.random.default_rng(views)
    words: Words = {}
    for number in range(60):
        base = draw.integers(0, 2**64, views, dtype=np.uint64)
        words[f"a{number:02d}"] = tuple(base.tolist())
        flips = [draw.choice(64, draw.integers(0, 9), replace=False) for _ in range(views)]
        turned = [int(word) ^ sum(1 << int(bit) for bit in bits) for word, bits in zip(base, flips, strict=True)]
        words[f"b{number:02d}"] = tuple(turned)
    total = 3 * views
    near = near_pairs(words, 3, total)
    assert 0 < len(near) < len(near_pairs(words, 3, 64 * views)), "the sum must matter in this test"
    graph = nx.Graph(list(near))
    frame = to_frame(spark, words)
    for join in ("packed", "sql"):
        found = group(frame, views, max_total_distance=total, band_join=join, write_pairs=True)
        assert sets(found.groups.frame) == {frozenset(ids) for ids in nx.connected_components(graph)}
        assert len(rows(found.edges.frame)) == len(near)


def test_what_a_join_did_stands_beside_its_plan(
    corpus: DataFrame, expected: Grouped, caplog: pytest.LogCaptureFixture
) -> None:
    measured = expected.measured
    nodes = {row.fingerprint for row in corpus.collect() if row.fingerprint is not None}
    assert measured.records >= len(nodes) * len(expected.plan.bands)
    assert measured.shuffle_bytes == 8 * measured.records
    assert measured.comparisons >= expected.edges.rows > 0
    assert measured.seconds > 0
    with caplog.at_level("INFO", logger="simhash_udf"):
        told = compare_with_plan(expected.plan, measured)
    assert told["measured_over_planned"]["comparisons"] == round(
        measured.comparisons / told["planned"]["comparisons"], 3
    )
    assert "join, planned/measured: records=" in caplog.text


def test_what_was_not_counted_is_not_made_up(corpus: DataFrame, expected: Grouped) -> None:
    measured = group(corpus, band_join="sql").measured
    assert (measured.records, measured.comparisons) == (None, None)
    assert measured.seconds > 0
    told = compare_with_plan(expected.plan, JoinFigures(0, 0, None, None))
    assert told["measured_over_planned"] == {"records": 0, "shuffle_bytes": 0, "comparisons": None, "seconds": None}


def test_a_plan_above_the_budget_is_refused_with_what_to_change(corpus: DataFrame) -> None:
    with pytest.raises(
        SettingError, match=r"more than max_comparisons=1; lower max_distance=3, calibrate, or raise it"
    ):
        group(corpus, max_comparisons=1.0, num_blocks=4)
