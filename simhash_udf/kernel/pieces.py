"""Slices of an Arrow array of texts, so that the memory of what is made of them stays bounded."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def piece_bounds(texts: pa.Array, piece_bytes: int) -> list[tuple[int, int]]:
    """Bounds of slices of an array of strings: each has `piece_bytes` of UTF-8 and at most one text more.

    Examples
    --------
    >>> piece_bounds(pa.array(["ab", "c", None, "def"]), 2)
    [(0, 1), (1, 4)]
    >>> piece_bounds(pa.array([], pa.string()), 2)
    []
    """
    sizes = pc.fill_null(pc.binary_length(texts), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    slot = (np.cumsum(sizes) - sizes) // piece_bytes
    starts = np.flatnonzero(np.diff(slot, prepend=-1)).tolist()
    return list(pairwise([*starts, len(texts)]))
