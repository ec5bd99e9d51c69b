"""Slices of an Arrow array of texts, so that the memory of what is made of them stays bounded."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def pieces(texts: pa.Array, piece_bytes: int) -> Iterator[pa.Array]:
    """Slice an array of strings in order: each slice has `piece_bytes` of UTF-8 and at most one text more.

    Examples
    --------
    >>> [piece.to_pylist() for piece in pieces(pa.array(["ab", "c", None, "def"]), 2)]
    [['ab'], ['c', None, 'def']]
    """
    sizes = pc.fill_null(pc.binary_length(texts), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    slot = (np.cumsum(sizes) - sizes) // piece_bytes
    starts = np.flatnonzero(np.diff(slot, prepend=-1)).tolist()
    ends = [*starts[1:], len(texts)]
    for start, end in zip(starts, ends, strict=False):  # no start: no text, no slice
        yield texts.slice(start, end - start)
