"""Cells: how the records of one band are cut into slots, the pieces of work that a shuffle keeps together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.block_choice import Blocks, Bucket, choose_blocks
from simhash_udf.kernel.layout import BITS, Layout, from_layout, split_layout, to_layout
from simhash_udf.kernel.runs import Runs, find_runs, sample_differences

Words = NDArray[np.uint64]

# Fewer records of a key in the sample say too little about how to split it.
_MIN_SUPPORT = 32


@dataclass(frozen=True)
class CellRules:
    """What a slot should hold, and how far apart the pairs are that must meet in one.

    Attributes
    ----------
    max_distance : int
        k.
    target_records : int
        A range is cut to about this many records.
    max_records : int
        A single key with more than this is joined by bands of its own, each cut into ranges again.
    min_ranges : int
        At least so many ranges a band, so that every core has work.
    """

    max_distance: int
    target_records: int
    max_records: int
    min_ranges: int = 1


@dataclass(frozen=True)
class Cell:
    """The slots of one band, or of one of the bands that split a hot key.

    Attributes
    ----------
    view : int
        Which column of a record is compared.
    layout : Layout
        Order of its bits.
    boundaries : tuple of int
        Words of that layout, ascending, zero behind the key: where the second, third … range begins.
    first_slot : int
        Slot of the first range; the others follow.
    records : float
        Expected records in all slots of this cell, those of its hot keys included.
    hot_keys : tuple of HotKey
        Keys that are not in any range of this cell.
    """

    view: int
    layout: Layout
    boundaries: tuple[int, ...]
    first_slot: int
    records: float
    hot_keys: tuple[HotKey, ...] = ()

    @property
    def num_ranges(self) -> int:
        """Number of ranges of this cell alone."""
        return len(self.boundaries) + 1

    @property
    def end_slot(self) -> int:
        """One more than the last slot of this cell and its hot keys."""
        ends = [cell.end_slot for hot in self.hot_keys for cell in hot.cells]
        return max(ends, default=self.first_slot + self.num_ranges)

    def walk(self) -> Iterator[Cell]:
        """Yield this cell and all cells of its hot keys."""
        yield self
        for hot in self.hot_keys:
            for cell in hot.cells:
                yield from cell.walk()


@dataclass(frozen=True)
class HotKey:
    """A band key with too many records for one slot, and the cells that join them.

    Attributes
    ----------
    first_word, last_word : int
        The smallest and the largest word with that key, in the layout of the cell it was taken from.
    cells : tuple of Cell
    """

    first_word: int
    last_word: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Population:
    """A sample of fingerprints and the number of records it stands for."""

    sample: Words
    records: float


def build_cell(population: Population, layout: Layout, view: int, rules: CellRules, *, first_slot: int) -> Cell:
    """Return the cell of a band: ranges at the sample's quantiles, and hot keys split by bands of their own.

    Parameters
    ----------
    population : Population
        The fingerprints of that view.
    layout : Layout
        The band's.
    view : int
    rules : CellRules
    first_slot : int
        Slots from here on are free.
    """
    words = np.sort(to_layout(population.sample, layout))
    scale = population.records / max(len(words), 1)
    splits = _hot_runs(words, layout, scale, rules)
    is_cold = np.ones(len(words), dtype=np.bool_)
    for start, end, _ in splits:
        is_cold[start:end] = False
    records = float(is_cold.sum()) * scale if splits else population.records
    num_ranges = max(ceil(records / rules.target_records), rules.min_ranges)
    cell = Cell(view, layout, cut_ranges(words[is_cold], layout.key_bits, num_ranges), first_slot, records)
    for start, end, blocks in splits:
        inside = Population(from_layout(words[start:end], layout), (end - start) * scale)
        cell = _add_hot_key(cell, int(words[start]), inside, blocks, rules)
    return cell


def _hot_runs(words: Words, layout: Layout, scale: float, rules: CellRules) -> list[tuple[int, int, Blocks]]:
    """Return (start, end, blocks) of each key that is too large for a slot and that splitting makes cheaper."""
    runs = find_runs(words, layout.key_bits)
    is_hot = (runs.length * scale > rules.max_records) & (runs.length >= _MIN_SUPPORT)
    found = []
    for start, length in zip(runs.start[is_hot].tolist(), runs.length[is_hot].tolist(), strict=True):
        records = length * scale
        differences = from_layout(sample_differences(words, Runs(np.array([start]), np.array([length]))), layout)
        blocks = choose_blocks(Bucket(layout, records, records * records / 2, differences), rules.max_distance)
        if blocks is not None:
            found.append((start, start + length, blocks))
    return found


def _add_hot_key(cell: Cell, word: int, inside: Population, blocks: Blocks, rules: CellRules) -> Cell:
    """Return the cell with the key of that word, and the population inside it, joined by bands of its own."""
    cells: list[Cell] = []
    for layout in split_layout(cell.layout, blocks, rules.max_distance):
        free_slot = cells[-1].end_slot if cells else cell.end_slot
        cells.append(build_cell(inside, layout, cell.view, rules, first_slot=free_slot))
    rest = (1 << cell.layout.rest_bits) - 1
    hot_key = HotKey(word & ~rest, word | rest, tuple(cells))
    records = cell.records + sum(inner.records for inner in cells)
    return replace(cell, records=records, hot_keys=(*cell.hot_keys, hot_key))


def cut_ranges(words: Words, key_bits: int, num_ranges: int) -> tuple[int, ...]:
    """Return where the second and later ranges begin, at quantiles of the sorted words, never inside a key."""
    if num_ranges <= 1:
        return ()
    rest_bits = BITS - key_bits
    if len(words):
        places = np.arange(1, num_ranges) * len(words) // num_ranges
        wanted = [int(word) for word in words[places]]
    else:
        wanted = [(index << BITS) // num_ranges for index in range(1, num_ranges)]
    return tuple(sorted({word >> rest_bits << rest_bits for word in wanted} - {0}))
