"""The plan of a band join: its bands, their slots, and what it is expected to cost."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from simhash_udf.kernel.band_cost import WAVE_SECONDS, join_seconds
from simhash_udf.kernel.bands import Band
from simhash_udf.kernel.cells import Cell


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
        work = join_seconds(self.records, self.comparisons, self.num_views)
        return work / self.cores + WAVE_SECONDS * len(self.waves)

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
                f"band join of {self.num_records_in:,} fingerprints, {self.num_views} view(s), within "
                f"{self.max_distance} bits in one view and {self.max_total_distance} over all",
                f"  {self.num_blocks} blocks: {len(self.bands)} bands with keys of {keys} bits, in "
                f"{self.num_slots:,} slots and {len(self.waves)} wave(s); "
                f"{figures['num_hot_keys']} hot keys with bands of their own",
                f"  expected: {self.records:,.0f} records ({self.shuffle_bytes / 1e9:,.2f} GB) in the shuffle, "
                f"{self.comparisons:,.0f} comparisons, about {self.seconds:,.0f} s on {self.cores} core(s)",
            ]
        )
