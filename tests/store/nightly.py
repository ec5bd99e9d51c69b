"""A store on disk that is given fingerprints in place of texts, and what it holds as plain rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from simhash_udf import schema
from simhash_udf.config import Settings, validated
from simhash_udf.kernel.recipe import Recipe, View
from simhash_udf.pipeline.fingerprinting import Fingerprinted
from simhash_udf.runtime.tables import CheckpointTables, StageTable
from simhash_udf.store.adding import Addition, Batch, add_batch
from simhash_udf.store.claim import acquire
from simhash_udf.store.frames import StoreFrames
from simhash_udf.store.manifest import Manifest, read_newest
from simhash_udf.store.publishing import enter
from simhash_udf.store.specification import specify
from simhash_udf.store.views import members_of_store
from tests.store.model import Doc

KEEP = ("max:day",)


class Nightly:
    """A store under a directory, and the steps of a run from its fingerprints on."""

    def __init__(self, spark: SparkSession, path: Path, *, views: int = 1, k: int = 3, total: int = 8) -> None:
        self.spark, self.path, self.views = spark, path, views
        self.limits = {"max_distance": k, "max_total_distance": total}
        self.recipe = Recipe(views=tuple(View("char", bits) for bits in range(views)))

    def add(self, run_id: str, docs: Iterable[Doc], **options: Any) -> Manifest:
        """Add a batch of documents as a run does; the same as `run_with_store` from the fingerprints on."""
        given = {"store": str(self.path), "run_id": run_id, "views": ("char",) * self.views, "keep": KEEP}
        settings: Settings = validated(Settings, given | self.limits | options)
        rows = list(docs)
        frame = self.frame(rows)
        days = frame.select(schema.DOC_ID, F.col("day").alias("keep_day"))
        table = StageTable(frame.drop("day"), run_id, len(rows))
        without = sum(doc.words is None for doc in rows)
        counts = {"documents": len(rows), "null_ids": 0, "repeated_ids": 0, "null_texts": 0}
        made = Fingerprinted(
            table, StageTable(frame.limit(0), "none", 0), self.recipe, counts | {"without_fingerprint": without}
        )
        specification = specify(self.recipe, id_type="string", keep=KEEP, keep_types={"day": "int"})
        claim = acquire(str(self.path), f"run {run_id}", wait_s=0)
        try:
            base = enter(str(self.path), claim)
            frames = StoreFrames(self.spark, str(self.path), base)
            addition = Addition(frames, base.version, claim, settings, CheckpointTables(), 2)
            return add_batch(addition, Batch(made, days, specification, run_id, run_id))[0]
        finally:
            claim.release()

    def frame(self, docs: list[Doc]) -> DataFrame:
        """Table fingerprints of documents, with their day."""
        table = schema.fingerprints(T.StringType(), self.views)
        rows = []
        for doc in docs:
            words = None if doc.words is None else np.array(doc.words, np.uint64).view(np.int64).tolist()
            row = [doc.id, words and words[0], 1, doc.length, doc.digest, False]
            row += [words, None if words is None else doc.node] if self.views > 1 else []
            rows.append((*row, doc.day))
        fields = [*table.fields, T.StructField("day", T.IntegerType())]
        return self.spark.createDataFrame(rows, T.StructType(fields)).repartition(2)

    @property
    def frames(self) -> StoreFrames:
        return StoreFrames(self.spark, str(self.path), read_newest(str(self.path)))

    def rows(self) -> set[tuple[Any, ...]]:
        """The members of all groups, similarity left out."""
        return {tuple(row) for row in members_of_store(self.frames).drop(schema.SIMILARITY).collect()}

    def answers(self, run_id: str) -> dict[str, tuple[Any, ...]]:
        rows = self.frames.table("answers").filter(F.col("run_id") == run_id).drop("run_id").collect()
        assert len({row[0] for row in rows}) == len(rows)
        return {row[0]: tuple(row[1:]) for row in rows}

    def changes(self, version: int) -> set[tuple[Any, ...]]:
        rows = self.frames.table("changes").filter(F.col("version") == version).drop("version").collect()
        assert len(set(rows)) == len(rows)
        return {tuple(row) for row in rows}

    def partition(self) -> set[frozenset[str]]:
        groups: dict[Any, set[str]] = {}
        for row in self.rows():
            groups.setdefault((row[1], row[7] is None), set()).add(row[0])
        return {frozenset(members) for members in groups.values()}


def with_run(docs: Iterable[Doc], run: str) -> list[Doc]:
    return [replace(doc, run=run) for doc in docs]
