"""Inverse document frequencies: the table that comes with jieba, and tables fitted on one's own corpus."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

from simhash_udf.errors import SettingError
from simhash_udf.kernel.recipe import Idf


@lru_cache(maxsize=1)
def jieba_idf() -> Idf:
    """Return jieba's own table of 260,000 words; a word that is not in it has the median of the table."""
    from jieba.analyse.tfidf import DEFAULT_IDF, IDFLoader  # noqa: PLC0415  (half a second, only for this weight)

    frequencies, median = IDFLoader(DEFAULT_IDF).get_idf()
    return Idf(tuple(frequencies), tuple(frequencies.values()), median)


def fit_idf(
    document_frequencies: Mapping[str, int],
    n_documents: int,
    *,
    min_df: int = 1,
    max_df: int | float = 1.0,
    max_features: int | None = None,
) -> Idf:
    """Fit inverse document frequencies: ln((1 + n) / (1 + df)) + 1, which is 1 or more for every term.

    Parameters
    ----------
    document_frequencies
        Term -> number of documents that have it, 1 to `n_documents`.
    n_documents
        Documents in the corpus.
    min_df
        Terms in fewer documents are left out of the table (noise, typing errors).
    max_df
        Terms in more documents have idf 0, which drops them: a count (int) or a share of the documents (float).
    max_features
        At most this many terms are kept, those in most documents, ties in code point order.

    Returns
    -------
    Idf
        Terms in code point order. A term that is not in the table counts like the rarest term in it.

    Raises
    ------
    SettingError
        If a limit or a frequency is out of range.

    Notes
    -----
    The smoothed form of scikit-learn's ``TfidfTransformer``. The plain ln(n / (1 + df)) is negative for a term in every
    document and would turn the votes of that term around.

    Examples
    --------
    >>> fit_idf({"的": 10, "海豚": 1}, 10).values
    (2.7047480922384253, 1.0)
    """
    most = _checked_max_count(max_df, n_documents)
    _require_frequencies(document_frequencies, n_documents)
    if min_df < 1 or (max_features is not None and max_features < 1):
        raise SettingError(f"min_df={min_df} and max_features={max_features} must be 1 or more")
    kept = {term: df for term, df in document_frequencies.items() if min_df <= df <= most}
    if max_features is not None:
        kept = dict(sorted(kept.items(), key=lambda item: (-item[1], item[0]))[:max_features])
    idf = {term: _smoothed_idf(df, n_documents) for term, df in kept.items()}
    default = max(idf.values(), default=1.0)
    idf.update({term: 0.0 for term, df in document_frequencies.items() if df > most})
    terms = tuple(sorted(idf))
    return Idf(terms, tuple(idf[term] for term in terms), default)


def _smoothed_idf(df: int, n_documents: int) -> float:
    return math.log((1 + n_documents) / (1 + df)) + 1


def _checked_max_count(max_df: int | float, n_documents: int) -> float:
    """Turn max_df, a count or a share, into a count."""
    if isinstance(max_df, float):
        if not 0 < max_df <= 1:
            raise SettingError(f"max_df={max_df} must be a share above 0 and up to 1.0, or a whole number of documents")
        return max_df * n_documents
    if max_df < 1:
        raise SettingError(f"max_df={max_df} must be 1 document or more, or a share above 0 and up to 1.0")
    return max_df


def _require_frequencies(document_frequencies: Mapping[str, int], n_documents: int) -> None:
    for term, df in document_frequencies.items():
        if not 1 <= df <= n_documents:
            raise SettingError(
                f"document frequency of {term!r} is {df}; with {n_documents} documents it must be 1 to that"
            )
