"""The one list of stages, from documents to groups.

Every stage's table goes through `Tables`, which cuts the lineage and re-uses a table that was made from the same input
under the same settings.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.config import FingerprintSettings, Settings
from simhash_udf.connecting import Connector, union_all
from simhash_udf.errors import InputError, SettingError, SimhashError
from simhash_udf.kernel.calibration import MIN_SAMPLE, learn_thresholds
from simhash_udf.kernel.edge_rule import EdgeRule
from simhash_udf.kernel.plan import BandPlan, choose_plan
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.kernel.similarity import recipe_of_check
from simhash_udf.regrouping import KeepOrder, make_groups, regroup_by_leaders
from simhash_udf.runtime.inputs import Source
from simhash_udf.runtime.tables import StageTable, Tables
from simhash_udf.stages.documents import repeated_ids, select_documents, without_bad_rows
from simhash_udf.stages.edges import build_edges, build_edges_sql
from simhash_udf.stages.fingerprints import (
    build_fingerprints,
    build_scores,
    calibration_sample,
    clashing_nodes,
    sample_nodes,
    select_nodes,
)
from simhash_udf.stages.groups import select_keep_values
from simhash_udf.verification import Linked, TextCheck, read_texts_of, verify_edges, with_texts_as_nodes

log = logging.getLogger("simhash_udf")

CALIBRATION_SAMPLE = 2_000
"""Documents whose scores give the thresholds; 500 gave the same medians as 7,000."""

PLAN_SAMPLE = 200_000
"""Nodes that the planner looks at: 1.6 MB a view on the driver."""

PREVIEW_SAMPLE = 20_000
"""Documents that are read to show a plan without a run."""


@dataclass(frozen=True)
class Fingerprinted:
    """Fingerprints of a source, with what was counted on the way and the recipe that made them."""

    table: StageTable
    repeated: StageTable
    recipe: Recipe
    counts: dict[str, int]


@dataclass(frozen=True)
class Grouped:
    """Edges and groups of fingerprints, and the plan of the join between them."""

    edges: StageTable
    components: StageTable
    groups: StageTable
    plan: BandPlan


def fingerprint_documents(
    source: Source, settings: FingerprintSettings, recipe: Recipe, tables: Tables
) -> Fingerprinted:
    """Return the fingerprints of all usable documents, calibrated first if the settings ask for it.

    Raises
    ------
    InputError
        Bad rows, where the policy is to fail; the message counts them.
    """
    documents = select_documents(source.frame, id_column=settings.id_column, text_column=settings.text_column)
    key = {"input": source.digest, "id_column": settings.id_column, "text_column": settings.text_column}
    # 1 survey
    repeated = tables.table("repeated_ids", key, lambda: repeated_ids(documents))
    counts = tables.value(
        "survey", key | {"texts": settings.on_bad_rows == "fail"}, lambda: _survey(documents, settings, repeated)
    )
    _refuse_bad_rows(counts, settings)
    usable = _spread(without_bad_rows(documents, repeated.frame if repeated.rows else None), source)
    # 2 calibrate
    if settings.calibration == "sample":
        recipe = _calibrated(usable, recipe, tables, key)
    # 3 fingerprint
    made = key | {"recipe": recipe.specification()}
    table = tables.table("fingerprints", made, lambda: build_fingerprints(usable, recipe))
    return Fingerprinted(table, repeated, recipe, _count_fingerprints(table, counts))


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
    first = _spread(documents.limit(PREVIEW_SAMPLE), source)
    if settings.calibration == "sample":
        learned = _learned(first, recipe)["thresholds"]
        recipe = recipe if learned is None else replace(recipe, thresholds=learned)
    nodes = select_nodes(build_fingerprints(first, recipe), num_views=len(recipe.views))
    return plan_join(nodes, documents.count(), settings, source.cores)


def group_fingerprints(made: Fingerprinted, source: Source, settings: Settings, tables: Tables) -> Grouped:
    """Return edges, components and groups of the fingerprints."""
    fingerprints = made.table
    num_views = len(made.recipe.views)
    nodes = select_nodes(fingerprints.frame, num_views=num_views)
    n = fingerprints.rows - made.counts["without_fingerprint"]
    _check_node_ids(fingerprints.frame)
    # 4 plan, 5 band join
    plan = plan_join(nodes, n, settings, source.cores)
    pairs = _pairs(nodes, plan, settings, tables, {"fingerprints": fingerprints.digest})
    # 6 components
    key = {"pairs": [pair.digest for pair in pairs]}
    found, rows = union_all([pair.frame for pair in pairs]), sum(pair.rows for pair in pairs)
    connector = Connector(tables, source.cores)
    components = tables.table("components", key, lambda: connector.components(found, rows))
    forest = tables.table(
        "edges",
        key | {"all_pairs": settings.write_pairs},
        lambda: found if settings.write_pairs else connector.forest(found, components.frame, rows),
    )
    # 7 second look and groups
    keep_values = select_keep_values(source.frame, id_column=settings.id_column, keep=settings.keep)
    order = KeepOrder(settings.keep, keep_values, num_views)
    linked, check = Linked(fingerprints.frame, forest, components), None
    rule = EdgeRule(settings.max_distance, settings.total_distance)
    if settings.similarity_check is not None:
        linked, check = _verified(linked, made.recipe, source, settings, connector)
    if settings.grouping == "representative":
        linked = regroup_by_leaders(linked, order, rule, check, tables)
    groups = make_groups(linked, order, check, tables)
    return Grouped(linked.edges, linked.components, groups, plan)


def _verified(
    linked: Linked, recipe: Recipe, source: Source, settings: Settings, connector: Connector
) -> tuple[Linked, TextCheck]:
    """What joins the documents once the texts of edges are compared, and how they are."""
    limit = settings.similarity_check or ("cosine", 0.0)
    documents = select_documents(source.frame, id_column=settings.id_column, text_column=settings.text_column)
    of_check = recipe_of_check(recipe, limit[0], settings.verify_ngram)
    linked = with_texts_as_nodes(linked)
    rule = EdgeRule(settings.max_distance, settings.total_distance)
    check = read_texts_of(linked, documents, of_check, limit, connector.tables)
    return verify_edges(linked, check, connector, rule=rule, all_pairs=settings.write_pairs), check


def _survey(documents: DataFrame, settings: FingerprintSettings, repeated: StageTable) -> dict[str, int]:
    """Count rows and bad rows; texts are read only where a null text must stop the run."""
    null_text = F.count(F.when(F.col(schema.TEXT).isNull(), 1)) if settings.on_bad_rows == "fail" else F.lit(0)
    row = documents.agg(F.count("*"), F.count(schema.DOC_ID), null_text).first()
    rows = repeated.frame.agg(F.coalesce(F.sum("rows"), F.lit(0))).first()
    if row is None or rows is None:
        raise SimhashError("the input could not be counted")
    return {"documents": row[0], "null_ids": row[0] - row[1], "repeated_ids": rows[0], "null_texts": row[2]}


def _refuse_bad_rows(counts: Mapping[str, int], settings: FingerprintSettings) -> None:
    ids_may_be_bad = settings.on_bad_rows == "set_aside"
    for name, what in (("null_ids", "a null id"), ("repeated_ids", "an id that other rows have too")):
        if counts[name] and not ids_may_be_bad:
            raise InputError(
                f"{counts[name]} rows have {what} in column {settings.id_column!r}; choose another id_column, "
                f"or set them aside with on_bad_rows=set_aside"
            )
    if counts["null_texts"]:
        raise InputError(
            f"{counts['null_texts']} rows have a null in column {settings.text_column!r}; choose another text_column, "
            f"or set them aside with on_bad_rows=set_aside"
        )


def _spread(documents: DataFrame, source: Source) -> DataFrame:
    """The documents over all cores: a small input is often one file that cannot be split."""
    megabytes = source.bytes / 1e6
    if megabytes > 512:
        return documents
    return documents.repartition(max(2 * source.cores, int(megabytes / 4)))


def _calibrated(usable: DataFrame, recipe: Recipe, tables: Tables, key: dict[str, Any]) -> Recipe:
    """The recipe with the medians of a sample as thresholds; as it was where the sample is too small."""
    settings = key | {"recipe": recipe.specification(), "sample": CALIBRATION_SAMPLE}
    learned = tables.value("calibrate", settings, lambda: _learned(usable, recipe))["thresholds"]
    if learned is None:
        log.warning("calibration=none: there are fewer than %d documents with features to learn from", MIN_SAMPLE)
        return recipe
    return replace(recipe, thresholds=tuple(tuple(row) for row in learned))


def _learned(documents: DataFrame, recipe: Recipe) -> dict[str, Any]:
    """Thresholds from a sample of documents, None where it is too small, with the number of documents in it."""
    rows = build_scores(calibration_sample(documents, CALIBRATION_SAMPLE), recipe).toArrow().column(0)
    flat = rows.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return {"documents": len(rows), "thresholds": learn_thresholds(flat.reshape(len(rows), len(recipe.views), 64))}


def _count_fingerprints(table: StageTable, counts: Mapping[str, int]) -> dict[str, int]:
    """The survey's counts with what became known by fingerprinting."""
    row = table.frame.agg(F.count(schema.FINGERPRINT), F.count(F.when(F.col(schema.IS_CUT), 1))).first()
    if row is None:
        raise SimhashError("the fingerprints could not be counted")
    null_texts = counts["documents"] - counts["null_ids"] - counts["repeated_ids"] - table.rows
    return dict(counts) | {
        "null_texts": null_texts,
        "fingerprinted": table.rows,
        "without_fingerprint": table.rows - row[0],
        "cut": row[1],
    }


