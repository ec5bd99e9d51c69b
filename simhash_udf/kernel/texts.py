"""An Arrow batch of texts, normalised once, with what is recorded about each text beside its fingerprint."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simhash_udf.errors import InputError
from simhash_udf.kernel.hashing import text_digests
from simhash_udf.kernel.normalize import normalize
from simhash_udf.kernel.recipe import Recipe


@dataclass(frozen=True)
class ReadTexts:
    """n texts, ready to be tokenised.

    Parameters
    ----------
    normalized, raw
        Arrow strings ``(n,)``, cut to `Recipe.max_chars` and without nulls (a null is empty).
    length
        ``int32``: characters in `normalized`.
    digest
        ``int64``: digest of the normalised text before any cut; if that is empty, of the text with its punctuation
        kept, so that "！！！" and an emoji differ while "" and a blank agree; 0 for null.
    is_cut
        Whether `Recipe.max_chars` took something off.
    """

    normalized: pa.Array
    raw: pa.Array
    length: NDArray[np.int32]
    digest: NDArray[np.int64]
    is_cut: NDArray[np.bool_]


def as_strings(texts: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return the texts as one Arrow array of strings, whichever of Arrow's string types (or all null) they came in.

    Raises
    ------
    InputError
        If they are of another type.
    """
    array = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    if array.type in (pa.string(), pa.large_string()):
        return array
    if pa.types.is_null(array.type) or str(array.type) == "string_view" or pa.types.is_dictionary(array.type):
        return array.cast(pa.large_string())
    raise InputError(f"texts must be strings, got {array.type}; decode or cast the column first")


def read_texts(texts: pa.Array, recipe: Recipe) -> ReadTexts:
    """Normalise texts and record length, digest and cut of each."""
    whole = normalize(texts, recipe.normalization)
    digest = text_digests(whole)
    is_empty = pc.fill_null(pc.equal(pc.binary_length(whole), 0), False).to_numpy(zero_copy_only=False)
    if is_empty.any():
        with_punctuation = replace(recipe.normalization, keep_punctuation=True)
        digest[is_empty] = text_digests(normalize(texts.filter(pa.array(is_empty)), with_punctuation))
    normalized, is_cut = _cut(pc.fill_null(whole, ""), recipe.max_chars)
    raw, _ = _cut(pc.fill_null(texts, ""), recipe.max_chars)
    length = pc.utf8_length(normalized).to_numpy(zero_copy_only=False).astype(np.int32)
    return ReadTexts(normalized, raw, length, digest, is_cut)


def _cut(texts: pa.Array, max_chars: int | None) -> tuple[pa.Array, NDArray[np.bool_]]:
    """Keep the first `max_chars` characters, and say which texts had more."""
    if max_chars is None:
        return texts, np.zeros(len(texts), dtype=np.bool_)
    is_cut = pc.greater(pc.utf8_length(texts), max_chars).to_numpy(zero_copy_only=False)
    return pc.utf8_slice_codeunits(texts, 0, max_chars), is_cut
