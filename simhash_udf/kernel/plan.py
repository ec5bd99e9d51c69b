"""Planning a band join: how many blocks, which slots, which waves.

The number of blocks is chosen from a sample of the real fingerprints: on skewed bits, arithmetic for uniform bits is
off by orders of magnitude.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, comb

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.band_cost import band_comparisons, join_seconds
from simhash_udf.kernel.band_plan import BandPlan
from simhash_udf.kernel.bands import MAX_BANDS, Band, build_bands, check_distance
from simhash_udf.kernel.cells import Cell, CellRules, Population, build_cell
from simhash_udf.kernel.layout import BITS

__all__ = ["BandPlan", "choose_plan"]

Words = NDArray[np.uint64]

# 2**20 words are 8 MB in the shuffle and sort in 7 ms; ten times as many sort half again as slowly.
TARGET_SLOT_RECORDS = 1 << 20
# A key with more records than this many targets gets slots of its own; up to it, one task splits it in memory.
HOT_FACTOR = 4
# What one wave may put on the executors' disks before the next begins.
MAX_SHUFFLE_BYTES = 64 << 30


def choose_plan(  # noqa: PLR0913  one request, all but its data by keyword
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
    rules = CellRules(max_distance, target_slot_records, HOT_FACTOR * target_slot_records, ceil(cores / len(bands)))
    cells = tuple(_build_cells(population, bands, rules))
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


def _build_cells(population: Population, bands: tuple[Band, ...], rules: CellRules) -> Iterator[Cell]:
    """Yield the cell of each band, slots numbered through."""
    first_slot = 0
    for band in bands:
        column = Population(np.ascontiguousarray(population.sample[:, band.view]), population.records)
        cell = build_cell(column, band.layout, band.view, rules, first_slot=first_slot)
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
