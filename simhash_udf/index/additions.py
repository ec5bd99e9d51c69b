"""What was added to an index since it was built: in memory, scanned while it is small, indexed when it has grown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.band_index import BandIndex, Matches, join_matches
from simhash_udf.kernel.bits import popcount
from simhash_udf.kernel.edge_rule import EdgeRule
from simhash_udf.kernel.single_query import near

Words = NDArray[np.uint64]

# Up to here a scan of the newest costs no more than a look-up in the index of the others.
_SCANNED = 1 << 13
# Comparisons of one batch with the newest above which indexing them first is cheaper.
_BATCH_COMPARISONS = 1 << 22


class Additions:
    """Entries by the order in which they came.

    Parameters
    ----------
    num_views
        r.
    max_distance, max_total_distance
        When an entry is near a query, in a view and over all.
    """

    def __init__(self, num_views: int, max_distance: int, max_total_distance: int) -> None:
        self.ids: list[Any] = []
        self._max_distance = max_distance
        self._max_total_distance = max_total_distance
        self._words = np.empty((0, num_views), dtype=np.uint64)
        self._is_there = np.empty(0, dtype=np.bool_)
        self._indexed = self._index(0)

    @property
    def words(self) -> Words:
        """All entries, those that were removed included; ``uint64`` ``(n, r)``."""
        return self._words[: len(self.ids)]

    @property
    def is_there(self) -> NDArray[np.bool_]:
        """Which entries were not removed."""
        return self._is_there[: len(self.ids)]

    def extend(self, ids: Sequence[Any], words: Words) -> None:
        """Add entries."""
        size, needed = len(self.ids), len(self.ids) + len(words)
        if needed > len(self._words):
            spare = max(needed, 2 * len(self._words), 16) - size
            self._words = np.concatenate([self.words, np.empty((spare, self._words.shape[1]), dtype=np.uint64)])
            self._is_there = np.concatenate([self.is_there, np.zeros(spare, dtype=np.bool_)])
        self._words[size:needed] = words
        self._is_there[size:needed] = True
        self.ids += ids
        # Growing by a quarter each time, an entry is indexed some five times on the way to any size.
        if needed - len(self._indexed) > max(_SCANNED, len(self._indexed) // 4):
            self._indexed = self._index(needed)

    def remove(self, ids: set[Any]) -> int:
        """Remove all entries of these ids and return how many there were."""
        places = [place for place, doc_id in enumerate(self.ids) if doc_id in ids and self._is_there[place]]
        self._is_there[places] = False
        return len(places)

    def near(self, words: Sequence[int], max_distance: int | None) -> list[tuple[int, int]]:
        """Return (entry, distance) of every entry within the distance of one query."""
        if not self.ids:
            return []
        found = near(self._indexed, words, max_distance)
        query = np.array([words], dtype=np.uint64)
        scanned = self._scan(query, self._indexed.radius(len(words), max_distance))
        found += zip(scanned.entry.tolist(), scanned.distance.tolist(), strict=True)
        return [(entry, distance) for entry, distance in found if self._is_there[entry]]

    def matches(self, queries: Words, max_distance: int | None) -> Matches:
        """Return every pair of a query and an entry within the distance."""
        if len(queries) * (len(self.ids) - len(self._indexed)) > _BATCH_COMPARISONS:
            self._indexed = self._index(len(self.ids))
        radius = self._indexed.radius(queries.shape[1], max_distance)
        indexed = self._indexed.matches(queries, max_distance=max_distance)
        found = join_matches([indexed, self._scan(queries, radius)])
        return found.take(self._is_there[found.entry])

    def _index(self, size: int) -> BandIndex:
        """Return an index of the first entries."""
        return BandIndex.build(
            self._words[:size].copy(),
            max_distance=self._max_distance,
            max_total_distance=self._max_total_distance,
        )

    def _scan(self, queries: Words, radius: int) -> Matches:
        """Compare queries with all entries that are not in the index."""
        first = len(self._indexed)
        views = np.ascontiguousarray(queries.T)[:, :, None], np.ascontiguousarray(self.words[first:].T)[:, None, :]
        rule = EdgeRule(radius, self._max_total_distance)
        if len(views[0]) == 1:
            distance = popcount(views[0][0] ^ views[1][0])
            is_near = distance <= radius
        else:
            distance = rule.nearest(*views)
            is_near = (distance <= radius) & rule.is_within_total(*views)
        query, place = is_near.nonzero()
        return Matches(query, place + first, distance[query, place])
