"""Batches into a store against the model: hundreds of small worlds at once, in any split and any order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pyspark.sql import SparkSession

from simhash_udf.store import matching, reading
from tests.store.model import Doc, Model, worlds
from tests.store.nightly import Nightly

pytestmark = pytest.mark.processes  # many whole runs, half a minute a test


def nights(docs: list[Doc], seed: int, count: int) -> Iterator[list[Doc]]:
    """A split into batches of different size, in an order that has nothing to do with the worlds."""
    draw = np.random.default_rng(seed)
    night = draw.integers(0, count, len(docs))
    for number in range(count):
        yield [docs[place] for place in draw.permutation(np.flatnonzero(night == number))]


def add(store: Nightly, model: Model, run: str, batch: list[Doc], **options: int) -> None:
    """Add a batch to both, and compare what they say of it."""
    answers, changes = model.add(run, batch)
    manifest = store.add(run, batch, **options)
    assert store.answers(run) == answers
    assert store.changes(manifest.version) == changes
    counts, kinds = manifest.runs[-1].counts, [answer[0] for answer in answers.values()]
    assert [counts[kind] for kind in ("new", "duplicate", "known")] == [
        kinds.count(kind) for kind in ("new", "duplicate", "known")
    ]
    assert counts["merged"] == len({change[2] for change in changes if change[1] == "merged"})
    told = manifest.counts
    assert (told["documents"], told["groups"]) == (len(model.docs), len(model.partition()))
    assert told["members"] == len(model.groups)


@pytest.mark.parametrize(("views", "k", "total", "seed"), [(1, 3, 8, 1), (2, 2, 7, 3)])
def test_every_batch_leaves_what_the_model_has(
    spark: SparkSession, tmp_path: Path, views: int, k: int, total: int, seed: int
) -> None:
    docs = worlds(seed, count=100, views=views, k=k)
    store, model = Nightly(spark, tmp_path, views=views, k=k, total=total), Model(k, total)
    for number, batch in enumerate(nights(docs, seed, 4)):
        add(store, model, f"run {number}", batch)
    assert sum(run.counts["merged"] for run in store.frames.manifest.runs) > 1
    assert store.rows() == model.rows()
    whole = Model(k, total)
    whole.add("all", docs)
    assert model.partition() == whole.partition()


def test_documents_that_come_again_join_nothing(spark: SparkSession, tmp_path: Path) -> None:
    docs = worlds(3, count=60, views=1, k=3)
    first, second = docs[: len(docs) // 2], docs[len(docs) // 3 :]
    store, model = Nightly(spark, tmp_path, k=3), Model(3, 8)
    add(store, model, "first", first)
    # a larger k joins what is new to what is old, but not old documents that come again to one another
    model.k = 5
    add(store, model, "second", second, max_distance=5)
    manifest = store.frames.manifest
    assert manifest.runs[-1].counts["known"] == len(first) + len(second) - len(docs) > 0
    assert (manifest.max_distance, manifest.max_total_distance) == (3, 8)
    assert store.rows() == model.rows()


def test_a_large_batch_is_looked_for_in_parts(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching, "INDEX_BYTES", 10 * matching.BYTES_PER_ENTRY * 30)  # 30 documents a scan
    monkeypatch.setattr(matching, "SCAN_SECONDS", 0.0)
    store, model = Nightly(spark, tmp_path, k=3), Model(3, 8)
    for number, batch in enumerate(nights(worlds(4, count=60, views=1, k=3), 4, 2)):
        add(store, model, f"run {number}", batch)
    assert store.rows() == model.rows()


def test_a_batch_too_large_for_scans_is_joined_with_the_store(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching, "INDEX_BYTES", 1)
    monkeypatch.setattr(matching, "SCAN_SECONDS", 1e9)
    joined: list[str] = []
    join = matching.Matcher.near_by_join
    monkeypatch.setattr(matching.Matcher, "near_by_join", lambda *given: joined.append("yes") or join(*given))
    docs = worlds(5, count=60, views=1, k=3)
    batches = list(nights(docs, 5, 3))
    batches[2] += batches[0][:5]  # documents that are there already
    store, model = Nightly(spark, tmp_path, k=3), Model(3, 8)
    for number, batch in enumerate(batches):
        add(store, model, f"run {number}", batch)
    assert joined == ["yes", "yes"]
    assert store.rows() == model.rows()
    # with a larger k than before a join would find pairs of old documents
    monkeypatch.setattr(matching, "INDEX_BYTES", 10**9)
    model.k = 4
    add(store, model, "last", worlds(5, count=70, views=1, k=3)[-20:], max_distance=4)
    assert joined == ["yes", "yes"]


@pytest.mark.parametrize("views", [1, 2])
def test_spark_reads_a_store_that_tasks_cannot(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, views: int
) -> None:
    monkeypatch.setattr(reading, "_is_on_disks", lambda _: False)
    store, model = Nightly(spark, tmp_path, views=views, k=3), Model(3, 8)
    for number, batch in enumerate(nights(worlds(9, count=60, views=views, k=3), 9, 2)):
        add(store, model, f"run {number}", batch)
    assert store.rows() == model.rows()
