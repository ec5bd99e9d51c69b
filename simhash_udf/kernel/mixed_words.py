"""Find the few dictionary words that hold Latin letters, digits or signs, such as c++ or T恤."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise

from simhash_udf.kernel.segmenter import BLOCK, HAN

MIXED_WORDS = frozenset(
    """
    1号店 4S店 4s店 AA制 AB型 AT&T A型 A座 A股 A轮 BB机 BP机 B型 B座 B股 B超 B轮 C# C++ CALL机 CD机 CD盒 C座 C盘
    C语言 D座 D版 D盘 E化 E座 E盘 E通 F座 F盘 G盘 H盘 H股 IC卡 IP卡 IP地址 IP电话 I盘 K党 K歌之王 N年 O型 PC机 PH值
    QQ号 Q版 RSS订阅 SIM卡 T台 T型台 T恤 T恤衫 T盘 U盘 VISA卡 X光 X光线 X射线 Z盘 c# c++ 大S 小S 江南Style 江南style
    阿Q
    """.split()  # noqa: SIM905 (seventy quoted words read worse)
)
"""The words of jieba's dictionary that are not Han characters alone (a test compares the list with the dictionary)."""

_NOT_HAN = re.compile(f"[^{HAN}]")
_BLOCKS = re.compile(f"[{BLOCK}]+")


class MixedWords:
    """A set of words that are not Han characters alone, to be found in texts.

    Parameters
    ----------
    words
        Those of Han characters alone, or with a character at which jieba splits, are passed over.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(word for word in words if _NOT_HAN.search(word) and _BLOCKS.fullmatch(word))
        lengths = defaultdict(set)
        for word in self._words:
            lengths[word[0]].add(len(word))
        self._lengths = {first: sorted(sizes) for first, sizes in lengths.items()}
        self._first = _any_of(self._lengths)
        self._hints = _any_of(map(_hint, self._words))  # a text without any of these holds no mixed word

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Give begin and end of every occurrence, overlapping ones too, in order."""
        for first in self._first.finditer(text):
            for length in self._lengths[first.group()]:
                begin, end = first.start(), first.start() + length
                if end <= len(text) and text[begin:end] in self._words:
                    yield begin, end

    def blocks(self, text: str) -> Iterator[tuple[int, int]]:
        """Give begin and end of the blocks of jieba's that hold such a word."""
        if not self._hints.search(text):
            return
        for block in _BLOCKS.finditer(text):
            if self._hints.search(block.group()) and any(self.find(block.group())):
                yield block.span()


def _any_of(starts: Iterable[str]) -> re.Pattern[str]:
    """Match any of the strings of one or two characters; nothing at all if there are none."""
    seconds = defaultdict(set)
    for start in starts:
        seconds[start[0]].add(start[1:])
    alternatives = [
        re.escape(first) + ("" if "" in rest else f"[{''.join(map(re.escape, sorted(rest)))}]")
        for first, rest in sorted(seconds.items())
    ]
    return re.compile("|".join(alternatives) or "(?!)")


def _hint(word: str) -> str:
    """Return the two neighbours in a word that are met least: with a sign, else where Han and other characters meet."""
    pairs = list(map("".join, pairwise(word))) or [word]
    return max(pairs, key=lambda pair: (not pair.isalnum(), len(_NOT_HAN.findall(pair)) == 1, not pair.islower(), pair))
