"""The second look: which edges hold by their texts, and which pairs are tried in place of those that do not.

1. Compare the texts of every edge; edges under the limit are dropped.
2. In components that lost an edge, compare the nearest pairs between their fragments: at most 8 of a text in a round,
   each with another fragment. A component goes on while its last round joined something, for 8 rounds at most.
3. What holds makes the components.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.errors import InputError, SimhashError
from simhash_udf.kernel.edge_rule import EdgeRule
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.pipeline.connecting import Connector, union_all
from simhash_udf.runtime.tables import StageTable, Tables
from simhash_udf.stages.verify import (
    BROADCAST_TEXTS,
    build_vectors,
    clashing_texts,
    compare_texts,
    first_pairs,
    next_pairs,
    select_texts,
    with_text_ids,
)

MAX_ROUNDS = 8
"""Rounds of further pairs: a text asks for at most 64 of them."""

_EDGE = schema.EDGES.names


@dataclass(frozen=True)
class Linked:
    """Documents with their nodes, and what joins the nodes.

    Parameters
    ----------
    fingerprints
        The table of that name; `columns.node_id` gives a document's node.
    edges, components
        The tables of those names, between these nodes; edges that were verified have their ``similarity``.
    """

    fingerprints: DataFrame
    edges: StageTable
    components: StageTable


@dataclass(frozen=True)
class TextCheck:
    """How texts are compared, with the features of all texts that may have to be.

    Parameters
    ----------
    measure, limit
        ``cosine`` or ``jaccard``, and the smallest similarity that holds.
    texts, vectors
        The texts, and their features.
    tables
        Where results go.
    """

    measure: str
    limit: float
    texts: StageTable
    vectors: StageTable
    tables: Tables

    def compare(self, stage: str, pairs: DataFrame, key: dict[str, Any]) -> StageTable:
        """Return the table checks of the pairs, as a stage of that name."""
        settings = key | {"vectors": self.vectors.digest, "measure": self.measure}
        return self.tables.table(
            stage, settings, lambda: compare_texts(pairs, self.vectors.frame, measure=self.measure)
        )

    def holding(self, checks: DataFrame) -> DataFrame:
        """Return the pairs that are alike enough."""
        return checks.filter(F.col(schema.SIMILARITY) >= self.limit)

    def failing(self, checks: DataFrame) -> DataFrame:
        """Return the pairs that are not."""
        return checks.filter(F.col(schema.SIMILARITY) < self.limit)


def with_texts_as_nodes(linked: Linked) -> Linked:
    """Return the documents with their texts as nodes; edges and components stay between the nodes of the band join."""
    return Linked(with_text_ids(linked.fingerprints), linked.edges, linked.components)


def read_texts_of(
    linked: Linked, documents: DataFrame, recipe: Recipe, check: tuple[str, float], tables: Tables
) -> TextCheck:
    """Read every text that may have to be compared, once.

    Parameters
    ----------
    linked
        As `with_texts_as_nodes` gives it.
    documents
        ``doc_id, text`` of the whole input.
    recipe
        As `kernel.similarity.recipe_of_check` gives it.
    check
        Measure and limit.
    tables
        Where results go.

    Raises
    ------
    InputError
        The input changed since fingerprints were made.
    """
    key = {"edges": linked.edges.digest, "components": linked.components.digest}
    texts = tables.table("texts", key, lambda: select_texts(linked.fingerprints, linked.components.frame))
    if clashing_texts(texts.frame).count():
        raise SimhashError("two texts have one id; run again with one view more or less")
    are_few = texts.rows <= BROADCAST_TEXTS
    settings = {"texts": texts.digest, "recipe": recipe.specification()}
    vectors = tables.table("vectors", settings, lambda: build_vectors(documents, texts.frame, recipe, are_few=are_few))
    if vectors.rows != texts.rows:
        raise InputError(
            f"{texts.rows} texts had to be read again, {vectors.rows} were found; leave the input as it is during a run"
        )
    return TextCheck(*check, texts, vectors, tables)


def verify_edges(linked: Linked, check: TextCheck, connector: Connector, *, rule: EdgeRule, all_pairs: bool) -> Linked:
    """Return what joins the texts: edges that hold, and their components.

    Parameters
    ----------
    linked
        As `with_texts_as_nodes` gives it.
    check
        How texts are compared.
    connector
        Makes components and forests.
    rule
        When a pair may be compared in place of an edge that does not hold.
    all_pairs
        Edges are all pairs that were compared and hold, not their minimum spanning forest.
    """
    key: dict[str, Any] = {"edges": linked.edges.digest, "limit": check.limit}
    rounds = [check.compare("checks-0", first_pairs(check.texts.frame, linked.edges.frame), key)]
    for turn in range(MAX_ROUNDS):
        # 1 components that are open, 2 their fragments, 3 pairs between these, 4 compared
        candidates = _candidates(rounds, check, connector, rule=rule)
        if not candidates.rows:
            break
        rounds.append(check.compare(f"checks-{turn + 1}", candidates.frame, {"candidates": candidates.digest}))
    held = check.holding(union_all([checks.frame for checks in rounds]))
    rows = sum(checks.rows for checks in rounds)
    made = {"checks": [checks.digest for checks in rounds], "limit": check.limit, "all_pairs": all_pairs}
    components = check.tables.table(
        "verified_components", made, lambda: connector.components(held.select(*_EDGE), rows)
    )
    edges = check.tables.table(
        "verified_edges",
        made,
        lambda: (
            _edges(held) if all_pairs else _edges(held, connector.forest(held.select(*_EDGE), components.frame, rows))
        ),
    )
    return Linked(linked.fingerprints, edges, components)


def _candidates(rounds: list[StageTable], check: TextCheck, connector: Connector, *, rule: EdgeRule) -> StageTable:
    """Pairs to compare in the components that are open: those that failed at first, or joined something since."""
    turn = len(rounds) - 1
    last = rounds[-1].frame
    is_open = (check.holding(last) if turn else check.failing(last)).select(schema.COMPONENT_ID).distinct()
    seen = union_all([checks.frame for checks in rounds]).join(is_open, on=schema.COMPONENT_ID, how="left_semi")
    texts = check.texts.frame.join(is_open, on=schema.COMPONENT_ID, how="left_semi")
    rows = sum(checks.rows for checks in rounds)

    def build() -> DataFrame:
        fragments = connector.components(check.holding(seen).select(*_EDGE), rows)
        return next_pairs(texts, fragments, seen, rule=rule, turn=turn)

    key = {"checks": [checks.digest for checks in rounds], "limit": check.limit}
    return check.tables.table(f"candidates-{turn}", key | {"rule": [rule.max_distance, rule.max_total_distance]}, build)


def _edges(held: DataFrame, forest: DataFrame | None = None) -> DataFrame:
    """Edges with their similarity, those of the forest alone if it is given."""
    edges = held.select(*_EDGE, schema.SIMILARITY)
    return edges if forest is None else edges.join(forest.select(schema.SRC, schema.DST), on=_EDGE[:2], how="left_semi")
