"""A step of normalisation that works character by character, as one table lookup for a whole Arrow array.

NFKC, lower case and the removal of punctuation treat nearly every character by itself. For those the result is looked
up in a table that the step itself has filled in, so table and step cannot differ; a text with any other character (a
combining mark, say, which joins the letter before it) goes through the step.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simhash_udf.kernel.pieces import piece_bounds

Step = Callable[[pa.Array], pa.Array]

_CODE_POINTS = 0x30000
"""Planes 0 to 2 of Unicode: all living scripts, emoji, rare Han characters."""

_NOT_ALONE = 0x110000  # beyond the last code point
_SPACE = 0x20
_PIECE_BYTES = 1 << 18  # the arrays made of it stay in the cache of a core

# Combine with a neighbour: marks with what is before them, Hangul's parts with one another.
_JOINING = r"[\p{M}\x{1100}-\x{11FF}\x{A960}-\x{A97F}\x{D7B0}-\x{D7FF}]"


class CharacterTable:
    """The fast form of a step.

    Parameters
    ----------
    step
        Arrow strings to Arrow strings. It must replace characters one by one except for those that join others, make
        every run of characters it takes for blanks one space, and take spaces off both ends.

    Notes
    -----
    Filling the table takes about 0.2 s, once a process.
    """

    def __init__(self, step: Step) -> None:
        self._step = step
        self._table = _fill(step)
        self._widths = _utf8_widths(np.where(self._table == _NOT_ALONE, _SPACE, self._table))

    def __call__(self, texts: pa.Array) -> pa.Array:
        """Apply the step to Arrow strings; null stays null."""
        filled = pc.fill_null(texts, "")
        parts = [self._look_up(filled.slice(start, end - start)) for start, end in piece_bounds(filled, _PIECE_BYTES)]
        if not parts:
            return texts
        result = pa.concat_arrays([part for part, _ in parts])
        by_step = pa.array(np.concatenate([needs_step for _, needs_step in parts]))
        if pc.any(by_step).as_py():  # in one go, as a step has a price a call
            result = pc.replace_with_mask(result, by_step, self._step(filled.filter(by_step)).cast(result.type))
        return pc.if_else(texts.is_valid(), result, None) if texts.null_count else result

    def _look_up(self, texts: pa.Array) -> tuple[pa.Array, NDArray[np.bool_]]:
        """Give the result of every text, and which of them need the step instead."""
        points, starts = code_points(texts)
        found = np.minimum(points, _CODE_POINTS)
        mapped = self._table.take(found)
        is_kept = _without_repeated_spaces(mapped, starts)
        sizes = _sums(self._widths.take(found) * is_kept, starts)
        needs_step = _has_any(mapped == _NOT_ALONE, starts)
        return pc.ascii_trim(_strings(mapped[is_kept], sizes, texts.type), " "), needs_step


def _fill(step: Step) -> NDArray[np.uint32]:
    """What the step makes of each code point; `_NOT_ALONE` where that is not one character, or depends on others."""
    alone = np.r_[0:0xD800, 0xE000:_CODE_POINTS]  # surrogates are no characters
    characters = pa.array(list(alone.astype("<u4").tobytes().decode("utf-32-le")))
    made = step(pc.binary_join_element_wise("x", characters, "x", ""))
    joins = pc.or_(pc.match_substring_regex(characters, _JOINING), pc.match_substring_regex(made, _JOINING))
    is_one = pc.and_not(pc.equal(pc.utf8_length(made), 3), joins).to_numpy(zero_copy_only=False)
    table = np.full(_CODE_POINTS + 1, _NOT_ALONE, dtype=np.uint32)
    middle = "".join(pc.utf8_slice_codeunits(made.filter(pa.array(is_one)), 1, 2).to_pylist())
    table[alone[is_one]] = np.frombuffer(middle.encode("utf-32-le"), dtype="<u4")
    return table


def _utf8_widths(points: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Bytes of each code point in UTF-8."""
    return (1 + np.searchsorted([0x80, 0x800, 0x10000], points, side="right")).astype(np.uint8)


def code_points(texts: pa.Array) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Decode Arrow strings without nulls.

    Returns
    -------
    numpy.ndarray
        ``uint32``: all code points, one text after another.
    numpy.ndarray
        ``int64`` ``(n,)``: where each text starts.

    Examples
    --------
    >>> [array.tolist() for array in code_points(pa.array(["ab", "", "中"]))]
    [[97, 98, 20013], [0, 2, 2]]
    """
    lengths = pc.utf8_length(texts).to_numpy(zero_copy_only=False).astype(np.int64)
    offset_type = np.int32 if pa.types.is_string(texts.type) else np.int64
    offsets = np.frombuffer(texts.buffers()[1], dtype=offset_type)[texts.offset : texts.offset + len(texts) + 1]
    data = memoryview(texts.buffers()[2] or b"")[offsets[0] : offsets[-1]]
    return np.frombuffer(str(data, "utf-8").encode("utf-32-le"), dtype="<u4"), np.cumsum(lengths) - lengths


def _without_repeated_spaces(points: NDArray[np.uint32], starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which characters to keep: of each run of spaces the first, and none at the start of a text."""
    is_word: NDArray[np.bool_] = points != _SPACE
    is_kept: NDArray[np.bool_] = is_word.copy()
    is_kept[1:] |= is_word[:-1]
    first = starts[starts < len(points)]
    is_kept[first] = is_word[first]
    return is_kept


def _sums(values: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sum of the values of each text."""
    sums = np.zeros(len(starts), dtype=np.int64)
    has_text = np.diff(starts, append=len(values)) > 0
    if has_text.any():
        sums[has_text] = np.add.reduceat(values, starts[has_text], dtype=np.int64)
    return sums


def _has_any(is_set: NDArray[np.bool_], starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Say which texts have a character that is set."""
    has_any = np.zeros(len(starts), dtype=np.bool_)
    has_any[np.searchsorted(starts, np.flatnonzero(is_set), side="right") - 1] = True
    return has_any


def _strings(points: NDArray[np.uint32], sizes: NDArray[np.int64], kind: pa.DataType) -> pa.Array:
    """Arrow strings of the given sizes in bytes from their code points."""
    points[points == _NOT_ALONE] = _SPACE  # any character of its width will do, as the text is replaced later
    offsets = np.zeros(len(sizes) + 1, dtype=np.int32 if pa.types.is_string(kind) else np.int64)
    np.cumsum(sizes, out=offsets[1:])
    utf8 = points.tobytes().decode("utf-32-le").encode("utf-8")
    return pa.Array.from_buffers(kind, len(sizes), [None, pa.py_buffer(offsets), pa.py_buffer(utf8)])
