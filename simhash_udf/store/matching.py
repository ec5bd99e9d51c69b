"""New against old: which stored nodes a batch is near to, and which of its ids the store has."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema, store_schema
from simhash_udf.columns import view_words
from simhash_udf.config import Settings
from simhash_udf.kernel.batch_query import Batch
from simhash_udf.kernel.edge_rule import EdgeRule
from simhash_udf.pipeline.connecting import Connector, union_all
from simhash_udf.pipeline.joining import join_nodes
from simhash_udf.pipeline.planning import plan_join
from simhash_udf.runtime.tables import StageTable, Tables
from simhash_udf.stages.fingerprints import select_nodes
from simhash_udf.stages.stored import rows_with
from simhash_udf.store.frames import StoreFrames
from simhash_udf.store.layout import FINGERPRINTS
from simhash_udf.store.reading import scan_store

log = logging.getLogger("simhash_udf")

INDEX_BYTES = 600_000_000
"""Memory of a task for its index of the batch: 3 million nodes at k = 3. A larger batch is scanned for in parts."""

BYTES_PER_ENTRY = 21
"""Of a node in one band of the index, measured."""

SCAN_SECONDS = 6e-7
"""Of one core for a stored document in a scan: read, hand to Python and look up, measured at k = 3."""


@dataclass(frozen=True)
class Near:
    """What joins a batch to the store and to itself.

    Parameters
    ----------
    edges
        Table edges, one end of each in the batch or in a component with it.
    rows
        How many, at most.
    old
        ``node_id`` of the stored nodes among their ends, and of the batch's nodes that are stored.
    digest
        Of all they were made from.
    """

    edges: DataFrame
    rows: int
    old: DataFrame
    digest: list[str]


@dataclass(frozen=True)
class Matcher:
    """Finds what in the store a batch has to do with.

    Parameters
    ----------
    frames
        The store before the batch.
    settings
        k and the limits of the join.
    num_views
        Fingerprints of a document.
    tables, cores
        Where results go, and the cluster's cores.
    """

    frames: StoreFrames
    settings: Settings
    num_views: int
    tables: Tables
    cores: int

    def scan(self, stage: str, batch: StageTable) -> StageTable:
        """Return table scan of a batch: the stored nodes near to it, and the ids that both have.

        A batch that is too large for one index is looked for in parts, one pass over the store each.
        """
        parts = self.num_scans(batch.rows)

        def build() -> DataFrame:
            hashed = F.pmod(F.col(store_schema.ID_HASH), F.lit(parts))
            mine = [batch.frame.filter(hashed == part) if parts > 1 else batch.frame for part in range(parts)]
            return union_all([self._scan_for(*self._of_batch(documents)) for documents in mine])

        return self.tables.table(stage, self._key(batch), build)

    def scan_ids(self, batch: StageTable) -> StageTable:
        """Return table scan of a batch with the ids alone that it and the store have both."""
        nothing = np.empty((0, self.num_views), np.uint64)
        return self.tables.table("scan_ids", self._key(batch), lambda: self._scan_for(ids_of(batch.frame), nothing))

    def num_scans(self, rows: int) -> int:
        """Return in how many parts a batch of so many documents is looked for."""
        bands = comb(self.settings.max_distance + 2, self.settings.max_distance) * self.num_views
        return max(-(-rows * bands * BYTES_PER_ENTRY // INDEX_BYTES), 1)

    def prefers_join(self, batch: StageTable) -> bool:
        """Say whether one join of batch and store together is cheaper than the scans, and gives the same groups.

        It finds pairs of two stored nodes too, which are in one group already unless k was smaller before.
        """
        before = self.frames.manifest
        settings = self.settings
        if settings.max_distance > before.max_distance or settings.total_distance > before.max_total_distance:
            return False
        scans = self.num_scans(batch.rows)
        if scans == 1:
            return False
        documents = self.frames.rows(FINGERPRINTS)
        plan = plan_join(self._nodes(batch.frame), documents + batch.rows, settings, self.cores)
        seconds = scans * documents * SCAN_SECONDS / self.cores
        log.info("new against old: %d scans of about %.0f s in all, or a join of %.0f s", scans, seconds, plan.seconds)
        return plan.seconds < seconds

    def near_by_scan(self, batch: StageTable, scan: StageTable | None) -> Near:
        """Return what joins a batch, from its scan (None: nothing is stored) and the join of the batch with itself."""
        nodes = self._nodes(batch.frame)
        plan = plan_join(nodes, batch.rows, self.settings, self.cores)
        joined = join_nodes(nodes, plan, self.settings, self.tables, self._key(batch))
        if scan is None:
            nobody = nodes.select(schema.NODE_ID).limit(0)
            return Near(joined.edges, joined.rows, nobody, joined.digests)
        found = near_rows(scan.frame)
        ends = [F.col(schema.NODE_ID), F.col(store_schema.OLD_ID)]
        across = found.filter(ends[0] != ends[1]).select(
            F.least(*ends).alias(schema.SRC), F.greatest(*ends).alias(schema.DST), schema.DISTANCE
        )
        old = found.select(F.col(store_schema.OLD_ID).alias(schema.NODE_ID)).distinct()
        edges = joined.edges.unionByName(across)
        return Near(edges, joined.rows + scan.rows, old, [*joined.digests, scan.digest])

    def near_by_join(self, batch: StageTable) -> Near:
        """Return what joins a batch, from one join of batch and store together."""
        stored, mine = self._nodes(self.frames.table(FINGERPRINTS)), self._nodes(batch.frame)
        nodes = stored.unionByName(mine)
        plan = plan_join(nodes, self.frames.rows(FINGERPRINTS) + batch.rows, self.settings, self.cores)
        joined = join_nodes(nodes, plan, self.settings, self.tables, self._key(batch) | {"with": "store"})
        key: dict[str, Any] = {"joined": joined.digests}
        connector = Connector(self.tables, self.cores)
        components = self.tables.table(
            "joined_components", key, lambda: connector.components(joined.edges, joined.rows)
        )
        touched = rows_with(components.frame, mine, [schema.NODE_ID], num_wanted=batch.rows)
        inside = rows_with(components.frame, touched, [schema.COMPONENT_ID], num_wanted=batch.rows)
        members = self.tables.table("joined_nodes", key, lambda: inside.select(schema.NODE_ID))
        ends = members.frame.withColumnRenamed(schema.NODE_ID, schema.SRC)
        edges = rows_with(joined.edges, ends, [schema.SRC], num_wanted=members.rows)
        candidates = members.frame.unionByName(mine.select(schema.NODE_ID)).distinct()
        old = rows_with(
            stored.select(schema.NODE_ID), candidates, [schema.NODE_ID], num_wanted=members.rows + batch.rows
        )
        return Near(edges, joined.rows, old.distinct(), [*joined.digests, members.digest])

    def _scan_for(self, hashes: NDArray[np.int64], words: NDArray[np.uint64]) -> DataFrame:
        batch = Batch(words, hashes, self._rule, self.frames.rows(FINGERPRINTS))
        return scan_store(self.frames, batch)

    def _of_batch(self, documents: DataFrame) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """Hashes of the ids and distinct nodes of a bounded number of documents, on the driver: 8 bytes a value."""
        names = [f"word_{view}" for view in range(self.num_views)]
        words = [word.alias(name) for word, name in zip(view_words(documents, self.num_views), names, strict=True)]
        table = documents.select(store_schema.ID_HASH, *words).toArrow()
        rows = table.select(names).drop_null()
        if not rows.num_rows:
            return table.column(0).to_numpy(), np.empty((0, self.num_views), np.uint64)
        columns = [column.to_numpy().view(np.uint64) for column in rows.columns]
        nodes = np.unique(columns[0])[:, None] if len(columns) == 1 else np.unique(np.column_stack(columns), axis=0)
        return table.column(0).to_numpy(), nodes

    def _nodes(self, documents: DataFrame) -> DataFrame:
        return select_nodes(documents, num_views=self.num_views)

    @property
    def _rule(self) -> EdgeRule:
        return EdgeRule(self.settings.max_distance, self.settings.total_distance)

    def _key(self, batch: StageTable) -> dict[str, Any]:
        return {
            "batch": batch.digest,
            "store": [self.frames.manifest.version, self.frames.manifest.created],
            "rule": [self._rule.max_distance, self._rule.max_total_distance],
        }


def ids_of(documents: DataFrame) -> NDArray[np.int64]:
    """Return the hashes of the documents' ids on the driver: 8 bytes for each."""
    hashes: NDArray[np.int64] = documents.select(store_schema.ID_HASH).toArrow().column(0).to_numpy()
    return hashes


def near_rows(scan: DataFrame) -> DataFrame:
    """Return the rows of a scan that say what is near."""
    return scan.filter(F.col(store_schema.OLD_ID).isNotNull())


def known_hashes(scan: DataFrame) -> DataFrame:
    """Return ``id_hash`` of the ids that batch and store may have both."""
    known = scan.filter(F.col(store_schema.OLD_ID).isNull())
    return known.select(F.col(schema.NODE_ID).alias(store_schema.ID_HASH)).distinct()
