"""The band join on packed blocks: fingerprints in, edges out, each pair from exactly one slot.

`explode_blocks` runs before the shuffle and `join_block` after it, once per slot. A block is the bytes of 64-bit words
in native order, r words a record; the word of the band's view stands in the order of the band's layout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.band_plan import BandPlan
from simhash_udf.kernel.bands import Band
from simhash_udf.kernel.cells import Cell
from simhash_udf.kernel.edge_list import Edges, no_edges
from simhash_udf.kernel.join_counts import JoinCounts
from simhash_udf.kernel.layout import from_layout, to_layout
from simhash_udf.kernel.records import replace_column, sort_by, sort_distinct
from simhash_udf.kernel.slot_join import SlotJoin

__all__ = ["Edges", "explode_blocks", "join_block"]

Words = NDArray[np.uint64]

# 2**18 words are 2 MB, the size of a core's second-level cache: exploded in 13 ns a record, against 16 for 2**20.
_CHUNK_WORDS = 1 << 18


def explode_blocks(words: Words, plan: BandPlan, bands: Sequence[Band] | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield (slot, block) for every band: the records of these fingerprints that belong in that slot.

    Parameters
    ----------
    words : ndarray of uint64, shape (n, r)
        Fingerprints, one column a view, in any order; repeats are dropped where they are seen.
    plan : BandPlan
    bands : sequence of Band, optional
        A wave of the plan; all bands unless given.

    Yields
    ------
    slot : int
        0 to plan.num_slots - 1. A slot may come several times; one without a record does not come.
    block : bytes
        Whole records of 8 r bytes.

    Notes
    -----
    Every call yields a block for nearly every slot, so give it hundreds of thousands of rows at a time where there are
    that many.
    """
    size = _CHUNK_WORDS // plan.num_views
    for start in range(0, len(words), size):
        chunk = sort_distinct(words[start : start + size])
        for band in plan.bands if bands is None else bands:
            yield from _explode_cell(chunk, plan.cell_of_band(band))


def _explode_cell(words: Words, cell: Cell) -> Iterator[tuple[int, bytes]]:
    """Yield the blocks of one cell and of its hot keys, from fingerprints in their own bit order."""
    records = replace_column(words, cell.view, to_layout(words[:, cell.view], cell.layout))
    if cell.num_ranges == 1 and not cell.hot_keys:
        yield cell.first_slot, records.tobytes()
        return
    records = sort_by(records, cell.view)
    for hot in cell.hot_keys:
        column = records[:, cell.view]
        start = np.searchsorted(column, np.uint64(hot.first_word), side="left")
        end = np.searchsorted(column, np.uint64(hot.last_word), side="right")
        taken = records[start:end]
        records = np.concatenate([records[:start], records[end:]])
        if len(taken):
            natural = replace_column(taken, cell.view, from_layout(taken[:, cell.view], cell.layout))
            for inner in hot.cells:
                yield from _explode_cell(natural, inner)
    cuts = np.searchsorted(records[:, cell.view], np.array(cell.boundaries, dtype=np.uint64))
    for index, part in enumerate(np.split(records, cuts)):
        if len(part):
            yield cell.first_slot + index, part.tobytes()


def join_block(
    slot: int,
    chunks: Sequence[bytes],
    plan: BandPlan,
    all_pairs: bool = False,
    counts: JoinCounts | None = None,
) -> Edges:
    """Return the edges that come out of one slot.

    Parameters
    ----------
    slot : int
        As `explode_blocks` gave it.
    chunks : sequence of bytes
        All blocks of that slot, in any order.
    plan : BandPlan
        The plan they were made with.
    all_pairs : bool
        Return every edge. Otherwise a forest, and memory stays bounded however many pairs there are.
    counts : JoinCounts, optional
        Takes what was done.

    Returns
    -------
    Edges
        With all_pairs, over all slots no pair twice. Without, the minimum spanning forest of the union over all slots
        is that of all edges; a slot may then hold an edge that another slot holds too.

    Notes
    -----
    Time grows with records and close pairs, not with the square of a bucket, but for one case: records of several views
    that are equal in the band's view and differ in others are compared pair by pair.
    """
    cell = plan.cell_of_slot(slot)
    words = np.frombuffer(b"".join(chunks), dtype=np.uint64).reshape(-1, plan.num_views)
    counts = JoinCounts() if counts is None else counts
    counts.records += len(words)
    if len(words) < 2:
        return no_edges()
    return SlotJoin(plan, cell, all_pairs=all_pairs, counts=counts).run(words)
