"""Single words, as in a dictionary or a list of stop words, in the form they have in a normalised text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from simhash_udf.kernel.normalize import normalize
from simhash_udf.kernel.recipe import Normalization


def normalize_words(words: Sequence[str], options: Normalization, *, keep_punctuation: bool = True) -> list[str]:
    """Return the words in the form they have in a normalised text, by default with their punctuation.

    Examples
    --------
    >>> normalize_words(["Ｃ＋＋", "Python"], Normalization())
    ['c++', 'python']
    """
    if not words:
        return []
    form = replace(options, keep_punctuation=keep_punctuation, strip_html=False, strip_urls=False)
    normal: list[str] = normalize(pa.array(words, pa.string()), form).to_pylist()
    return normal