def _check_node_ids(fingerprints: DataFrame) -> None:
    clashes = clashing_nodes(fingerprints).count() if schema.NODE_ID in fingerprints.columns else 0
    if clashes:
        raise SimhashError(f"{clashes} node ids stand for different fingerprints; add or remove a view and run again")


def _pairs(
    nodes: DataFrame, plan: BandPlan, settings: Settings, tables: Tables, key: dict[str, Any]
) -> list[StageTable]:
    """Edges as the join finds them, one table a wave."""
    key = key | {
        "num_blocks": plan.num_blocks,
        "max_distance": plan.max_distance,
        "max_total_distance": plan.max_total_distance,
        "band_join": settings.band_join,
        "all_pairs": settings.write_pairs,
    }
    if settings.band_join == "sql":
        return [tables.table("pairs", key, lambda: build_edges_sql(nodes, plan))]
    waves = len(plan.waves)

    def build(wave: int) -> DataFrame:
        return build_edges(nodes, plan, wave=wave, all_pairs=settings.write_pairs)

    return [tables.table(f"pairs-{wave}", key | {"wave": [wave, waves]}, partial(build, wave)) for wave in range(waves)]


def _words(nodes: DataFrame, num_views: int) -> NDArray[np.uint64]:
    """A bounded sample of nodes as an ``(m, r)`` array on the driver."""
    table = nodes.toArrow()
    columns = [column.to_numpy().view(np.uint64) for column in table.columns]
    return np.column_stack(columns) if table.num_rows else np.empty((0, num_views), np.uint64)
