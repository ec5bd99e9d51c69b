"""Why a document is in its group: the edges from it to the document that is kept, and the words that differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.config import Settings, validated
from simhash_udf.errors import InputError, SimhashError
from simhash_udf.kernel.edge_list import Edges
from simhash_udf.kernel.normalize import normalize
from simhash_udf.kernel.paths import forest_path
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.kernel.tokenize import build_tokenizer, reads_raw_text
from simhash_udf.runtime.inputs import read_input
from simhash_udf.runtime.output import SUCCESS
from simhash_udf.runtime.recipes import make_recipe
from simhash_udf.runtime.storage import exists, read_json
from simhash_udf.stages.documents import select_documents

MOST_WORDS = 20
"""Differing words that are shown of each side."""

Words = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Step:
    """One edge on the way: two documents, the distance of their fingerprints, their similarity if it was checked."""

    from_id: str
    to_id: str
    distance: int
    similarity: float | None


@dataclass(frozen=True)
class Explanation:
    """Why a document is in its group.

    Parameters
    ----------
    doc_id, group_id, group_size, representative_id, match, distance, similarity
        Its row of the table groups, ids as text.
    steps
        From the document to its representative; none if it is the representative or shares its node. A document on the
        way stands for all that share its node.
    only_here, only_there
        Features that the document, or its representative, has more often, with how much more often; the first view's.
        None if the input cannot be read any more.
    """

    doc_id: str
    group_id: int
    group_size: int
    representative_id: str
    match: str
    distance: int
    similarity: float | None
    steps: tuple[Step, ...]
    only_here: Words | None = None
    only_there: Words | None = None

    def describe(self) -> str:
        """Return the explanation in a few lines for a person to read."""
        kept = " and is the one that is kept" if self.doc_id == self.representative_id else ""
        lines = [f"document {self.doc_id} is in group {self.group_id} of {self.group_size} documents{kept}"]
        if not kept:
            lines.append(f"kept: {self.representative_id}; {self.match}, {_measures(self.distance, self.similarity)}")
        lines += [
            f"  {step.from_id} - {step.to_id}: {_measures(step.distance, step.similarity)}" for step in self.steps
        ]
        for name, words in ((self.doc_id, self.only_here), (self.representative_id, self.only_there)):
            if words and not kept:
                lines.append(f"only in {name}: " + ", ".join(word + (f" x{n}" if n > 1 else "") for word, n in words))
        return "\n".join(lines)


def explain(output: str, doc_id: Any, *, spark: SparkSession | None = None) -> Explanation:
    """Return why a document is in its group, read off the results of a run.

    Parameters
    ----------
    output
        Directory that the job wrote.
    doc_id
        The document, by its id or its id as text.
    spark
        Session to read with; the active one, or a new one, unless given.

    Returns
    -------
    Explanation
        Cost: a scan of the groups' ids; the nodes and edges of the one group come to the driver.

    Raises
    ------
    InputError
        There are no whole results, or the document has no duplicate in them.

    Examples
    --------
    >>> from simhash_udf import explain
    >>> print(explain("data/pages-groups", "p-17").describe())  # doctest: +SKIP
    """
    report = read_json(f"{output}/report.json") if exists(f"{output}/{SUCCESS}") else None
    if report is None:
        raise InputError(f"{output} has no results; give the --output of a run that ended")
    session = spark or SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
    groups, edges = (session.read.parquet(f"{output}/{name}") for name in ("groups", "edges"))
    mine = _row(groups, str(doc_id))
    if mine is None:
        raise InputError(f"document {doc_id!r} has no duplicate in {output}, or was not in its input")
    kept = _row(groups, str(mine[schema.REPRESENTATIVE_ID]))
    if kept is None:
        raise SimhashError(f"{output}/groups has no row of the representative {mine[schema.REPRESENTATIVE_ID]!r}")
    settings = validated(Settings, report["settings"])
    found = Explanation(
        str(mine[schema.DOC_ID]),
        mine[schema.GROUP_ID],
        mine[schema.GROUP_SIZE],
        str(kept[schema.DOC_ID]),
        mine[schema.MATCH],
        mine[schema.DISTANCE],
        mine[schema.SIMILARITY],
        _steps(groups, edges, mine, kept, is_direct=settings.grouping == "representative"),
    )
    here, there = _differing_words(session, settings, found)
    return replace(found, only_here=here, only_there=there)


def _row(groups: DataFrame, doc_id: str) -> Row | None:
    return groups.filter(F.col(schema.DOC_ID).cast("string") == doc_id).first()


def _steps(groups: DataFrame, edges: DataFrame, mine: Row, kept: Row, *, is_direct: bool) -> tuple[Step, ...]:
    """The edges from a document to its representative; one step where the grouping keeps members near it."""
    if mine[schema.NODE_ID] == kept[schema.NODE_ID]:
        return ()
    if is_direct:
        ends = str(mine[schema.DOC_ID]), str(kept[schema.DOC_ID])
        return (Step(*ends, mine[schema.DISTANCE], mine[schema.SIMILARITY]),)
    members = groups.filter(F.col(schema.GROUP_ID) == mine[schema.GROUP_ID]).groupBy(schema.NODE_ID)
    nodes = members.agg(F.min(schema.DOC_ID).cast("string").alias(schema.DOC_ID))
    names = {row[schema.NODE_ID]: row[schema.DOC_ID] for row in nodes.collect()}
    names |= {row[schema.NODE_ID]: str(row[schema.DOC_ID]) for row in (mine, kept)}
    of_group = nodes.select(F.col(schema.NODE_ID).alias(schema.SRC))
    table = edges.join(of_group, on=schema.SRC, how="left_semi").toArrow()
    src, dst, distance = (table.column(name).to_numpy() for name in schema.EDGES.names)
    similarity = table.column(schema.SIMILARITY).to_pylist()
    places = {pair: place for place, pair in enumerate(zip(src.tolist(), dst.tolist(), strict=True))}
    path = forest_path(Edges(src, dst, distance.astype(np.uint8)), mine[schema.NODE_ID], kept[schema.NODE_ID])
    steps = []
    for a, b in pairwise(path):
        place = places[min(a, b), max(a, b)]
        steps.append(Step(names[a], names[b], int(distance[place]), similarity[place]))
    return tuple(steps)


def _differing_words(spark: SparkSession, settings: Settings, found: Explanation) -> tuple[Words | None, Words | None]:
    """Features of one document but not of the other, from their texts in the input."""
    ids = [found.doc_id, found.representative_id]
    try:
        frame = read_input(spark, settings)
        documents = select_documents(frame, id_column=settings.id_column, text_column=settings.text_column)
        rows = documents.filter(F.col(schema.DOC_ID).cast("string").isin(ids)).collect()
        texts = {str(row[schema.DOC_ID]): row[schema.TEXT] for row in rows}
        one, other = (Counter(_features(texts[name], make_recipe(settings))) for name in ids)
    except (SimhashError, PySparkException, KeyError):
        return None, None  # the input is not there any more, or not as it was
    return tuple((one - other).most_common(MOST_WORDS)), tuple((other - one).most_common(MOST_WORDS))


def _features(text: str, recipe: Recipe) -> list[str]:
    view = recipe.views[0]
    if not reads_raw_text(view):
        text = normalize(pa.array([text]), recipe.normalization)[0].as_py()
    return build_tokenizer(view, recipe)(text)


def _measures(distance: int, similarity: float | None) -> str:
    return f"distance {distance}" + (f", similarity {similarity:.3f}" if similarity is not None else "")
