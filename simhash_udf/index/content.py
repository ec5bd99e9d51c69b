"""What an index is built of: ids, the bands of their fingerprints, and how texts are read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simhash_udf.errors import InputError
from simhash_udf.index.ids import as_ids
from simhash_udf.index.items import read_items
from simhash_udf.index.text_reader import TextReader
from simhash_udf.kernel.band_index import BandIndex

Words = NDArray[np.uint64]

EXPECTED_QUERIES = 100_000
"""Queries that an index should be built for: few blocks make it small, quick to build, and quick for a single query."""


@dataclass(frozen=True)
class Rules:
    """When an entry is near, and how the bits are cut.

    Parameters
    ----------
    max_distance
        k.
    max_total_distance
        Largest sum over the views; 8 a view where it is None.
    num_blocks
        b; chosen where it is None.
    """

    max_distance: int
    max_total_distance: int | None = None
    num_blocks: int | None = None


@dataclass(frozen=True)
class Content:
    """Entries that do not change.

    Parameters
    ----------
    ids
        One for each entry.
    bands
        Their fingerprints.
    rules
        By which the bands were built.
    reader
        How a text gets its fingerprint.
    """

    ids: pa.Array
    bands: BandIndex
    rules: Rules
    reader: TextReader

    def with_entries(self, ids: pa.Array, words: Words) -> Content:
        """Return other entries, built in the same way."""
        return replace(self, ids=ids, bands=build_bands(words, self.rules))


def build_content(ids: Any, items: Any, rules: Rules, reader: TextReader) -> Content:
    """Build what a user asks to be indexed; items without a fingerprint are left out.

    Raises
    ------
    SettingError, InputError
        See `FingerprintIndex.build`.
    """
    if not hasattr(items, "__len__"):
        items = list(items)
    num_views = _num_views(items) if reader.recipe is None else len(reader.recipe.views)
    content = Content(as_ids([]), build_bands(np.empty((0, num_views), dtype=np.uint64), rules), rules, reader)
    return content.with_entries(*read_entries(ids, items, content))


def read_entries(ids: Any, items: Any, content: Content, id_type: pa.DataType | None = None) -> tuple[pa.Array, Words]:
    """Return ids and words of those items that have a fingerprint, of the type and the views that the content has.

    Raises
    ------
    InputError
        Ids are not one for each item, or of another type; an item is no fingerprint.
    """
    new_ids = as_ids(ids, id_type)
    words, has_value = read_items(items, len(content.bands.views), content.reader)
    if len(new_ids) != len(words):
        raise InputError(f"{len(new_ids)} ids for {len(words)} fingerprints; give one id for each")
    if has_value.all():
        return new_ids, words
    return new_ids.filter(pa.array(has_value)), words[has_value]


def build_bands(words: Words, rules: Rules) -> BandIndex:
    """Index the words by the rules."""
    return BandIndex.build(
        words,
        max_distance=rules.max_distance,
        max_total_distance=rules.max_total_distance,
        num_blocks=rules.num_blocks,
        expected_queries=EXPECTED_QUERIES,
    )


def _num_views(items: Any) -> int:
    """Return how many views the first fingerprint has, 1 where there is none."""
    if isinstance(items, np.ndarray):
        return items.shape[1] if items.ndim == 2 else 1
    if isinstance(items, pa.Array | pa.ChunkedArray):
        return len(items.drop_null()[0]) if pa.types.is_nested(items.type) and len(items.drop_null()) else 1
    return next((len(item) for item in islice(items, 1) if hasattr(item, "__len__") and not isinstance(item, str)), 1)
