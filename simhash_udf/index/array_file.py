"""Many arrays in one file, mapped into memory when it is read: no byte is loaded before it is asked for."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# A cache line, and as much as any of our types needs.
_ALIGNMENT = 64
_HEADER = b"simhash arrays 1".ljust(_ALIGNMENT, b"\0")


def write_arrays(path: Path, arrays: Sequence[NDArray[Any]]) -> list[dict[str, Any]]:
    """Write arrays one after another, little-endian, and return where each lies as plain JSON."""
    places: list[dict[str, Any]] = []
    with path.open("wb") as file:
        offset = file.write(_HEADER)
        for array in arrays:
            dtype = array.dtype.newbyteorder("<")
            places.append({"offset": offset, "dtype": dtype.str, "shape": list(array.shape)})
            content = np.ascontiguousarray(array, dtype=dtype)
            if content.nbytes:
                file.write(content.data)
            offset += content.nbytes + file.write(bytes(-content.nbytes % _ALIGNMENT))
    return places


def map_arrays(path: Path, places: Sequence[dict[str, Any]]) -> list[NDArray[Any]]:
    """Return the arrays of a file, read-only; the file may be removed while they are in use.

    Raises
    ------
    ValueError
        The file is no file of arrays, or shorter than the places say.
    """
    content = map_file(path)
    if content[: len(_HEADER)] != _HEADER:
        raise ValueError(f"{path} is no file of arrays")
    return [_array(content, place) for place in places]


def map_file(path: Path) -> mmap.mmap:
    """Return the content of a file, of which no page is read yet; Arrow's own mapping reads them all at once."""
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _array(content: mmap.mmap, place: dict[str, Any]) -> NDArray[Any]:
    """Return one array as a view of the file."""
    dtype, shape = np.dtype(place["dtype"]), tuple(place["shape"])
    if not prod(shape):
        return np.empty(shape, dtype=dtype)
    return np.frombuffer(content, dtype=dtype, count=prod(shape), offset=place["offset"]).reshape(shape)
