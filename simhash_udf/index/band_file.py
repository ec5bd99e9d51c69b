"""An index of the kernel as a list of arrays and a description of which is what, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.band_index import BandIndex, ViewIndex
from simhash_udf.kernel.key_table import KeyTable

Arrays = list[NDArray[Any]]


def take_apart(index: BandIndex) -> tuple[dict[str, Any], Arrays]:
    """Return a description as plain JSON, in which arrays stand as their numbers, and the arrays.

    Examples
    --------
    >>> index = BandIndex.build(np.array([[5], [7]], dtype=np.uint64), max_distance=1)
    >>> again = put_together(*take_apart(index))
    >>> again.matches(np.array([[5]], dtype=np.uint64)).entry.tolist()
    [0, 1]
    """
    arrays: Arrays = []

    def number(array: NDArray[Any]) -> int:
        arrays.append(array)
        return len(arrays) - 1

    def table(part: KeyTable) -> dict[str, Any]:
        return {
            "mask": part.mask,
            "must_differ": list(part.must_differ),
            "words": number(part.words),
            "rows": number(part.rows),
            "starts": number(part.starts),
            "passes": number(part.passes),
            "hot_keys": number(part.hot_keys),
            "hot_tables": [[table(inner) for inner in tables] for tables in part.hot_tables],
        }

    def view(part: ViewIndex) -> dict[str, Any]:
        return {
            "tables": [table(inner) for inner in part.tables],
            "starts": number(part.starts),
            "members": number(part.members),
        }

    description = {
        "max_distance": index.max_distance,
        "max_total_distance": index.max_total_distance,
        "words": number(index.words),
        "views": [view(part) for part in index.views],
    }
    return description, arrays


def put_together(description: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> BandIndex:
    """Return the index that `take_apart` took apart, over these arrays themselves."""

    def table(part: dict[str, Any]) -> KeyTable:
        return KeyTable(
            mask=part["mask"],
            must_differ=tuple(part["must_differ"]),
            words=arrays[part["words"]],
            rows=arrays[part["rows"]],
            starts=arrays[part["starts"]],
            passes=arrays[part["passes"]],
            hot_keys=arrays[part["hot_keys"]],
            hot_tables=tuple(tuple(table(inner) for inner in tables) for tables in part["hot_tables"]),
        )

    views = tuple(
        ViewIndex(tuple(table(inner) for inner in part["tables"]), arrays[part["starts"]], arrays[part["members"]])
        for part in description["views"]
    )
    words: NDArray[np.uint64] = arrays[description["words"]]
    return BandIndex(words, description["max_distance"], description["max_total_distance"], views)
