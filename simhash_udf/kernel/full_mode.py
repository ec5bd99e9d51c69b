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
from rjieba import Jieba

from simhash_udf.kernel.segmenter import ALPHANUMERIC, BLOCK, CONNECTORS, HAN, one_space

MIXED_WORDS = frozenset(
    """
    AT&T B超 c# C# c++ C++ T恤 A座 A股 A型 A轮 AA制 AB型 B座 B股 B型 B轮 BB机 BP机 C盘 C座 C语言 CD盒 CD机 CALL机
    D盘 D座 D版 E盘 E座 E化 E通 F盘 F座 G盘 H盘 H股 I盘 IC卡 IP卡 IP电话 IP地址 K党 K歌之王 N年 O型 PC机 PH值 SIM卡
    U盘 VISA卡 Z盘 Q版 QQ号 RSS订阅 T盘 X光 X光线 X射线
    """.split()  # noqa: SIM905 (seventy quoted words read worse)
)
"""The words of jieba's dictionary that are not Han characters alone (a test compares the list with the dictionary)."""

_BLOCKS = re.compile(f"([{BLOCK}]+)")
_ONLY_HAN = re.compile(f"[{HAN}]+")
_OTHER_TOKEN = re.compile(f"[{ALPHANUMERIC}]+|[{CONNECTORS}]|[^\\s{BLOCK}]+")
_IN_BLOCK = re.compile(f"[{BLOCK}]+")
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
    Time and memory are linear in the text: one native call and a few array operations, about 10 MB/s a core. Only a
    block that holds one of the mixed words is gone through in Python.
    """

    def __init__(self, native: Jieba, words: Iterable[str]) -> None:
        self._native = native
        for character in map(chr, range(ord(HAN[0]), ord(HAN[-1]) + 1)):
            if not native.has_word(character):
                native.add_word(character, 1, None)
        self._mixed = [word for word in words if _IN_BLOCK.fullmatch(word) and not _ONLY_HAN.fullmatch(word)]
        characters = "".join(sorted(set("".join(self._mixed)) - set(_ONLY_HAN.findall("".join(self._mixed)))))
        self._may_be_mixed = re.compile("[" + re.escape(re.sub(f"[{HAN}]", "", characters)) + "]|(?!)")

    def __call__(self, text: str) -> list[str]:
        """Return the tokens of a text."""
        text = one_space(text)
        if not self._has_mixed_word(text):
            return self._scan(text)
        tokens: list[str] = []
        for number, piece in enumerate(_BLOCKS.split(text)):
            is_mixed = number % 2 and self._has_mixed_word(piece)
            tokens += self._walk(piece) if is_mixed else self._scan(piece)
        return tokens

    def _has_mixed_word(self, text: str) -> bool:
        return bool(self._may_be_mixed.search(text)) and any(word in text for word in self._mixed)

    def _scan(self, text: str) -> list[str]:
        """Tokens of a text without mixed words: one native call for the Han characters, the others put back."""
        others = iter(_OTHER_TOKEN.findall(text))
        words = self._native.cut_all(_OTHER_TOKEN.sub(_MARKER, text))
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
        for word in self._mixed:
            start = block.find(word)
            while start >= 0:
                ends_at[start].add(start + len(word))
                start = block.find(word, start + 1)
        return {start: sorted(ends) for start, ends in ends_at.items()}


def _keep(words: list[str]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which of rjieba's words jieba gives too; they are, for each position, its character, then the longer words."""
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    is_long = lengths > 1
    positions = np.cumsum(~is_long) - 1
    begins_long = np.append(is_long[1:], False)  # of a single character: longer words begin there
    ends = np.where(is_long, positions + lengths, 0)
    last_long = np.maximum.accumulate(np.where(is_long, np.arange(len(words)), -1)) if len(words) else lengths
    covered = np.where(last_long >= 0, ends[last_long], 0)
    keep: np.ndarray[tuple[int], np.dtype[np.bool_]] = is_long | (~begins_long & (positions >= covered))
    return keep
