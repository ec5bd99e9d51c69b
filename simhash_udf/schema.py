"""Column names and table schemas: the contract between stages, in one place."""

from __future__ import annotations

from pyspark.sql import types as T

DOC_ID = "doc_id"
TEXT = "text"
FINGERPRINT = "fingerprint"
FINGERPRINTS = "fingerprints"
NODE_ID = "node_id"
FEATURE_COUNT = "feature_count"
TEXT_LENGTH = "text_length"
TEXT_DIGEST = "text_digest"
IS_CUT = "is_cut"

SRC = "src"
DST = "dst"
DISTANCE = "distance"

RECORDS = "records"
COMPARISONS = "comparisons"

COMPONENT_ID = "component_id"
LABEL = "label"
NUM_PAIRS = "num_pairs"
PAIRS = "pairs"
SMALLEST = "smallest"

GROUP_ID = "group_id"
GROUP_SIZE = "group_size"
IS_REPRESENTATIVE = "is_representative"
REPRESENTATIVE_ID = "representative_id"
MATCH = "match"
SIMILARITY = "similarity"

TEXT_ID = "text_id"
HASHES = "hashes"
WEIGHTS = "weights"
LEADER_ID = "leader_id"
PLACE = "place"

SLOT = "slot"
BLOCK = "block"
REASON = "reason"

SAME_TEXT = "same_text"
SAME_FINGERPRINT = "same_fingerprint"
NEAR = "near"

EDGES = T.StructType(
    [
        T.StructField(SRC, T.LongType(), False),
        T.StructField(DST, T.LongType(), False),
        T.StructField(DISTANCE, T.IntegerType(), False),
    ]
)
"""Edges between distinct nodes, ``src < dst``, each pair once."""

JOINED = T.StructType(
    [
        *(T.StructField(field.name, field.dataType) for field in EDGES.fields),
        T.StructField(RECORDS, T.LongType()),
        T.StructField(COMPARISONS, T.LongType()),
    ]
)
"""What the tasks of a join give: edges, and one row a task that has no edge and says what the task did instead."""

CHECKS = T.StructType(
    [
        T.StructField(SRC, T.LongType(), False),
        T.StructField(DST, T.LongType(), False),
        T.StructField(DISTANCE, T.IntegerType(), False),
        T.StructField(COMPONENT_ID, T.LongType(), False),
        T.StructField(SIMILARITY, T.DoubleType(), False),
    ]
)
"""Pairs of texts that were compared; the component is that of the edges before the check."""

VECTORS = T.StructType(
    [
        T.StructField(TEXT_ID, T.LongType(), False),
        T.StructField(TEXT_DIGEST, T.LongType(), False),
        T.StructField(HASHES, T.BinaryType(), False),
        T.StructField(WEIGHTS, T.BinaryType(), False),
    ]
)
"""Features of each text that is compared: 64-bit hashes, ascending, and their weights."""

LEADERS = T.StructType(
    [
        T.StructField(COMPONENT_ID, T.LongType(), False),
        T.StructField(NODE_ID, T.LongType(), False),
        T.StructField(LEADER_ID, T.LongType(), False),
    ]
)
"""Each node with the node whose group it joins, its own where it leads one."""

COMPONENTS = T.StructType(
    [T.StructField(NODE_ID, T.LongType(), False), T.StructField(COMPONENT_ID, T.LongType(), False)]
)
"""One row for each node that has an edge; the component id is its smallest node id."""

CONTRACTION = T.StructType(
    [
        T.StructField(NODE_ID, T.LongType()),
        T.StructField(LABEL, T.LongType()),
        T.StructField(COMPONENT_ID, T.LongType()),
        T.StructField(SLOT, T.LongType()),
        T.StructField(NUM_PAIRS, T.LongType()),
        T.StructField(PAIRS, T.BinaryType()),
        T.StructField(SMALLEST, T.BinaryType()),
    ]
)
"""What a round of contraction gives: a node that points to another (``label``), the last node of a component with
its ``component_id``, or the packed pairs of a slot for the next round; the other columns are NULL."""

BLOCKS = T.StructType([T.StructField(SLOT, T.LongType(), False), T.StructField(BLOCK, T.BinaryType(), False)])
"""Packed records of one (band, range): all their bits as one binary value."""


def fingerprints(doc_id_type: T.DataType, num_views: int) -> T.StructType:
    """Return the schema of the fingerprints table.

    With one view a node is its fingerprint, so the two last columns exist only for two views or more.
    ``fingerprint`` is NULL where the text has no feature.
    """
    fields = [
        T.StructField(DOC_ID, doc_id_type),
        T.StructField(FINGERPRINT, T.LongType()),
        T.StructField(FEATURE_COUNT, T.IntegerType()),
        T.StructField(TEXT_LENGTH, T.IntegerType()),
        T.StructField(TEXT_DIGEST, T.LongType()),
        T.StructField(IS_CUT, T.BooleanType()),
    ]
    if num_views > 1:
        fields += [
            T.StructField(FINGERPRINTS, T.ArrayType(T.LongType(), False)),
            T.StructField(NODE_ID, T.LongType()),
        ]
    return T.StructType(fields)


def groups(doc_id_type: T.DataType) -> T.StructType:
    """Return the schema of the groups table; it has the members of groups of two or more only.

    ``similarity`` to the representative is NULL without a second look at the texts. ``node_id`` is the document's end
    of edges, NULL without a fingerprint.
    """
    return T.StructType(
        [
            T.StructField(DOC_ID, doc_id_type),
            T.StructField(GROUP_ID, T.LongType()),
            T.StructField(GROUP_SIZE, T.LongType()),
            T.StructField(IS_REPRESENTATIVE, T.BooleanType()),
            T.StructField(REPRESENTATIVE_ID, doc_id_type),
            T.StructField(DISTANCE, T.IntegerType()),
            T.StructField(MATCH, T.StringType()),
            T.StructField(SIMILARITY, T.DoubleType()),
            T.StructField(NODE_ID, T.LongType()),
        ]
    )
