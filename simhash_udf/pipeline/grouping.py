"""The one list of stages from fingerprints to groups.

Every stage's table goes through `Tables`, which cuts the lineage and re-uses a table that was made from the same input
under the same settings.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from simhash_udf import schema
from simhash_udf.config import Settings
from simhash_udf.errors import SimhashError
from simhash_udf.kernel.edge_rule import EdgeRule
from simhash_udf.kernel.plan import BandPlan
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.kernel.similarity import recipe_of_check
from simhash_udf.pipeline.connecting import Connector
from simhash_udf.pipeline.fingerprinting import Fingerprinted
from simhash_udf.pipeline.joining import JoinFigures, join_nodes
from simhash_udf.pipeline.planning import plan_join
from simhash_udf.pipeline.regrouping import KeepOrder, make_groups, regroup_by_leaders
from simhash_udf.pipeline.verification import Linked, TextCheck, read_texts_of, verify_edges, with_texts_as_nodes
from simhash_udf.runtime.inputs import Source
from simhash_udf.runtime.tables import StageTable, Tables
from simhash_udf.stages.documents import select_documents
from simhash_udf.stages.fingerprints import clashing_nodes, select_nodes
from simhash_udf.stages.groups import select_keep_values


@dataclass(frozen=True)
class Grouped:
    """Edges and groups of fingerprints, the plan of the join between them, and what the join did."""

    edges: StageTable
    components: StageTable
    groups: StageTable
    plan: BandPlan
    measured: JoinFigures


def group_fingerprints(made: Fingerprinted, source: Source, settings: Settings, tables: Tables) -> Grouped:
    """Return edges, components and groups of the fingerprints."""
    fingerprints = made.table
    num_views = len(made.recipe.views)
    nodes = select_nodes(fingerprints.frame, num_views=num_views)
    n = fingerprints.rows - made.counts["without_fingerprint"]
    check_node_ids(fingerprints.frame)
    # 4 plan, 5 band join
    plan = plan_join(nodes, n, settings, source.cores)
    joined = join_nodes(nodes, plan, settings, tables, {"fingerprints": fingerprints.digest})
    # 6 components
    key = {"pairs": joined.digests}
    connector = Connector(tables, source.cores)
    components = tables.table("components", key, lambda: connector.components(joined.edges, joined.rows))
    forest = tables.table(
        "edges",
        key | {"all_pairs": settings.write_pairs},
        lambda: joined.edges if settings.write_pairs else connector.forest(joined.edges, components.frame, joined.rows),
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
    return Grouped(linked.edges, linked.components, groups, plan, joined.measured)


def _verified(
    linked: Linked, recipe: Recipe, source: Source, settings: Settings, connector: Connector
) -> tuple[Linked, TextCheck]:
    """What joins the documents once the texts of edges are compared, and how they are."""
    limit = settings.similarity_check or ("cosine", 0.0)
    documents = select_documents(source.frame, id_column=settings.id_column, text_column=settings.text_column)
    of_check = recipe_of_check(recipe, limit[0], settings.verify_ngram, settings.verify_weight)
    linked = with_texts_as_nodes(linked)
    rule = EdgeRule(settings.max_distance, settings.total_distance)
    check = read_texts_of(linked, documents, of_check, limit, connector.tables)
    return verify_edges(linked, check, connector, rule=rule, all_pairs=settings.write_pairs), check


def check_node_ids(fingerprints: DataFrame) -> None:
    """Raise if two different tuples of fingerprints have one node id.

    Raises
    ------
    SimhashError
        Some have; with 10^8 nodes the chance is 3 in 10,000.
    """
    clashes = clashing_nodes(fingerprints).count() if schema.NODE_ID in fingerprints.columns else 0
    if clashes:
        raise SimhashError(f"{clashes} node ids stand for different fingerprints; add or remove a view and run again")
