"""Every pair of documents within the largest k, for an evaluation: what a smaller k finds is a filter of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.columns import node_id
from simhash_udf.config import Settings
from simhash_udf.evaluation.findings import Findings
from simhash_udf.kernel.edge_list import Edges
from simhash_udf.kernel.similarity import recipe_of_check
from simhash_udf.pipeline.connecting import Connector
from simhash_udf.pipeline.fingerprinting import Fingerprinted
from simhash_udf.pipeline.joining import join_nodes
from simhash_udf.pipeline.planning import plan_join
from simhash_udf.pipeline.verification import Linked, read_texts_of, with_texts_as_nodes
from simhash_udf.runtime.inputs import Source
from simhash_udf.runtime.tables import Tables
from simhash_udf.stages.documents import select_documents
from simhash_udf.stages.fingerprints import select_nodes
from simhash_udf.stages.text_pairs import pairs_of_texts


@dataclass(frozen=True)
class Searched:
    """What a search found.

    Attributes
    ----------
    fingerprints
        The documents with their nodes: those of the band join, or their texts where texts were compared.
    edges
        ``src, dst, distance`` of all pairs of nodes within the limits, and ``similarity`` where texts were compared.
    """

    fingerprints: DataFrame
    edges: DataFrame


def search_pairs(made: Fingerprinted, source: Source, run: Settings, tables: Tables) -> Searched:
    """Return every pair that a run of the main job would find, or would compare the texts of.

    Parameters
    ----------
    made
        Fingerprints of the run's recipe.
    source
        The documents.
    run
        Settings with ``write_pairs``.
    tables
        Where results go.

    Raises
    ------
    SettingError
        The plan expects more comparisons than ``max_comparisons``.
    """
    nodes = select_nodes(made.table.frame, num_views=len(made.recipe.views))
    plan = plan_join(nodes, made.table.rows - made.counts["without_fingerprint"], run, source.cores)
    joined = join_nodes(nodes, plan, run, tables, {"fingerprints": made.table.digest})
    if run.similarity_check is None:
        return Searched(made.table.frame, joined.edges)
    measure = run.similarity_check[0]
    connector = Connector(tables, source.cores)
    key = {"pairs": joined.digests}
    edges = tables.table("edges", key, lambda: joined.edges)
    components = tables.table("components", key, lambda: connector.components(edges.frame, edges.rows))
    linked = with_texts_as_nodes(Linked(made.table.frame, edges, components))
    documents = select_documents(source.frame, id_column=run.id_column, text_column=run.text_column)
    of_check = recipe_of_check(made.recipe, measure, run.verify_ngram, run.verify_weight)
    check = read_texts_of(linked, documents, of_check, run.similarity_check, tables)
    pairs = pairs_of_texts(check.texts.frame, edges.frame)
    return Searched(linked.fingerprints, check.compare("all_checks", pairs, key).frame)


def find_labelled(searched: Searched, numbers: DataFrame) -> tuple[NDArray[np.int64], Findings]:
    """Return which labelled documents are there, by number and ascending, and what was found of them.

    Parameters
    ----------
    searched
        What a search found.
    numbers
        ``key STRING, number BIGINT`` of the labelled documents, the key being the id as text.
    """
    node = node_id(searched.fingerprints)
    documents = searched.fingerprints.select(
        F.col(schema.DOC_ID).cast("string").alias("key"),
        node.isNull().alias("is_text"),
        F.coalesce(node, F.col(schema.TEXT_DIGEST)).alias("node"),
    )
    rows = documents.join(F.broadcast(numbers), on="key", how="inner").select("number", "node", "is_text").toArrow()
    number = rows["number"].to_numpy()
    order = np.argsort(number, kind="stable")
    edges = searched.edges.toArrow()
    columns = [edges[name].to_numpy() for name in (schema.SRC, schema.DST)]
    distance = edges[schema.DISTANCE].to_numpy().astype(np.uint8)
    similarity = edges[schema.SIMILARITY].to_numpy() if schema.SIMILARITY in edges.column_names else None
    findings = Findings(
        rows["node"].to_numpy()[order],
        rows["is_text"].to_numpy(zero_copy_only=False)[order],
        Edges(columns[0], columns[1], distance),
        similarity,
    )
    return number[order], findings
