"""Runs of consecutive tokens as features."""

from __future__ import annotations

from collections.abc import Collection, Sequence

SEPARATOR = " "
"""Between the tokens of an n-gram; no token holds white space, so different tokens never make the same n-gram."""


def build_ngrams(tokens: Sequence[str], sizes: Collection[int], separator: str = SEPARATOR) -> list[str]:
    """Return the n-grams of all sizes, smaller ones first, each size in order of position.

    A size larger than the number of tokens gives the one n-gram of all tokens (once, however many such sizes there
    are), so a short text still has a feature of its own.

    Examples
    --------
    >>> build_ngrams(["数据", "清洗", "流程"], (1, 2))
    ['数据', '清洗', '流程', '数据 清洗', '清洗 流程']
    >>> build_ngrams(["你好", "世界"], (3,))
    ['你好 世界']
    """
    ngrams: list[str] = []
    for size in sorted({min(size, len(tokens)) for size in sizes}):
        starts = range(len(tokens) - size + 1) if size else ()
        ngrams += tokens if size == 1 else [separator.join(tokens[start : start + size]) for start in starts]
    return ngrams
