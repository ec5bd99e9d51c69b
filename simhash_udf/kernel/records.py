"""Records of a band: rows of 64-bit words, one column a view, sorted by one of the columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.runs import find_runs

Words = NDArray[np.uint64]
Index = NDArray[np.int64]


def sort_distinct(words: Words) -> Words:
    """Return the distinct rows, ordered by the first column.

    Parameters
    ----------
    words : ndarray of uint64, shape (n, r)

    Returns
    -------
    ndarray of uint64, shape (m, r), m <= n
        A new array.
    """
    column, rows = distinct_rows(words, 0)
    return words[rows] if len(rows) else column.reshape(-1, words.shape[1])


def distinct_rows(words: Words, view: int) -> tuple[Words, Index]:
    """Return one column ascending, and which row each of its words is from, without the repeats of whole rows.

    Parameters
    ----------
    words : ndarray of uint64, shape (n, r)
    view : int
        The column.

    Returns
    -------
    column : ndarray of uint64, shape (m,), m <= n
    rows : ndarray of int64, shape (m,)
        Empty for r = 1, where the word is the row.
    """
    if words.shape[1] == 1:
        column = np.sort(words[:, 0])
        is_new = column[1:] != column[:-1]
        return column if np.all(is_new) else column[np.append(True, is_new)], np.empty(0, dtype=np.int64)
    column = np.ascontiguousarray(words[:, view])
    rows = np.argsort(column)
    column = column[rows]
    # Only rows that are equal in the sorted column can be equal in all: a full sort of those few.
    places = find_runs(column, 64).positions()
    tied = words[rows[places]]
    others = [tied[:, other] for other in range(words.shape[1]) if other != view]
    order = np.lexsort([*others, column[places]])
    rows[places] = rows[places][order]
    is_kept = np.ones(len(rows), dtype=np.bool_)
    tied = tied[order]
    is_kept[places[1:]] = np.any(tied[1:] != tied[:-1], axis=1)
    return column[is_kept], rows[is_kept]


def sort_by(words: Words, view: int) -> Words:
    """Return the rows ordered by the column of that view; the order of rows equal in it is left open."""
    if words.shape[1] == 1:
        return np.sort(words, axis=0)
    return words[np.argsort(words[:, view])]


def replace_column(words: Words, view: int, column: Words) -> Words:
    """Return the rows with another column for that view; a new array unless it is the only one."""
    if words.shape[1] == 1:
        return column.reshape(-1, 1)
    words = words.copy()
    words[:, view] = column
    return words
