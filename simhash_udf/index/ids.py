"""Document ids as Arrow arrays, whatever type they are of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from simhash_udf.errors import InputError


def as_ids(values: pa.Array | pa.ChunkedArray | Iterable[Any], id_type: pa.DataType | None = None) -> pa.Array:
    """Return ids as one Arrow array; strings with 64-bit offsets, as 32 bits end at 2 GB of them.

    Parameters
    ----------
    values
        An Arrow array, a NumPy array, or any values of one type.
    id_type
        The type that they must have; unless given, that of the values.

    Raises
    ------
    InputError
        A null, values of several types or of another type than asked for, or a type whose values have no order.

    Examples
    --------
    >>> as_ids(["a", "b"]).type, as_ids([3, 1]).type
    (DataType(large_string), DataType(int64))
    """
    try:
        ids = _array(values, id_type)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        wanted = f"all of the type {id_type}" if id_type else "of one type"
        raise InputError(f"document ids must be {wanted}: {error}") from None
    if ids.null_count:
        raise InputError(f"{ids.null_count} document ids are null; leave these documents out, or give them ids")
    if pa.types.is_nested(ids.type):
        raise InputError(f"document ids of the type {ids.type} have no order; use integers or strings")
    return ids


def _array(values: pa.Array | pa.ChunkedArray | Iterable[Any], id_type: pa.DataType | None) -> pa.Array:
    """Convert to one array of the type."""
    ids: Any = values
    if not isinstance(ids, pa.Array | pa.ChunkedArray):
        ids = pa.array(values if hasattr(values, "__array__") else list(values), id_type)
    wanted = id_type or _wide_type(ids.type)
    if ids.type != wanted:
        ids = ids.cast(wanted)
    return ids.combine_chunks() if isinstance(ids, pa.ChunkedArray) else ids


def _wide_type(found: pa.DataType) -> pa.DataType:
    """Return the type in which ids of that type are kept."""
    if pa.types.is_dictionary(found):
        found = found.value_type
    # By name, as Arrow before 16 knows no views.
    wide = {"string": pa.large_string(), "string_view": pa.large_string()}
    wide |= {"binary": pa.large_binary(), "binary_view": pa.large_binary()}
    return wide.get(str(found), found)
