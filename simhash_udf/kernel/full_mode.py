"""jieba's full mode, derived from rjieba's list of all dictionary words.

jieba goes through a block position by position. Where longer words begin it gives all of them; a single character it
gives only if no word begins there and the words of the last position that had any do not reach it. A run of Latin
letters and digits that are no words is one token.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import compress

import numpy as np
from numpy.typing import NDArray
from rjieba import Jieba

from simhash_udf.kernel.mixed_words import MixedWords
from simhash_udf.kernel.segmenter import ALPHANUMERIC, BLOCK, CONNECTORS, HAN, one_space

_ONLY_HAN = re.compile(f"[{HAN}]+")
_OTHER_TOKEN = re.compile(f"([{ALPHANUMERIC}]+|[{CONNECTORS}]|[^\\s{BLOCK}]+)")
_LATIN = re.compile(f"[{ALPHANUMERIC}]")
_MARKER = ","  # stands for one token without Han characters; single in rjieba's list, and never a token itself


class FullMode:
    """A function from a text to its full-mode tokens; blank tokens are one space each.

    Parameters
    ----------
    native
        A segmenter for this use alone: the Han characters that are no words are added to it, so that every position of
        its list begins with a single character.
    words
        All words of the dictionary that are not Han characters alone (others are passed over).

    Notes
    -----
    Time and memory are linear in the text: one native call and a few array operations, about 8 MB/s a core. Only the
    blocks that hold one of the mixed words are gone through in Python.
    """

    def __init__(self, native: Jieba, words: Iterable[str]) -> None:
        self._native = native
        for character in map(chr, range(ord(HAN[0]), ord(HAN[-1]) + 1)):
            if not native.has_word(character):
                native.add_word(character, 1, None)
        self._mixed = MixedWords(words)

    def __call__(self, text: str) -> list[str]:
        """Return the tokens of a text."""
        text = one_space(text)
        tokens: list[str] = []
        start = 0
        for begin, end in self._mixed.blocks(text):
            tokens += self._scan(text[start:begin])
            tokens += self._walk(text[begin:end])
            start = end
        return tokens + self._scan(text[start:]) if tokens else self._scan(text)

    def _scan(self, text: str) -> list[str]:
        """Tokens of a text without mixed words: one native call for the Han characters, the others put back."""
        parts = _OTHER_TOKEN.split(text)
        others = iter(parts[1::2])
        words = self._native.cut_all(_MARKER.join(parts[::2]))
        kept = compress(words, _keep(words).tobytes())
        return [next(others) if word == _MARKER else word for word in kept]

    def _walk(self, block: str) -> Iterator[str]:
        """Tokens of a block that holds mixed words, position by position as jieba does it."""
        ends_at = self._word_ends(block)
        covered, latin = 0, ""  # `covered`: end of the word given last; `latin`: letters that wait for the run's end
        for start, character in enumerate(block):
            ends = ends_at.get(start, [start + 1])
            is_latin = _LATIN.match(character)
            if latin and not is_latin:
                yield latin
                latin = ""
            if len(ends) == 1 and start >= covered:
                covered = ends[0]
                if is_latin:
                    latin += block[start:covered]
                else:
                    yield block[start:covered]
                continue
            for end in ends:
                if end > start + 1:
                    covered = end
                    yield block[start:end]
        if latin:
            yield latin

    def _word_ends(self, block: str) -> dict[int, list[int]]:
        """Where the words that begin at a position end, in increasing order; no entry where no word begins."""
        ends_at: dict[int, set[int]] = defaultdict(set)
        for run in _ONLY_HAN.finditer(block):
            start = run.start() - 1
            for word in self._native.cut_all(run.group()):
                start += len(word) == 1
                ends_at[start].add(start + len(word))
        for start, end in self._mixed.find(block):
            ends_at[start].add(end)
        return {start: sorted(ends) for start, ends in ends_at.items()}


def _keep(words: list[str]) -> NDArray[np.bool_]:
    """Which of rjieba's words jieba gives too; they are, for each position, its character, then the longer words."""
    lengths = np.fromiter(map(len, words), np.int32, len(words))
    is_long = lengths > 1
    longs = np.cumsum(is_long)  # so far, and so also the index of the last one, counted from 1
    positions = np.arange(len(words)) - longs
    ends = np.concatenate(([0], (positions + lengths)[is_long]))
    begins_long = np.append(is_long[1:], False)  # of a single character: longer words begin there
    keep: NDArray[np.bool_] = is_long | (~begins_long & (positions >= ends[longs]))
    return keep
