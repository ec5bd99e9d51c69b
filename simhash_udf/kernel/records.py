"""Records of a band: rows of 64-bit words, one column a view, sorted by one of the columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.runs import find_runs

Words = NDArray[np.uint64]


def sort_distinct(words: Words, view: int = 0) -> Words:
    """Return the distinct rows, ordered by the column of that view.

    Parameters
    ----------
    words : ndarray of uint64, shape (n, r)
    view : int
        The column to sort by; rows equal in it stand in an order of their own, always the same.

    Returns
    -------
    ndarray of uint64, shape (m, r), m <= n
        A new array.
    """
    if words.shape[1] == 1:
        column = np.sort(words[:, 0])
        return _drop_repeats(column).reshape(-1, 1)
    words = words[np.argsort(words[:, view])]
    runs = find_runs(words[:, view], 64)
    if not len(runs.start):
        return words
    # Only rows that are equal in the sorted column can be equal in all: a full sort of those few.
    places = runs.positions()
    others = [column for column in range(words.shape[1]) if column != view]
    tied = words[places]
    words[places] = tied[np.lexsort([tied[:, column] for column in [*others, view]])]
    is_new: NDArray[np.bool_] = np.append(True, np.any(words[1:] != words[:-1], axis=1))
    distinct: Words = words[is_new]
    return distinct


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


def _drop_repeats(column: Words) -> Words:
    """Return a sorted column without its repeats; itself where there are none."""
    is_new = column[1:] != column[:-1]
    return column if np.all(is_new) else column[np.append(True, is_new)]
