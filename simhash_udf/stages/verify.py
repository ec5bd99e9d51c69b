"""Verify: the texts of edges, compared.

What is compared are distinct texts, each read once. A text is a node with a digest of its normalised text, and has an
id of its own, which stands for the node from here on. Pairs are the edges, between the first texts of their two nodes,
and in a node with several texts those of its first with each other one.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.columns import node_id
from simhash_udf.kernel.edge_rule import EdgeRule
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.udf.group_batches import candidate_batches, similarity_batches, vector_batches

BROADCAST_TEXTS = 1_000_000
"""Texts up to which their ids go to every task (about 50 MB), so that the documents are not shuffled."""

PAIRS_PER_TEXT = 8
"""Further pairs that one text may ask for in a round, each in another fragment."""

_NODE = "node"
_CENTRE = "centre"


def with_text_ids(fingerprints: DataFrame) -> DataFrame:
    """Return the fingerprints with the text as their node: ``node_id`` is its id, NULL without a fingerprint.

    ``node`` keeps the node that the band join knew.
    """
    node = node_id(fingerprints)
    text_id = F.xxhash64(node, F.col(schema.TEXT_DIGEST), F.col(schema.TEXT_LENGTH))
    return fingerprints.withColumn(_NODE, node).withColumn(schema.NODE_ID, F.when(F.col(_NODE).isNotNull(), text_id))


def select_texts(fingerprints: DataFrame, components: DataFrame) -> DataFrame:
    """Return the distinct texts that have to be compared: of nodes that are in an edge or have two texts or more.

    Parameters
    ----------
    fingerprints
        As `with_text_ids` gives them.
    components
        Table components of the nodes of the band join.

    Returns
    -------
    DataFrame
        ``text_id, node, component_id, text_digest, doc_id`` (the smallest that has the text) and ``words``, the
        fingerprints. Cost: two shuffles of the fingerprints.
    """
    usable = fingerprints.filter(F.col(_NODE).isNotNull())
    has_views = schema.FINGERPRINTS in usable.columns
    words = F.col(schema.FINGERPRINTS) if has_views else F.array(schema.FINGERPRINT)
    rows = usable.select(
        F.col(schema.NODE_ID).alias(schema.TEXT_ID), _NODE, schema.TEXT_DIGEST, schema.DOC_ID, words.alias("words")
    )
    texts = rows.groupBy(schema.TEXT_ID, _NODE, schema.TEXT_DIGEST).agg(
        F.min(schema.DOC_ID).alias(schema.DOC_ID), F.first("words").alias("words")
    )
    counted = texts.withColumn("texts", F.count("*").over(Window.partitionBy(_NODE)))
    labelled = counted.join(components.withColumnRenamed(schema.NODE_ID, _NODE), on=_NODE, how="left")
    compared = labelled.filter(F.col(schema.COMPONENT_ID).isNotNull() | (F.col("texts") > 1))
    component = F.coalesce(schema.COMPONENT_ID, _NODE).alias(schema.COMPONENT_ID)
    return compared.select(schema.TEXT_ID, _NODE, component, schema.TEXT_DIGEST, schema.DOC_ID, "words")


def clashing_texts(texts: DataFrame) -> DataFrame:
    """Return the text ids that stand for two texts; with a one-to-one id there is none."""
    return texts.groupBy(schema.TEXT_ID).count().filter("count > 1").select(schema.TEXT_ID)


def build_vectors(documents: DataFrame, texts: DataFrame, recipe: Recipe, *, are_few: bool) -> DataFrame:
    """Return the table vectors: each text is read once, from the document that stands for it.

    Cost: one pass over the ids, and over the texts that are compared. Unless there are few of those, one shuffle of the
    documents.
    """
    wanted = texts.select(schema.DOC_ID, schema.TEXT_ID, schema.TEXT_DIGEST)
    read = documents.join(F.broadcast(wanted) if are_few else wanted, on=schema.DOC_ID, how="inner")
    return read.select(schema.TEXT_ID, schema.TEXT_DIGEST, schema.TEXT).mapInArrow(
        vector_batches(recipe), schema.VECTORS
    )


def first_pairs(texts: DataFrame, edges: DataFrame) -> DataFrame:
    """Return the pairs to compare first: ``src, dst, distance, component_id`` of text ids, fewer than texts and edges.

    In each node a star around its smallest text id; between nodes their edges, from smallest to smallest text id.
    """
    centres = texts.groupBy(_NODE).agg(F.min(schema.TEXT_ID).alias(_CENTRE))
    others = texts.join(centres, on=_NODE, how="inner").filter(F.col(schema.TEXT_ID) != F.col(_CENTRE))
    stars = others.select(
        F.col(_CENTRE).alias(schema.SRC),  # the smallest of the node, so src < dst
        F.col(schema.TEXT_ID).alias(schema.DST),
        F.lit(0).alias(schema.DISTANCE),
        schema.COMPONENT_ID,
    )
    labels = texts.groupBy(_NODE).agg(F.min(schema.TEXT_ID).alias(_CENTRE), F.first(schema.COMPONENT_ID).alias("label"))
    one = labels.select(F.col(_NODE).alias(schema.SRC), F.col(_CENTRE).alias("one"), F.col("label"))
    two = centres.select(F.col(_NODE).alias(schema.DST), F.col(_CENTRE).alias("two"))
    linked = edges.join(one, on=schema.SRC, how="inner").join(two, on=schema.DST, how="inner")
    links = linked.select(
        F.least("one", "two").alias(schema.SRC),
        F.greatest("one", "two").alias(schema.DST),
        schema.DISTANCE,
        F.col("label").alias(schema.COMPONENT_ID),
    )
    return stars.unionByName(links)


def compare_texts(pairs: DataFrame, vectors: DataFrame, *, measure: str) -> DataFrame:
    """Return the table checks: the pairs with the similarity of their texts.

    Parameters
    ----------
    pairs
        ``src, dst, distance, component_id``.
    vectors
        The table of that name; it has every text of a pair.
    measure
        ``cosine`` or ``jaccard``.

    Returns
    -------
    DataFrame
        In no order. Cost: the vector of dst goes to src, twice through the network for every pair; that of src goes
        once, however many pairs it has.
    """
    vector = vectors.select(F.col(schema.TEXT_ID).alias("id"), schema.TEXT_DIGEST, schema.HASHES, schema.WEIGHTS)
    seconds = pairs.join(vector, on=F.col(schema.DST) == F.col("id"), how="inner").drop("id")
    of_src = vector.join(pairs, on=F.col("id") == F.col(schema.SRC), how="left_semi")
    firsts = of_src.withColumnRenamed("id", schema.SRC)
    rows = seconds.unionByName(firsts, allowMissingColumns=True)
    together = rows.repartition(schema.SRC).sortWithinPartitions(schema.SRC, F.col(schema.DST).asc_nulls_first())
    return together.mapInArrow(similarity_batches(measure), schema.CHECKS)


def next_pairs(texts: DataFrame, fragments: DataFrame, checks: DataFrame, *, rule: EdgeRule, turn: int) -> DataFrame:
    """Return the pairs to compare next: texts of one component, in different fragments, within the edge rule.

    Parameters
    ----------
    texts
        Those of the components that are looked at, as `select_texts` gives them.
    fragments
        Table components of the edges that hold, ``component_id`` being the fragment; texts without an edge are missing.
    checks
        All pairs of these components that were compared.
    rule, turn
        See `kernel.candidates.next_candidates`; a text asks for at most `PAIRS_PER_TEXT`.

    Returns
    -------
    DataFrame
        ``src, dst, distance, component_id``. Cost: a component is held by one task, 8 bytes a view and text.
    """
    labels = fragments.select(F.col(schema.NODE_ID).alias(schema.TEXT_ID), F.col(schema.COMPONENT_ID).alias("fragment"))
    labelled = texts.join(labels, on=schema.TEXT_ID, how="left")
    fragment = F.coalesce("fragment", schema.TEXT_ID)
    nodes = labelled.select(schema.COMPONENT_ID, F.col(schema.TEXT_ID).alias("a"), fragment.alias("b"), "words")
    compared = checks.select(schema.COMPONENT_ID, F.col(schema.SRC).alias("a"), F.col(schema.DST).alias("b"))
    rows = nodes.unionByName(compared, allowMissingColumns=True).repartition(schema.COMPONENT_ID)
    found = candidate_batches(rule, per_text=PAIRS_PER_TEXT, turn=turn)
    return rows.mapInArrow(found, "src long, dst long, distance int, component_id long")


def with_similarity(members: DataFrame, checks: DataFrame) -> DataFrame:
    """Return the groups with ``similarity`` to the representative; 1 for an equal text."""
    found = checks.select(F.col(schema.DST).alias(schema.NODE_ID), F.col(schema.SIMILARITY).alias("found"))
    is_same = F.col(schema.MATCH) == schema.SAME_TEXT
    joined = members.join(found, on=schema.NODE_ID, how="left")
    return joined.withColumn(schema.SIMILARITY, F.when(is_same, F.lit(1.0)).otherwise(F.col("found"))).select(
        *members.columns
    )


def pairs_with_representative(members: DataFrame) -> DataFrame:
    """Return ``src, dst, distance, component_id`` of every text (dst) that differs from its representative's (src)."""
    chosen = members.filter(F.col(schema.IS_REPRESENTATIVE)).select(
        schema.GROUP_ID, F.col(schema.NODE_ID).alias(schema.SRC)
    )
    others = members.filter(F.col(schema.MATCH) != schema.SAME_TEXT).join(chosen, on=schema.GROUP_ID, how="inner")
    return others.select(
        schema.SRC,
        F.col(schema.NODE_ID).alias(schema.DST),
        schema.DISTANCE,
        F.col(schema.GROUP_ID).alias(schema.COMPONENT_ID),
    ).distinct()
