"""The last step of a run: its tables go into the store, then the manifest that makes them visible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from simhash_udf import schema, store_schema
from simhash_udf.runtime.tables import Tables
from simhash_udf.stages.answers import (
    answers_of,
    answers_of_known,
    changes_of,
    group_rows,
    membership_rows,
    merged_groups,
    moved_nodes,
)
from simhash_udf.stages.stored import NODE_KEY, documents_of_nodes
from simhash_udf.store import layout
from simhash_udf.store.admission import Admitted
from simhash_udf.store.batch import Assigned
from simhash_udf.store.claim import Claim
from simhash_udf.store.frames import StoreFrames, write_files
from simhash_udf.store.manifest import DataFile

Files = dict[str, tuple[DataFile, ...]]


@dataclass(frozen=True)
class Writer:
    """Writes what a run adds to a store.

    Parameters
    ----------
    base
        The store that the run adds to.
    version
        Version that it makes.
    run_id
        Its name.
    claim
        The right to write.
    tables
        Where tables between go.
    """

    base: StoreFrames
    version: int
    run_id: str
    claim: Claim
    tables: Tables

    def write_documents(self, admitted: Admitted, columns: StructType) -> Files:
        """Write the fingerprints that come in."""
        batch = admitted.batch
        return self._write({layout.FINGERPRINTS: batch.frame.select(*_quoted(columns))}, batch.rows)

    def write_answers(self, admitted: Admitted, assigned: Assigned | None) -> Files:
        """Write the answers for all documents of the batch; none were assigned if none came in."""
        answers = answers_of_known(admitted.known, run_id=self.run_id)
        if assigned is not None:
            answers = answers_of(assigned.table.frame, run_id=self.run_id).unionByName(answers)
        return self._write({layout.ANSWERS: answers}, admitted.batch.rows + admitted.num_known)

    def write_groups(self, assigned: Assigned, counts: Mapping[str, int]) -> Files:
        """Write what changes in memberships and groups, and which older documents that concerns."""
        table = assigned.table.frame
        moved, documents = self._moved(assigned, counts)
        changed = {
            layout.MEMBERSHIPS: membership_rows(table, assigned.old.frame, moved, version=self.version),
            layout.GROUPS: group_rows(table, version=self.version),
            layout.CHANGES: changes_of(table, documents, version=self.version),
        }
        return self._write(changed, counts["members"])

    def _moved(self, assigned: Assigned, counts: Mapping[str, int]) -> tuple[DataFrame, DataFrame]:
        """Nodes of merged groups, and their documents; neither is looked for where no group was merged."""
        key: dict[str, Any] = {"assigned": assigned.table.digest}
        nodes = moved_nodes(self.base.table(layout.MEMBERSHIPS), merged_groups(assigned.table.frame))
        if not counts[store_schema.MERGED]:
            ids = assigned.table.frame.select(*NODE_KEY, schema.DOC_ID)
            return nodes.limit(0), nodes.join(ids, on=NODE_KEY, how="inner").limit(0)
        moved = self.tables.table("moved", key, lambda: nodes)
        stored = self.base.table(layout.FINGERPRINTS)

        def build() -> DataFrame:
            documents = documents_of_nodes(stored, moved.frame, num_wanted=moved.rows)
            return documents.select(*NODE_KEY, schema.DOC_ID).join(moved.frame, on=NODE_KEY, how="inner")

        return moved.frame, self.tables.table("moved_documents", key, build).frame

    def _write(self, frames: Mapping[str, DataFrame], rows: int) -> Files:
        """Write tables of at most so many rows."""
        directory = layout.data_directory(self.version, self.claim.token)
        return {name: write_files(frame, self.base.store, directory, name, rows=rows) for name, frame in frames.items()}


def _quoted(columns: StructType) -> list[str]:
    """Names of columns as `DataFrame.select` takes them, whatever is in them."""
    return ["`" + name.replace("`", "``") + "`" for name in columns.names]
