"""Components: each node that has an edge, with the smallest node id of its component."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.errors import SimhashError
from simhash_udf.udf.component_batches import component_batches, contract_batches, settle_batches

TASK_PAIRS = 4_000_000
"""Pairs that a task of a round takes: 64 MB, and about 600 MB while it works on them."""

SLOTS_PER_TASK = 16
"""Slots are dealt out to tasks whole; so many for each keep the tasks even."""

MAX_ROUNDS = 60
"""A chain of 10^9 in tasks of a few edges would take about so many; it takes 6 in tasks of their real size."""

Checkpoint = Callable[[str, DataFrame], DataFrame]


def components_in_one_task(edges: DataFrame) -> DataFrame:
    """Return the components table, labelled by one task. Memory grows with the nodes, not with the edges."""
    ends = edges.select(schema.SRC, schema.DST)
    return ends.repartition(1).mapInArrow(component_batches(), schema.COMPONENTS)


def components_by_contraction(
    edges: DataFrame, checkpoint: Checkpoint, *, rows: int, task_pairs: int = TASK_PAIRS
) -> DataFrame:
    """Return the components table by rounds of contraction, in tasks of bounded memory.

    Pieces of the edges are contracted where they lie. After that every round sends each node's labels to one task,
    which lets the node go or keeps it, and contracts the labels' edges; see `kernel.contraction`. About half of the
    pairs are gone after a round, so all rounds cost twice the first. Then the pointers are followed back.

    Parameters
    ----------
    edges
        Table edges; only ``src`` and ``dst`` are used.
    checkpoint
        Cuts a frame's lineage under a name; called twice a round, each time with another name.
    rows
        Number of edges, at least roughly: tells how finely the nodes are dealt out.
    task_pairs
        Pairs that a task should take.

    Returns
    -------
    DataFrame
        Table components. The rounds end when no edge is left, so the result is exact.

    Raises
    ------
    SimhashError
        The rounds did not end, which would be a fault of this function.
    """
    slot_bits = (SLOTS_PER_TASK * ceil(max(rows, 1) / task_pairs) - 1).bit_length()
    pieces = edges.select(schema.SRC, schema.DST).mapInArrow(contract_batches(slot_bits), schema.CONTRACTION)
    rounds = [checkpoint("contraction-0", pieces)]
    while num_pairs := _count_pairs(rounds[-1]):
        if len(rounds) > MAX_ROUNDS:
            raise SimhashError(
                f"components did not end in {MAX_ROUNDS} rounds; please report this with the edges table"
            )
        blocks = _blocks(rounds[-1]).repartition(ceil(num_pairs / task_pairs), schema.SLOT)
        settled = blocks.mapInArrow(settle_batches(slot_bits), schema.CONTRACTION)
        rounds.append(checkpoint(f"contraction-{len(rounds)}", settled))
    return _follow_pointers(rounds, checkpoint)


def _blocks(contraction: DataFrame) -> DataFrame:
    """The packed pairs of a round."""
    return contraction.filter(F.col(schema.SLOT).isNotNull()).select(schema.SLOT, schema.PAIRS, schema.SMALLEST)


def _count_pairs(contraction: DataFrame) -> int:
    """Number of pairs for the next round, 1 or more while a node has not settled; 0 at the end."""
    rows = contraction.filter(F.col(schema.SLOT).isNotNull())
    count = rows.agg(F.count(schema.SLOT), F.sum(schema.NUM_PAIRS)).first()
    return 0 if count is None or not count[0] else max(count[1], 1)


def _follow_pointers(rounds: list[DataFrame], checkpoint: Checkpoint) -> DataFrame:
    """Components table of all rounds: the last nodes first, then round by round those that point to known ones."""
    roots = [frame.filter(F.col(schema.COMPONENT_ID).isNotNull()).select(*schema.COMPONENTS.names) for frame in rounds]
    found = roots[0]
    for frame in roots[1:]:
        found = found.unionByName(frame)
    for number, frame in reversed(list(enumerate(rounds))[1:]):
        pointers = frame.filter(F.col(schema.LABEL).isNotNull()).select(schema.NODE_ID, schema.LABEL)
        known = found.withColumnRenamed(schema.NODE_ID, schema.LABEL)
        followed = pointers.join(known, on=schema.LABEL, how="inner").select(*schema.COMPONENTS.names)
        found = found.unionByName(followed if number == 1 else checkpoint(f"labels-{number}", followed))
    return found
