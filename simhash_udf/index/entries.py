"""The entries of an index: those it was built or opened with, less what was removed, and what was added since."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simhash_udf.index.additions import Additions
from simhash_udf.index.content import Content
from simhash_udf.index.ids import as_ids
from simhash_udf.kernel.band_index import Matches
from simhash_udf.kernel.single_query import near

Words = NDArray[np.uint64]

# Up to here looking up id by id is quicker than one call for all.
_FEW_IDS = 12

QUERY, DOC_ID, DISTANCE = "query", "doc_id", "distance"


class Entries:
    """Entries that change.

    Parameters
    ----------
    content
        What was built or opened; it stays as it is.
    """

    def __init__(self, content: Content) -> None:
        self.content = content
        self.id_type: pa.DataType | None = None if pa.types.is_null(content.ids.type) else content.ids.type
        bands = content.bands
        self._additions = Additions(len(bands.views), bands.max_distance, bands.max_total_distance)
        self._is_removed: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        num_removed = 0 if self._is_removed is None else int(np.count_nonzero(self._is_removed))
        return len(self.content.ids) - num_removed + int(np.count_nonzero(self._additions.is_there))

    @property
    def is_changed(self) -> bool:
        """Whether anything was added or removed."""
        return self._is_removed is not None or len(self._additions.ids) > 0

    def near(self, row: Sequence[int], max_distance: int | None) -> Iterator[tuple[Any, int]]:
        """Yield id and distance of every entry within the distance of one fingerprint."""
        found = near(self.content.bands, row, max_distance)
        if self._is_removed is not None:
            found = [(entry, distance) for entry, distance in found if not self._is_removed[entry]]
        if len(found) > _FEW_IDS:
            entries, distances = zip(*found, strict=True)
            yield from zip(self.content.ids.take(pa.array(entries)).to_pylist(), distances, strict=True)
        else:
            for entry, distance in found:
                yield self.content.ids[entry].as_py(), distance
        for entry, distance in self._additions.near(row, max_distance):
            yield self._additions.ids[entry], distance

    def matches(self, words: Words, max_distance: int | None) -> pa.Table:
        """Return ``query``, ``doc_id``, ``distance`` of every entry within the distance of many fingerprints."""
        found = self.content.bands.matches(words, max_distance=max_distance)
        if self._is_removed is not None:
            found = found.take(~self._is_removed[found.entry])
        added = self._additions.matches(words, max_distance)
        added_ids = pa.array([self._additions.ids[entry] for entry in added.entry.tolist()], self.id_type)
        ids = self.content.ids.take(pa.array(found.entry)).cast(added_ids.type)
        return pa.concat_tables([_table(found, ids), _table(added, added_ids)])

    def extend(self, ids: pa.Array, words: Words) -> None:
        """Add entries."""
        if len(ids):
            self.id_type = ids.type
        self._additions.extend(ids.to_pylist(), words)

    def remove(self, ids: pa.Array) -> int:
        """Remove all entries of these ids, and return how many there were."""
        num_removed = self._additions.remove(set(ids.to_pylist()))
        if len(self.content.ids) and len(ids):
            is_gone = pc.is_in(self.content.ids, value_set=ids).to_numpy(zero_copy_only=False)
            if self._is_removed is not None:
                is_gone &= ~self._is_removed
            if newly := int(np.count_nonzero(is_gone)):
                self._is_removed = is_gone if self._is_removed is None else self._is_removed | is_gone
                num_removed += newly
        return num_removed

    def merged(self) -> Content:
        """Return all entries as content, built anew if anything was changed."""
        if not self.is_changed:
            return self.content
        kept_ids, kept = self.content.ids, self.content.bands.words
        if self._is_removed is not None:
            kept_ids, kept = kept_ids.filter(pa.array(~self._is_removed)), kept[~self._is_removed]
        is_there = self._additions.is_there
        added_ids = as_ids(pa.array(self._additions.ids, self.id_type), self.id_type).filter(pa.array(is_there))
        ids = pa.concat_arrays([kept_ids.cast(added_ids.type), added_ids])
        return self.content.with_entries(ids, np.concatenate([kept, self._additions.words[is_there]]))


def _table(found: Matches, ids: pa.Array) -> pa.Table:
    return pa.table({QUERY: found.query, DOC_ID: ids, DISTANCE: found.distance})
