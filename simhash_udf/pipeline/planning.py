"""The plan of the band join: from a sample of the real fingerprints, or before there are any."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from simhash_udf.config import Settings
from simhash_udf.errors import SettingError
from simhash_udf.kernel.plan import BandPlan, choose_plan
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.pipeline.fingerprinting import learn_from, spread
from simhash_udf.runtime.inputs import Source
from simhash_udf.stages.documents import select_documents
from simhash_udf.stages.fingerprints import build_fingerprints, sample_nodes, select_nodes

PLAN_SAMPLE = 200_000
"""Nodes that the planner looks at: 1.6 MB a view on the driver."""

PREVIEW_SAMPLE = 20_000
"""Documents that are read to show a plan without a run."""


def plan_join(nodes: DataFrame, n: int, settings: Settings, cores: int) -> BandPlan:
    """Return the band plan for ``n`` nodes, from a sample of the real ones.

    Raises
    ------
    SettingError
        The plan expects more comparisons than ``max_comparisons``.
    """
    one_in = max(n // PLAN_SAMPLE, 1)
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


def preview_plan(source: Source, settings: Settings, recipe: Recipe) -> BandPlan:
    """Return the plan of a run without doing it, from the first documents that Spark reads and the input's count.

    The run itself plans from a sample of all fingerprints.
    """
    documents = select_documents(source.frame, id_column=settings.id_column, text_column=settings.text_column)
    first = spread(documents.limit(PREVIEW_SAMPLE), source)
    if settings.calibration == "sample":
        learned = learn_from(first, recipe)["thresholds"]
        recipe = recipe if learned is None else replace(recipe, thresholds=learned)
    nodes = select_nodes(build_fingerprints(first, recipe), num_views=len(recipe.views))
    return plan_join(nodes, documents.count(), settings, source.cores)


def _words(nodes: DataFrame, num_views: int) -> NDArray[np.uint64]:
    """A bounded sample of nodes as an ``(m, r)`` array on the driver."""
    table = nodes.toArrow()
    columns = [column.to_numpy().view(np.uint64) for column in table.columns]
    return np.column_stack(columns) if table.num_rows else np.empty((0, num_views), np.uint64)
