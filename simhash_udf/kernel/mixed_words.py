"""Find the few dictionary words that hold Latin letters, digits or signs, such as c++ or T恤."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from simhash_udf.kernel.segmenter import BLOCK, HAN

MIXED_WORDS = frozenset(
    """
    AT&T B超 c# C# c++ C++ T恤 A座 A股 A型 A轮 AA制 AB型 B座 B股 B型 B轮 BB机 BP机 C盘 C座 C语言 CD盒 CD机 CALL机
    D盘 D座 D版 E盘 E座 E化 E通 F盘 F座 G盘 H盘 H股 I盘 IC卡 IP卡 IP电话 IP地址 K党 K歌之王 N年 O型 PC机 PH值 SIM卡
    U盘 VISA卡 Z盘 Q版 QQ号 RSS订阅 T盘 X光 X光线 X射线
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
        self._first = _one_of(self._lengths)
        self._rare = _one_of(map(_rarest_sign, self._words))  # a text without any of these holds no mixed word

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Give begin and end of every occurrence, overlapping ones too, in order."""
        for first in self._first.finditer(text):
            for length in self._lengths[first.group()]:
                begin, end = first.start(), first.start() + length
                if end <= len(text) and text[begin:end] in self._words:
                    yield begin, end

    def blocks(self, text: str) -> Iterator[tuple[int, int]]:
        """Give begin and end of the blocks of jieba's that hold such a word."""
        if not self._rare.search(text):
            return
        for block in _BLOCKS.finditer(text):
            if self._rare.search(block.group()) and any(self.find(block.group())):
                yield block.span()


def _one_of(characters: Iterable[str]) -> re.Pattern[str]:
    """Match one of the characters; nothing at all if there are none."""
    alternatives = "".join(map(re.escape, sorted(set(characters))))
    return re.compile(f"[{alternatives}]" if alternatives else "(?!)")


def _rarest_sign(word: str) -> str:
    """Return the character of a word that is met least: sign before capital before small letter before digit."""
    signs: list[str] = _NOT_HAN.findall(word)
    return min(signs, key=lambda sign: (sign.isalnum(), sign.isdigit(), sign.islower(), sign))
