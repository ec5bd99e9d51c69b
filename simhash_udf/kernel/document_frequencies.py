"""In how many documents of a batch each feature occurs."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa

from simhash_udf.kernel.recipe import Recipe
from simhash_udf.kernel.texts import as_strings, read_texts
from simhash_udf.kernel.tokenize import build_tokenizer, reads_raw_text


def document_frequencies(texts: pa.Array | pa.ChunkedArray, recipe: Recipe) -> Counter[str]:
    """Return feature -> number of texts of the batch that have it, for the recipe's first view.

    Features are those that a fingerprint is made of: after synonyms, stop words and n-grams. A null text has none.

    Examples
    --------
    >>> frequencies = document_frequencies(pa.array(["数据 数据", "数据 清洗", None]), Recipe())
    >>> frequencies["数据"], frequencies["清洗"]
    (2, 1)
    """
    view = recipe.views[0]
    tokenize = build_tokenizer(view, recipe)
    found: Counter[str] = Counter()
    read = read_texts(as_strings(texts), recipe)
    for text in read.raw if reads_raw_text(view) else read.normalized:
        found.update(set(tokenize(text.as_py())))
    return found
