"""Stage tables with manifests: what makes a killed run resume, and what is re-used only if nothing changed.

A stage is looked up by name and digest. The digest covers its settings and the digests of the stages it was made from,
so a table is never read under settings other than its own. The manifest is written after the table; a table without one
is not there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from simhash_udf.runtime.digests import digest_of
from simhash_udf.runtime.progress import log_stage, running_stage, running_step
from simhash_udf.runtime.storage import delete, list_files, read_json, write_json


@dataclass(frozen=True)
class StageRecord:
    """What a run says about one stage: name, digest, rows it gave, seconds it took, and whether it was re-used."""

    stage: str
    digest: str
    rows: int
    seconds: float
    is_reused: bool


@dataclass(frozen=True)
class StageTable:
    """A stage's table with its lineage cut, the digest of all it was made from, and its number of rows."""

    frame: DataFrame
    digest: str
    rows: int


class Tables(Protocol):
    """Where a run puts the tables between its stages."""

    records: list[StageRecord]

    def summaries(self) -> list[dict[str, Any]]:
        """Return the records as plain values for the report."""
        return [asdict(record) for record in self.records]

    def table(self, stage: str, settings: Mapping[str, Any], build: Callable[[], DataFrame]) -> StageTable:
        """Return the stage's table with its lineage cut, made by ``build`` unless it is there already."""

    def value(self, stage: str, settings: Mapping[str, Any], build: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return a stage's small result, a JSON object, made by ``build`` unless it is there already."""

    def scratch(self, name: str, frame: DataFrame) -> DataFrame:
        """Return the frame with its lineage cut, for the rounds inside a stage; it goes when that stage is written."""


class WorkTables(Tables):
    """Tables as Parquet under a work directory, one directory a stage and digest, each with a manifest.

    Parameters
    ----------
    spark
        Session that reads and writes the tables.
    root
        Work directory; it may hold tables of other runs.
    resume
        Whether tables that are there may be re-used.
    """

    def __init__(self, spark: SparkSession, root: str, *, resume: bool = True) -> None:
        self.records: list[StageRecord] = []
        self.steps: dict[str, float] = {}
        self._spark = spark
        self._root = root.rstrip("/")
        self._resume = resume
        self._scratch: list[str] = []

    def table(self, stage: str, settings: Mapping[str, Any], build: Callable[[], DataFrame]) -> StageTable:
        """Return the table from its place, written first unless it is there whole."""
        known = self.known_table(stage, settings)
        if known is not None:
            self._record(stage, known.digest, known.rows, 0.0, is_reused=True)
            return known
        digest, place, _ = self._find(stage, settings)
        start = time.monotonic()
        with running_stage(self._spark, stage):
            delete(place)
            built = build()
            built.write.parquet(f"{place}/data")
            frame = self._spark.read.schema(built.schema).parquet(f"{place}/data")
            rows = frame.count()
        files = list_files(f"{place}/data")
        content = {"rows": rows, "files": files, "schema": built.schema.jsonValue(), "settings": dict(settings)}
        write_json(f"{place}/manifest.json", {"stage": stage, "digest": digest, **content})
        self._delete_scratch()
        self._record(stage, digest, rows, time.monotonic() - start, is_reused=False)
        return StageTable(frame, digest, rows)

    def value(self, stage: str, settings: Mapping[str, Any], build: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return the value from its manifest, made first unless it is there."""
        digest, place, manifest = self._find(stage, settings)
        if manifest is not None:
            self._record(stage, digest, 1, 0.0, is_reused=True)
            return dict(manifest["value"])
        start = time.monotonic()
        with running_stage(self._spark, stage):
            value = build()
        content = {"value": value, "settings": dict(settings)}
        write_json(f"{place}/manifest.json", {"stage": stage, "digest": digest, **content})
        self._record(stage, digest, 1, time.monotonic() - start, is_reused=False)
        return value

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Run a part of the job that leaves no stage table; its time goes into ``steps``."""
        with running_step(self._spark, name, self.steps):
            yield

    def known_table(self, stage: str, settings: Mapping[str, Any]) -> StageTable | None:
        """Return the stage's table if it is there whole and may be re-used."""
        digest, place, manifest = self._find(stage, settings)
        if manifest is None or manifest["files"] != list_files(f"{place}/data"):
            return None
        frame = self._spark.read.schema(StructType.fromJson(manifest["schema"])).parquet(f"{place}/data")
        return StageTable(frame, digest, manifest["rows"])

    def known_value(self, stage: str, settings: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the stage's value if it is there and may be re-used."""
        manifest = self._find(stage, settings)[2]
        return None if manifest is None else dict(manifest["value"])

    def scratch(self, name: str, frame: DataFrame) -> DataFrame:
        """Return the frame as read back from a scratch directory."""
        place = f"{self._root}/scratch-{name}"
        delete(place)
        self._scratch.append(place)
        frame.write.parquet(place)
        return self._spark.read.schema(frame.schema).parquet(place)

    def _delete_scratch(self) -> None:
        """Take away the tables of the rounds inside a stage that is written."""
        while self._scratch:
            delete(self._scratch.pop())

    def _find(self, stage: str, settings: Mapping[str, Any]) -> tuple[str, str, dict[str, Any] | None]:
        """Digest and place of a stage, and its manifest if it may be re-used."""
        digest = digest_of({"stage": stage, "settings": settings})
        place = f"{self._root}/{stage}-{digest[:16]}"
        manifest = read_json(f"{place}/manifest.json") if self._resume else None
        return digest, place, manifest if manifest and manifest.get("digest") == digest else None

    def _record(self, stage: str, digest: str, rows: int, seconds: float, *, is_reused: bool) -> None:
        self.records.append(StageRecord(stage, digest, rows, round(seconds, 3), is_reused))
        log_stage(stage, rows=rows, seconds=seconds, is_reused=is_reused)


class CheckpointTables(Tables):
    """Tables as local checkpoints of the session, for calls from a notebook: nothing is left on disk afterwards."""

    def __init__(self) -> None:
        self.records: list[StageRecord] = []

    def table(self, stage: str, settings: Mapping[str, Any], build: Callable[[], DataFrame]) -> StageTable:
        """Return the table as a local checkpoint."""
        start = time.monotonic()
        frame = build().localCheckpoint()
        digest = digest_of({"stage": stage, "settings": settings})
        rows = frame.count()
        self.records.append(StageRecord(stage, digest, rows, round(time.monotonic() - start, 3), False))
        return StageTable(frame, digest, rows)

    def value(self, stage: str, settings: Mapping[str, Any], build: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return the value, made anew."""
        start = time.monotonic()
        value = build()
        digest = digest_of({"stage": stage, "settings": settings})
        self.records.append(StageRecord(stage, digest, 1, round(time.monotonic() - start, 3), False))
        return value

    def scratch(self, name: str, frame: DataFrame) -> DataFrame:
        """Return the frame as a local checkpoint; its name is of no use here."""
        return frame.localCheckpoint()
