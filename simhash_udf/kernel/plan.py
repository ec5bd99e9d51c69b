"""The plan of a band join: how many blocks, which slots, and what it is expected to cost.

The number of blocks is chosen from a sample of the real fingerprints: on skewed bits, arithmetic for uniform bits is off by
orders of magnitude.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, comb

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.band_cost import band_comparisons, join_seconds
from simhash_udf.kernel.bands import MAX_BANDS, Band, build_bands, check_distance
from simhash_udf.kernel.cells import Cell, Population, SlotSize, build_cell
from simhash_udf.kernel.layout import BITS

Words = NDArray[np.uint64]

# 2**20 words are 8 MB in the shuffle and sort in 7 ms; ten times as many sort half again as slowly.
TARGET_SLOT_RECORDS = 1 << 20
# A key with more records than this many targets gets slots of its own; up to it, one task splits it in memory.
HOT_FACTOR = 4
# What one wave may put on the executors' disks before the next begins.
MAX_SHUFFLE_BYTES = 64 << 30


@dataclass(frozen=True)
class BandPlan:
    """How to find all pairs within the distance, and what that is expected to cost.

    Attributes
    ----------
    num_records_in : int
        Fingerprints (distinct nodes, or documents) that the plan was made for.
    num_blocks, max_distance, num_views, max_total_distance : int
        b, k, r, and the largest sum of distances over the views.
    bands : tuple of Band
        All bands of all views, in the order that decides which one a pair comes out of.
    cells : tuple of Cell
        For each band, its slots.
    comparisons : float
        Expected pairs of records that are compared.
    waves : tuple of tuple of Band
        The bands in groups, each of which stays within the shuffle limit.
    cores : int
        The cores that `seconds` is for.
    """

    num_records_in: int
    num_blocks: int
    max_distance: int
    num_views: int
    max_total_distance: int
    bands: tuple[Band, ...]
    cells: tuple[Cell, ...]
    comparisons: float
    waves: tuple[tuple[Band, ...], ...]
    cores: int

    @property
    def num_slots(self) -> int:
        """Slots are numbered from 0 to this, exclusive."""
        return max(cell.end_slot for cell in self.cells)

    @property
    def records(self) -> float:
        """Expected records in the shuffle, all bands together."""
        return sum(cell.records for cell in self.cells)

    @property
    def shuffle_bytes(self) -> float:
        """Expected bytes in the shuffle, all waves together."""
        return self.records * 8 * self.num_views

    @property
    def seconds(self) -> float:
        """Expected seconds of the join on `cores`."""
        return join_seconds(self.records, self.comparisons, self.num_views) / self.cores

    def cell_of_band(self, band: Band) -> Cell:
        """Return the slots of a band of this plan."""
        return self.cells[band.view * (len(self.bands) // self.num_views) + band.band_id]

    def cell_of_slot(self, slot: int) -> Cell:
        """Return the cell that a slot belongs to."""
        band_cell = self.cells[max(bisect_right(self.cells, slot, key=lambda cell: cell.first_slot) - 1, 0)]
        for cell in band_cell.walk():
            if cell.first_slot <= slot < cell.first_slot + cell.num_ranges:
                return cell
        raise ValueError(f"slot {slot} is not one of the {self.num_slots} slots of this plan")

    def to_dict(self) -> dict[str, object]:
        """Return the plan's figures as plain JSON values."""
        return {
            "num_records_in": self.num_records_in,
            "num_blocks": self.num_blocks,
            "max_distance": self.max_distance,
            "num_views": self.num_views,
            "max_total_distance": self.max_total_distance,
            "num_bands": len(self.bands),
            "key_bits": sorted({band.key_bits for band in self.bands}),
            "num_slots": self.num_slots,
            "num_hot_keys": sum(len(cell.hot_keys) for band_cell in self.cells for cell in band_cell.walk()),
            "records": round(self.records),
            "comparisons": round(self.comparisons),
            "shuffle_bytes": round(self.shuffle_bytes),
            "bands_per_wave": [len(wave) for wave in self.waves],
            "cores": self.cores,
            "seconds": round(self.seconds, 3),
        }

    def describe(self) -> str:
        """Return the plan in a few lines for a person to read."""
        figures = self.to_dict()
        keys = " or ".join(str(bits) for bits in sorted({band.key_bits for band in self.bands}))
        return "\n".join(
            [
                f"band join of {self.num_records_in:,} fingerprints, {self.num_views} view(s), within {self.max_distance} "
                f"bits in one view and {self.max_total_distance} over all",
                f"  {self.num_blocks} blocks: {len(self.bands)} bands with keys of {keys} bits, in {self.num_slots:,} slots "
                f"and {len(self.waves)} wave(s); {figures['num_hot_keys']} hot keys with bands of their own",
                f"  expected: {self.records:,.0f} records ({self.shuffle_bytes / 1e9:,.2f} GB) in the shuffle, "
                f"{self.comparisons:,.0f} comparisons, about {self.seconds:,.0f} s on {self.cores} core(s)",
            ]
        )


