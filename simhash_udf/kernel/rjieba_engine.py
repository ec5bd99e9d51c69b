"""The fast engine: jieba's algorithm in Rust, brought to the same tokens where the two differ.

rjieba 0.2 differs from jieba 0.42 in four things, found by comparing the two over corpora and over random text:

1. It takes all Han characters of Unicode for Han; jieba knows U+4E00 to U+9FD5, any other is a token by itself.
2. It keeps ``a.b``, ``a-b`` and ``a_b`` together; jieba splits them, except for a number after a point (``1.5``).
3. It adds up the likelihoods of unknown words in single precision, so of two readings that are equally likely to six
   digits it may take the other one. That is common where a character stands three times in a row (一丘丘｜丘国 or
   一丘｜丘丘国); there jieba's own model decides (`ties`). Elsewhere it is met once in a hundred megabytes, and stays.
4. Its full mode returns every single character and leaves out those not in the dictionary (`full_mode`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from rjieba import Jieba

from simhash_udf.kernel.full_mode import FullMode
from simhash_udf.kernel.jieba_dictionary import load_dictionary
from simhash_udf.kernel.mixed_words import MIXED_WORDS
from simhash_udf.kernel.recipe import DictEntry
from simhash_udf.kernel.segmenter import ALPHANUMERIC, one_space, search_mode, split_forbidden
from simhash_udf.kernel.ties import may_tie, settle_ties

_RARE_HAN = "\u3400-\u4dbf\u9fd6-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_OTHER_BLANK = "\t-\r\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"

# One search a text decides between the native call alone and the native call with corrections.
_UNUSUAL = re.compile(f"[._\\-{_RARE_HAN}{_OTHER_BLANK}]")
_AT_RARE_HAN = re.compile(f"([{_RARE_HAN}])")
_JOINED = re.compile(f"[{ALPHANUMERIC}][._\\-][{ALPHANUMERIC}]")
_JIEBA_NUMBER_OR_WORD = re.compile(f"([{ALPHANUMERIC}]+(?:\\.\\d+)?%?)")

# Makes up the dictionary's total where jieba counts a word twice; no text reaches it, as it is no part of any block.
_NO_WORD = "\n"


class RjiebaSegmenter:
    """jieba's three modes at native speed; see `simhash_udf.kernel.segmenter.Segmenter`."""

    def __init__(self, entries: Sequence[DictEntry] = ()) -> None:
        self._entries = tuple(entries)
        self._jieba = _native(self._entries)
        self._expand = search_mode(self._jieba.has_word)
        self._forbidden = frozenset(entry.word for entry in entries if not self._jieba.has_word(entry.word))

    def precise(self, text: str) -> list[str]:
        """Return the words of the most likely segmentation, in order."""
        words = self._cut_unusual(text) if _UNUSUAL.search(text) else self._cut(text)
        return split_forbidden(words, self._forbidden) if self._forbidden else words

    def full(self, text: str) -> list[str]:
        """Return all dictionary words, overlapping ones too, in order of their beginning."""
        return self._full_mode(text)

    @cached_property
    def _full_mode(self) -> FullMode:
        words = (word for word, _ in load_dictionary(self._entries).words()) if self._entries else MIXED_WORDS
        return FullMode(_native(self._entries), words)

    def search(self, text: str) -> list[str]:
        """Return the words of the precise mode, each after the dictionary words of 2 and 3 characters within it."""
        if self._forbidden or _UNUSUAL.search(text) or may_tie(text):
            return self._expand(self.precise(text))
        return self._jieba.cut_for_search(text)

    def _cut_unusual(self, text: str) -> list[str]:
        words: list[str] = []
        for number, piece in enumerate(_AT_RARE_HAN.split(one_space(text))):
            words += (piece,) if number % 2 else self._cut_as_jieba(piece)
        return words

    def _cut(self, text: str) -> list[str]:
        words: list[str] = self._jieba.cut(text)
        return settle_ties(words, self._jieba.cut(text, False), self._jieba.has_word) if may_tie(text) else words

    def _cut_as_jieba(self, text: str) -> list[str]:
        words = self._cut(text)
        if not _JOINED.search(text):
            return words
        split: list[str] = []
        for word in words:
            if len(word) > 2 and _JOINED.search(word) and not self._jieba.has_word(word):
                split += filter(None, _JIEBA_NUMBER_OR_WORD.split(word))
            else:
                split.append(word)
        return split


def _native(entries: Sequence[DictEntry]) -> Jieba:
    """Return a segmenter of its own, so that no other user of rjieba sees the entries or adds to them.

    With entries the whole dictionary is written anew (0.2 s): rjieba cannot forget a word, and it computes missing
    frequencies and the total in its own way, which would tip close decisions.
    """
    if not entries:
        return Jieba()
    dictionary = load_dictionary(entries)
    native: Jieba = Jieba.empty()  # type: ignore[no-untyped-call]  # left out of its stub
    words = dictionary.words()
    for word, frequency in words:
        native.add_word(word, frequency, None)
    uncounted = dictionary.total - sum(frequency for _, frequency in words)
    if uncounted:
        native.add_word(_NO_WORD, uncounted, None)
    return native
