"""A change of a store that is no run: it holds the claim, writes files, and publishes the next version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.errors import SimhashError
from simhash_udf.runtime.session import num_cores
from simhash_udf.runtime.storage import delete
from simhash_udf.runtime.tables import WorkTables
from simhash_udf.store import layout
from simhash_udf.store.claim import Claim
from simhash_udf.store.damage import naming_damage
from simhash_udf.store.files import check_files
from simhash_udf.store.frames import StoreFrames, write_files
from simhash_udf.store.heartbeat import held
from simhash_udf.store.manifest import DataFile, Manifest, open_store
from simhash_udf.store.publishing import check_is_store, enter, now, publish

Files = dict[str, tuple[DataFile, ...]]


@dataclass(frozen=True)
class Change:
    """A change that is being made.

    Parameters
    ----------
    frames
        The store as it is.
    newest
        Its newest manifest.
    claim
        The right to write.
    tables, cores
        Where results between go, and the cluster's cores.
    """

    frames: StoreFrames
    newest: Manifest
    claim: Claim
    tables: WorkTables
    cores: int

    @property
    def version(self) -> int:
        """The version that is made."""
        return self.newest.version + 1

    def write(self, name: str, frame: DataFrame, *, rows: int) -> tuple[DataFile, ...]:
        """Write a table of at most so many rows."""
        directory = layout.data_directory(self.version, self.claim.token)
        return write_files(frame, self.frames.store, directory, name, rows=rows)

    def publish(self, action: str, tables: Mapping[str, tuple[DataFile, ...]], **changed: object) -> Manifest:
        """Publish the next version: these tables in place of those of their names, and other fields that changed."""
        manifest = replace(
            self.newest,
            version=self.version,
            action=action,
            run_id=None,
            created=now(),
            base=self.newest.version,
            tables={**self.newest.tables, **tables},
            **changed,  # type: ignore[arg-type]
        )
        publish(self.frames.store, manifest, self.claim)
        return manifest


@contextmanager
def change(spark: SparkSession, store: str, action: str, *, wait_s: float) -> Iterator[Change]:
    """Hold the claim of a store for a change; what lies between is removed at the end.

    Raises
    ------
    InputError
        There is no store, it is damaged, or another run holds it.
    """
    check_is_store(store)
    open_store(store)  # refuses before a claim is made where no store is
    with held(store, action, wait_s=wait_s) as claim:
        manifest = enter(store, claim)
        check_files(store, manifest)
        place = f"{store}/{layout.WORK}"
        tables = WorkTables(spark, place, resume=False)
        with naming_damage(store):
            yield Change(StoreFrames(spark, store, manifest), manifest, claim, tables, num_cores(spark))
        delete(place)


def count_groups(groups: DataFrame) -> dict[str, int]:
    """Return ``groups`` and ``members`` of current groups."""
    row = groups.agg(F.count("*"), F.coalesce(F.sum(schema.GROUP_SIZE), F.lit(0))).first()
    if row is None:
        raise SimhashError("the groups could not be counted")
    return {"groups": int(row[0]), "members": int(row[1])}
