"""Upkeep of a store against the model: compact, forget, rebuild, export; nothing else changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from simhash_udf.errors import InputError
from simhash_udf.store.checking import verify_store
from simhash_udf.store.compacting import compact_store
from simhash_udf.store.exporting import export_groups
from simhash_udf.store.forgetting import forget_documents
from simhash_udf.store.rebuilding import rebuild_store
from tests.store.model import Model, worlds
from tests.store.nightly import Nightly
from tests.store.test_adding import add, nights

pytestmark = pytest.mark.processes  # many whole runs, half a minute a test


@pytest.mark.parametrize("views", [1, 2])
def test_upkeep_does_what_the_model_does(spark: SparkSession, tmp_path: Path, views: int) -> None:
    store, model = Nightly(spark, tmp_path / "store", views=views, k=3), Model(3, 8)
    place, docs = str(tmp_path / "store"), worlds(6, count=60, views=views, k=3)
    for number, batch in enumerate(nights(docs, 6, 3)):
        add(store, model, f"run {number}", batch)
    # 1 compaction changes no row
    answers = store.answers("run 1")
    assert "files became" in compact_store(spark, place, wait_s=0)
    assert store.rows() == model.rows()
    assert store.answers("run 1") == answers
    assert all(len(files) == 1 for files in store.frames.manifest.tables.values())
    # 2 what is forgotten is nowhere any more
    draw = np.random.default_rng(0)
    ids = {docs[number].id for number in draw.choice(len(docs), len(docs) // 4, replace=False)}
    (tmp_path / "ids.txt").write_text("\n".join([*sorted(ids), "unknown"]), encoding="utf-8")
    told = forget_documents(spark, place, str(tmp_path / "ids.txt"), wait_s=0)
    assert f"{len(ids)} documents taken out, 1 ids unknown" in told
    model.forget(ids)
    assert store.rows() == model.rows()
    left = [pq.read_table(file).to_pylist() for file in Path(place, "data").rglob("*.parquet")]
    named = {row.get(name) for rows in left for row in rows for name in ("doc_id", "duplicate_of", "representative_id")}
    assert named & ids == set()
    counts = store.frames.manifest.counts
    assert counts == {"documents": len(model.docs), "groups": len(model.partition()), "members": len(model.groups)}
    # 3 a batch afterwards
    add(store, model, "again", [doc for doc in docs if doc.id in sorted(ids)[::2]])
    assert store.rows() == model.rows()
    # 4 rebuilt as one run makes it
    rebuild_store(spark, place, max_distance=2, max_total_distance=6, wait_s=0)
    model.rebuild(2, 6)
    assert store.rows() == model.rows()
    assert export_groups(spark, place, str(tmp_path / "out"), overwrite=False).startswith(str(tmp_path / "out"))
    exported = [
        row for file in (tmp_path / "out" / "groups").glob("*.parquet") for row in pq.read_table(file).to_pylist()
    ]
    assert {(row["doc_id"], row["group_id"]) for row in exported} == {row[:2] for row in model.rows()}
    assert "is whole" in verify_store(place)


def test_ids_that_are_not_there_change_nothing(spark: SparkSession, tmp_path: Path) -> None:
    store = Nightly(spark, tmp_path / "store")
    store.add("first", worlds(7, count=3, views=1, k=3))
    (tmp_path / "ids.txt").write_text("nobody\n", encoding="utf-8")
    told = forget_documents(spark, str(tmp_path / "store"), str(tmp_path / "ids.txt"), wait_s=0)
    assert "none of 1 ids is in the store" in told
    assert store.frames.manifest.version == 1
    with pytest.raises(InputError, match="cannot be read as parquet"):
        forget_documents(spark, str(tmp_path / "store"), str(tmp_path / "none.parquet"), wait_s=0)
