"""The reference engine: jieba in Python, 0.5 to 1 MB of text a second."""

from __future__ import annotations

from collections.abc import Sequence

from simhash_udf.kernel.jieba_dictionary import load_dictionary
from simhash_udf.kernel.recipe import DictEntry
from simhash_udf.kernel.segmenter import one_space, search_mode, split_forbidden


class JiebaSegmenter:
    """jieba's own three modes with a user dictionary; see `simhash_udf.kernel.segmenter.Segmenter`."""

    def __init__(self, entries: Sequence[DictEntry] = ()) -> None:
        self._dictionary = load_dictionary(entries)
        self._expand = search_mode(self._dictionary.FREQ.get)
        self._forbidden = frozenset(entry.word for entry in entries if not self._dictionary.FREQ.get(entry.word))

    def precise(self, text: str) -> list[str]:
        """Return the words of the most likely segmentation, in order."""
        words = list(self._dictionary.cut(one_space(text)))
        return split_forbidden(words, self._forbidden) if self._forbidden else words

    def full(self, text: str) -> list[str]:
        """Return all dictionary words, overlapping ones too, in order of their beginning."""
        return [word for word in self._dictionary.cut(one_space(text), cut_all=True) if word]

    def search(self, text: str) -> list[str]:
        """Return the words of the precise mode, each after the dictionary words of 2 and 3 characters within it."""
        if self._forbidden:
            return self._expand(self.precise(text))
        return list(self._dictionary.cut_for_search(one_space(text)))
