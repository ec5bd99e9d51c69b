"""What every segmenter of Chinese offers, and the rules of jieba that both engines share."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from typing import Protocol

HAN = "\u4e00-\u9fd5"
"""Character class of what jieba takes for Han characters; later additions to Unicode are single tokens."""

ALPHANUMERIC = "a-zA-Z0-9"
CONNECTORS = "+#&._%\\-"
BLOCK = f"{HAN}{ALPHANUMERIC}{CONNECTORS}"
"""Character class of what jieba segments as one block; anything else ends a block."""

_REMEMBERED_WORDS = 1 << 16  # long words are few and come again; about 10 MB
_ODD_BLANK = re.compile(r"[^\S ]")
_ONLY_HAN = re.compile(f"[{HAN}]+")


class Segmenter(Protocol):
    """Cuts a text into words in jieba's three modes; the only blank token it may return is one space."""

    def precise(self, text: str) -> list[str]:
        """Return the words of the most likely segmentation, in order."""

    def full(self, text: str) -> list[str]:
        """Return all dictionary words, overlapping ones too, in order of their beginning."""

    def search(self, text: str) -> list[str]:
        """Return the words of the precise mode, each after the dictionary words of 2 and 3 characters within it."""


def search_mode(has_word: Callable[[str], object]) -> Callable[[Iterable[str]], list[str]]:
    """Return the function that puts before each word the dictionary words of two, then three characters in it."""

    @lru_cache(maxsize=_REMEMBERED_WORDS)
    def words_in(word: str) -> tuple[str, ...]:
        sizes = (2, 3) if len(word) > 3 else (2,)
        grams = (word[start : start + size] for size in sizes for start in range(len(word) - size + 1))
        return tuple(gram for gram in grams if has_word(gram))

    def expand(words: Iterable[str]) -> list[str]:
        found: list[str] = []
        for word in words:
            if len(word) > 2:
                found += words_in(word)
            found.append(word)
        return found

    return expand


def split_forbidden(words: Sequence[str], forbidden: Collection[str]) -> list[str]:
    """Return the words with every forbidden one cut into its characters.

    A word of frequency 0 is in no dictionary, yet the model for unknown words may put it together again.
    """
    split: list[str] = []
    for word in words:
        split += word if word in forbidden and _ONLY_HAN.fullmatch(word) else (word,)
    return split


def one_space(text: str) -> str:
    """Return the text with one space for every run of white space, so that no other blank can become a token."""
    return " ".join(text.split()) if _ODD_BLANK.search(text) else text
