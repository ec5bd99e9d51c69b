"""Components and forests of edges: in one task while that has room, in many above."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame

from simhash_udf.runtime.tables import Tables
from simhash_udf.stages.components import components_by_contraction, components_in_one_task
from simhash_udf.stages.edges import spanning_forest_of

SINGLE_TASK_EDGES = 20_000_000
"""Edges up to which one task makes forest and components: about 1 GB of Python memory and half a minute."""


@dataclass(frozen=True)
class Connector:
    """Makes components and forests.

    Parameters
    ----------
    tables
        Where the rounds between put their tables.
    cores
        Of the cluster.
    """

    tables: Tables
    cores: int

    def components(self, edges: DataFrame, rows: int) -> DataFrame:
        """Return the table components of so many edges."""
        if rows <= SINGLE_TASK_EDGES:
            return components_in_one_task(edges)
        return components_by_contraction(edges, self.tables.scratch, rows=rows)

    def forest(self, edges: DataFrame, components: DataFrame, rows: int) -> DataFrame:
        """Return the minimum spanning forest of so many edges."""
        return spanning_forest_of(edges, components, partitions=self._partitions(rows))

    def _partitions(self, rows: int) -> int:
        return 1 if rows <= SINGLE_TASK_EDGES else 4 * self.cores


def union_all(frames: list[DataFrame]) -> DataFrame:
    """Return the rows of all frames, which have the same columns."""
    return reduce(lambda one, other: one.unionByName(other), frames)
