"""What a user may ask for or add: texts and fingerprints, one or many, made into rows of 64-bit words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simhash_udf.errors import InputError
from simhash_udf.kernel.layout import BITS

Words = NDArray[np.uint64]
Mask = NDArray[np.bool_]
Item: TypeAlias = str | int | Sequence[int] | NDArray[Any] | None
"""A text, or a fingerprint: an integer, unsigned or as BIGINT holds it; with several views a sequence of them."""
Items: TypeAlias = Iterable[Item] | NDArray[Any] | pa.Array | pa.ChunkedArray
Read = tuple[Words, Mask]
"""Words, and which rows have a fingerprint: not a null, nor a text without features."""


def as_word(value: Any) -> int:
    """Return a fingerprint as an unsigned integer.

    Examples
    --------
    >>> as_word(-1) == 2**64 - 1
    True
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise InputError(f"{value!r} is no fingerprint: give an integer of {BITS} bits, or a text")
    number = int(value)
    if not -(1 << (BITS - 1)) <= number < 1 << BITS:
        raise InputError(f"{number} does not fit in the {BITS} bits of a fingerprint")
    return number & ((1 << BITS) - 1)


def row_of(item: Item, num_views: int) -> list[int]:
    """Return the words of one fingerprint.

    Raises
    ------
    InputError
        It is none, or has another number of views.
    """
    values = list(item) if isinstance(item, Sequence | np.ndarray) else [item]
    if len(values) != num_views:
        raise InputError(
            f"a fingerprint has {len(values)} views, those of the index {num_views}; give one integer each"
        )
    return [as_word(value) for value in values]


def read_items(items: Items, num_views: int, fingerprint: Callable[[Any], Read]) -> Read:
    """Return the words of many texts, fingerprints or both.

    Parameters
    ----------
    items
        A NumPy array of integers ``(m,)`` or ``(m, r)``; an Arrow array of strings, integers, or lists of integers; or
        texts, fingerprints and None in any mixture.
    num_views
        r.
    fingerprint
        Makes the words of texts.

    Raises
    ------
    InputError
        An item is none of these, or has another number of views.
    """
    if isinstance(items, pa.Array | pa.ChunkedArray):
        return _from_arrow(items, num_views, fingerprint)
    if isinstance(items, np.ndarray) and np.issubdtype(items.dtype, np.integer):
        return _from_numpy(items, num_views)
    items = list(items)
    is_text = np.array([isinstance(item, str) for item in items], dtype=np.bool_)
    has_value = np.array([item is not None for item in items], dtype=np.bool_)
    words = np.zeros((len(items), num_views), dtype=np.uint64)
    rows = [row_of(item, num_views) for item in items if item is not None and not isinstance(item, str)]
    words[has_value & ~is_text] = np.array(rows, dtype=np.uint64).reshape(-1, num_views)
    if is_text.any():
        words[is_text], has_value[is_text] = fingerprint([item for item in items if isinstance(item, str)])
    return words, has_value


def _from_numpy(items: NDArray[Any], num_views: int) -> Read:
    """Return integers of any size as words; their sign is extended."""
    is_signed = np.issubdtype(items.dtype, np.signedinteger)
    wide = items.astype(np.int64).view(np.uint64) if is_signed else items.astype(np.uint64)
    words = wide.reshape(-1, 1) if wide.ndim == 1 else wide
    if words.ndim != 2 or words.shape[1] != num_views:
        raise InputError(f"fingerprints have the shape {items.shape}, those of the index are (m, {num_views})")
    return words, np.ones(len(words), dtype=np.bool_)


def _from_arrow(items: pa.Array | pa.ChunkedArray, num_views: int, fingerprint: Callable[[Any], Read]) -> Read:
    """Return the words of a column."""
    if isinstance(items, pa.ChunkedArray):
        items = items.combine_chunks()
        if isinstance(items, pa.ChunkedArray):  # more than 2 GB of strings stay in chunks
            parts = [_from_arrow(chunk, num_views, fingerprint) for chunk in items.chunks]
            return np.concatenate([words for words, _ in parts]), np.concatenate([mask for _, mask in parts])
    if pa.types.is_string(items.type) or pa.types.is_large_string(items.type):
        return fingerprint(items)
    has_value = np.asarray(items.is_valid())
    values, present = items, items.drop_null()
    if pa.types.is_list(items.type) or pa.types.is_large_list(items.type):
        lengths = np.asarray(present.value_lengths())
        values = present.flatten()
        if np.any(lengths != num_views):
            raise InputError(f"some fingerprints have {int(lengths[lengths != num_views][0])} views, not {num_views}")
    else:
        values = present
    if not pa.types.is_integer(values.type) or values.null_count:
        raise InputError(f"a column of type {items.type} holds no fingerprints; give integers, or texts")
    words = np.zeros((len(items), num_views), dtype=np.uint64)
    words[has_value], _ = _from_numpy(np.asarray(values).reshape(len(present), -1), num_views)
    return words, has_value
