"""Many ranges of places as one list, a bounded piece at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]


def expand_ranges(start: Index, length: Index, piece: int) -> Iterator[tuple[Index, Index]]:
    """Yield every place of every range, and which range it is in, at most `piece` places at a time.

    Parameters
    ----------
    start, length : ndarray of int64, shape (m,)
        First place and number of places of each range; a range may be empty, or longer than a piece.
    piece : int
        Most places to yield at once; memory grows with it alone.

    Yields
    ------
    which, place : ndarray of int64
        Position in `start`, ascending, and place.

    Examples
    --------
    >>> import numpy as np
    >>> pieces = expand_ranges(np.array([10, 0, 50]), np.array([2, 0, 3]), 4)
    >>> [(which.tolist(), place.tolist()) for which, place in pieces]
    [([0, 0, 2, 2], [10, 11, 50, 51]), ([2], [52])]
    """
    ends = np.cumsum(length)
    total = int(ends[-1]) if len(ends) else 0
    for begin in range(0, total, piece):
        end = min(begin + piece, total)
        first, last = np.searchsorted(ends, [begin, end - 1], side="right").tolist()
        inside = ends[first : last + 1]
        # Of the first and the last range only the part that falls into this piece.
        ends_here = np.minimum(inside, end) - begin
        counts = np.diff(ends_here, prepend=0)
        offsets = start[first : last + 1] - (inside - length[first : last + 1]) + begin
        yield np.repeat(np.arange(first, last + 1), counts), np.arange(end - begin) + np.repeat(offsets, counts)
