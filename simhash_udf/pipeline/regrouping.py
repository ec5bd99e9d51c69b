"""From components to groups: as they are, or around representatives; and how alike each member is to its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.kernel.edge_rule import EdgeRule
from simhash_udf.pipeline.connecting import union_all
from simhash_udf.pipeline.verification import Linked, TextCheck
from simhash_udf.runtime.tables import StageTable, Tables
from simhash_udf.stages.groups import build_groups, rank_nodes
from simhash_udf.stages.leaders import build_leaders, groups_of_leaders
from simhash_udf.stages.verify import pairs_with_representative, with_similarity

MAX_ROUNDS = 16
"""Rounds in which a text that is not alike its leader looks for another; what is left then is in no group."""


@dataclass(frozen=True)
class KeepOrder:
    """Which document of a group is kept.

    Parameters
    ----------
    keep, values
        The policies, and the user's columns that they read; None if they read none.
    num_views
        Fingerprints of a document.
    """

    keep: Sequence[str]
    values: DataFrame | None
    num_views: int


def regroup_by_leaders(
    linked: Linked, order: KeepOrder, rule: EdgeRule, check: TextCheck | None, tables: Tables
) -> Linked:
    """Return the components cut so that every node is within the rule of the first of its group in keep order.

    With a check its text is alike enough to that one's, too: a node whose text is not goes on to the next leader that
    it is near to, or leads a group of its own.

    Parameters
    ----------
    linked
        Documents, edges and components.
    order
        Keep order.
    rule
        How near a member must be to its representative.
    check
        How texts are compared, None if fingerprints decide.
    tables
        Where results go.
    """
    key: dict[str, Any] = {
        "components": linked.components.digest,
        "keep": list(order.keep),
        "rule": [rule.max_distance, rule.max_total_distance],
        "limit": check and check.limit,
    }
    ranked = tables.table(
        "ranked",
        key,
        lambda: rank_nodes(
            linked.fingerprints,
            linked.components.frame,
            num_views=order.num_views,
            keep=order.keep,
            keep_values=order.values,
        ),
    )
    nodes = ranked.frame.withColumn("is_leader", F.lit(False))
    leaders = tables.table("leaders-0", key, lambda: build_leaders(nodes, None, rule))
    pairs = _followers(leaders.frame) if check is None else _checked(nodes, leaders, check, rule, tables)
    digest = {"leaders": leaders.digest, "vectors": check and check.vectors.digest}
    components = tables.table("led_components", key | digest, lambda: groups_of_leaders(pairs))
    return Linked(linked.fingerprints, linked.edges, components)


def make_groups(linked: Linked, order: KeepOrder, check: TextCheck | None, tables: Tables) -> StageTable:
    """Return the table groups, with the similarity to the representative if texts are compared."""
    key = {"components": linked.components.digest, "edges": linked.edges.digest, "keep": list(order.keep)}

    def build() -> DataFrame:
        return build_groups(
            linked.fingerprints,
            linked.components.frame,
            num_views=order.num_views,
            keep=order.keep,
            keep_values=order.values,
        )

    if check is None:
        return tables.table("groups", key, build)
    members = tables.table("members", key, build)
    checks = check.compare("group_checks", pairs_with_representative(members.frame), {"members": members.digest})
    return tables.table("groups", {"checks": checks.digest}, lambda: with_similarity(members.frame, checks.frame))


def _checked(nodes: DataFrame, leaders: StageTable, check: TextCheck, rule: EdgeRule, tables: Tables) -> DataFrame:
    """``node_id, leader_id`` of the texts that are alike their leader, after rounds for those that are not."""
    rounds: list[StageTable] = []
    for number in range(MAX_ROUNDS):
        # 1 compare each text with its leader, 2 those that fail wait with the leaders of their component, 3 lead again
        proposals = leaders.frame.filter(F.col(schema.NODE_ID) != F.col(schema.LEADER_ID)).select(
            F.col(schema.LEADER_ID).alias(schema.SRC),
            F.col(schema.NODE_ID).alias(schema.DST),
            F.lit(0).alias(schema.DISTANCE),
            schema.COMPONENT_ID,
        )
        checks = check.compare(f"leader_checks-{number}", proposals, {"leaders": leaders.digest})
        rounds.append(checks)
        failed = check.failing(checks.frame)
        if failed.isEmpty():
            break
        refused = check.failing(union_all([checks.frame for checks in rounds])).join(
            failed.select(schema.COMPONENT_ID).distinct(), on=schema.COMPONENT_ID, how="left_semi"
        )
        waiting = _waiting(nodes, leaders.frame, failed)
        leaders = tables.table(
            f"leaders-{number + 1}",
            {"checks": checks.digest, "limit": check.limit},
            partial(build_leaders, waiting, refused, rule),
        )
    held = check.holding(union_all([checks.frame for checks in rounds]))
    return held.select(F.col(schema.DST).alias(schema.NODE_ID), F.col(schema.SRC).alias(schema.LEADER_ID))


def _waiting(nodes: DataFrame, leaders: DataFrame, failed: DataFrame) -> DataFrame:
    """Nodes of the next round: those that failed, and in their components those that lead."""
    leading = leaders.filter(F.col(schema.NODE_ID) == F.col(schema.LEADER_ID)).join(
        failed.select(schema.COMPONENT_ID).distinct(), on=schema.COMPONENT_ID, how="left_semi"
    )
    marked = leading.select(schema.NODE_ID, F.lit(True).alias("is_leader")).unionByName(
        failed.select(F.col(schema.DST).alias(schema.NODE_ID), F.lit(False).alias("is_leader"))
    )
    return nodes.drop("is_leader").join(marked, on=schema.NODE_ID, how="inner")


def _followers(leaders: DataFrame) -> DataFrame:
    """``node_id, leader_id`` of the nodes that follow another one."""
    return leaders.filter(F.col(schema.NODE_ID) != F.col(schema.LEADER_ID)).select(schema.NODE_ID, schema.LEADER_ID)