def choose_plan(
    sample: Words,
    n: int,
    *,
    max_distance: int,
    max_total_distance: int | None = None,
    num_blocks: int | None = None,
    cores: int = 1,
    max_shuffle_bytes: float = MAX_SHUFFLE_BYTES,
    target_slot_records: int = TARGET_SLOT_RECORDS,
) -> BandPlan:
    """Return the plan of lowest expected cost.

    Parameters
    ----------
    sample : ndarray of uint64, shape (m, r)
        Distinct fingerprints, or distinct tuples of r, drawn at random; 200,000 are plenty, and none will do.
    n : int
        How many the sample stands for.
    max_distance : int
        k, 0 to 8.
    max_total_distance : int, optional
        Largest sum of the distances over all views; 8 r unless given.
    num_blocks : int, optional
        b; unless given, the cheapest.
    cores : int
        Cores that will share the work.
    max_shuffle_bytes : float
        Limit of one wave. A single band that is larger is a wave of its own.
    target_slot_records : int
        Records a slot should hold.

    Raises
    ------
    SettingError
        For a distance, a number of blocks or of views that cannot be right.
    """
    num_views = sample.shape[1]
    check_distance(max_distance, num_views)
    population = Population(sample, float(n))
    if num_blocks is None:
        num_blocks, comparisons = _cheapest_blocks(population, max_distance)
    else:
        comparisons = _comparisons(population, num_blocks, max_distance)
    bands = build_bands(num_blocks, max_distance, num_views)
    size = SlotSize(target_slot_records, HOT_FACTOR * target_slot_records, ceil(cores / len(bands)))
    cells = tuple(_build_cells(population, bands, size, max_distance))
    return BandPlan(
        num_records_in=n,
        num_blocks=num_blocks,
        max_distance=max_distance,
        num_views=num_views,
        max_total_distance=8 * num_views if max_total_distance is None else max_total_distance,
        bands=bands,
        cells=cells,
        comparisons=comparisons,
        waves=tuple(_waves(bands, cells, max_shuffle_bytes, num_views)),
        cores=cores,
    )


def _cheapest_blocks(population: Population, max_distance: int) -> tuple[int, float]:
    """Return the number of blocks of lowest cost and its comparisons."""
    num_views = population.sample.shape[1]
    best, best_comparisons, lowest = 0, 0.0, float("inf")
    for num_blocks in range(max_distance + 1, BITS + 1):
        num_bands = comb(num_blocks, max_distance)
        records = population.records * num_bands * num_views
        # Records grow with every block, so the first that alone costs more than the best so far ends the search.
        if num_bands > MAX_BANDS or join_seconds(records, 0, num_views) >= lowest:
            break
        comparisons = _comparisons(population, num_blocks, max_distance)
        cost = join_seconds(records, comparisons, num_views)
        if cost < lowest:
            best, best_comparisons, lowest = num_blocks, comparisons, cost
        if max_distance == 0:
            break
    return best, best_comparisons


def _comparisons(population: Population, num_blocks: int, max_distance: int) -> float:
    """Return the expected comparisons of all bands."""
    columns = np.ascontiguousarray(population.sample.T)
    bands = build_bands(num_blocks, max_distance, len(columns))
    return sum(band_comparisons(columns[band.view], population.records, band, max_distance) for band in bands)


def _build_cells(population: Population, bands: tuple[Band, ...], size: SlotSize, max_distance: int) -> Iterator[Cell]:
    """Yield the cell of each band, slots numbered through."""
    first_slot = 0
    for band in bands:
        column = Population(np.ascontiguousarray(population.sample[:, band.view]), population.records)
        cell = build_cell(column, band.layout, band.view, size, first_slot=first_slot, max_distance=max_distance)
        first_slot = cell.end_slot
        yield cell


def _waves(
    bands: tuple[Band, ...], cells: tuple[Cell, ...], max_bytes: float, num_views: int
) -> Iterator[tuple[Band, ...]]:
    """Yield the bands in order, in groups that stay under the limit."""
    wave: list[Band] = []
    wave_bytes = 0.0
    for band, cell in zip(bands, cells, strict=True):
        band_bytes = cell.records * 8 * num_views
        if wave and wave_bytes + band_bytes > max_bytes:
            yield tuple(wave)
            wave, wave_bytes = [], 0.0
        wave.append(band)
        wave_bytes += band_bytes
    yield tuple(wave)
