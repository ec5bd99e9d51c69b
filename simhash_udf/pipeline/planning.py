"""The plan of the band join from a sample of the real fingerprints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from simhash_udf.config import Settings
from simhash_udf.errors import SettingError
from simhash_udf.kernel.plan import BandPlan, choose_plan
from simhash_udf.stages.fingerprints import sample_nodes

PLAN_SAMPLE = 200_000
"""Nodes that the planner looks at: 1.6 MB a view on the driver."""


def plan_join(nodes: DataFrame, n: int, settings: Settings, cores: int, *, sampled_from: int | None = None) -> BandPlan:
    """Return the band plan for ``n`` nodes, from a sample of the real ones.

    Parameters
    ----------
    nodes
        As `select_nodes` gives them.
    n, cores
        Nodes to join, and cores that will.
    settings
        Those of the join.
    sampled_from
        How many rows ``nodes`` has, where these are not all that will be joined.

    Raises
    ------
    SettingError
        The plan expects more comparisons than ``max_comparisons``.
    """
    one_in = max((n if sampled_from is None else sampled_from) // PLAN_SAMPLE, 1)
    sample = _words(sample_nodes(nodes, one_in), len(nodes.columns) - 1)
    plan = choose_plan(
        sample,
        n,
        max_distance=settings.max_distance,
        max_total_distance=settings.total_distance,
        num_blocks=settings.blocks,
        cores=cores,
        max_shuffle_bytes=settings.max_shuffle_bytes,
    )
    if plan.comparisons > settings.max_comparisons:
        raise SettingError(
            f"the plan expects {plan.comparisons:.2g} comparisons, "
            f"more than max_comparisons={settings.max_comparisons:.2g}; "
            f"lower max_distance={settings.max_distance}, calibrate, or raise it"
        )
    return plan


def _words(nodes: DataFrame, num_views: int) -> NDArray[np.uint64]:
    """A bounded sample of nodes as an ``(m, r)`` array on the driver."""
    table = nodes.toArrow()
    columns = [column.to_numpy().view(np.uint64) for column in table.columns]
    return np.column_stack(columns) if table.num_rows else np.empty((0, num_views), np.uint64)
