"""Edits of the user's own documents: sentences deleted, inserted, replaced, moved, up to a share of the characters."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

EDITS = ("delete", "insert", "replace", "reorder")
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3)

_SENTENCE = re.compile(r".+?(?:[。！？!?；;\n]+|\.(?=\s)|$)", re.DOTALL)


class Editor:
    """Makes edited copies of the documents of a sample.

    Sentences are edited in a random order, whole ones first and at last a part of one, until the share of the
    characters is reached; of any text at least one character. A larger share edits what a smaller one does and more.
    What is inserted comes from another document of the sample.

    Parameters
    ----------
    texts
        The sample, two documents or more.
    seed
        Equal seeds give equal edits.

    Examples
    --------
    >>> editor = Editor(["甲。乙。丙。丁。", "一二三四五六七八"], seed=1)
    >>> [editor.edit(0, edit, 0.25) for edit in EDITS]
    ['乙。丙。丁。', '甲。三四乙。丙。丁。', '三四乙。丙。丁。', '乙。甲。丙。丁。']
    >>> editor.edit(0, "delete", 0.0)
    '甲。乙。丙。丁。'
    """

    def __init__(self, texts: Sequence[str], *, seed: int) -> None:
        self._texts = texts
        self._seed = seed

    def edit(self, number: int, edit: str, share: float) -> str:
        """Return the document of that number, edited."""
        text = self._texts[number]
        sentences = _SENTENCE.findall(text)
        rng = np.random.default_rng([self._seed, number])
        order = rng.permutation(len(sentences))
        # a part goes behind any sentence but its own and the one before, where it would be in its place again
        steps = 1 + rng.integers(max(len(sentences) - 2, 1), size=len(sentences))
        donors = rng.integers([[len(self._texts) - 1], [1 << 30]], size=(2, len(sentences)))
        touched = _touched(sentences, order, max(round(share * len(text)), 1) if share else 0)
        after = [""] * len(sentences)
        for at, length in touched.items():
            part = sentences[at][:length]
            foreign = self._foreign(number, donors[:, at], length)
            if edit == "insert":
                after[at] += foreign
                continue
            sentences[at] = (foreign if edit == "replace" else "") + sentences[at][length:]
            if edit == "reorder":
                after[(at + int(steps[at])) % len(sentences)] += part
        return "".join(sentence + added for sentence, added in zip(sentences, after, strict=True))

    def _foreign(self, number: int, draw: NDArray[np.int64], length: int) -> str:
        """So many characters of another document, from anywhere in it, going round at its end."""
        source = self._texts[(number + 1 + int(draw[0])) % len(self._texts)] or " "
        start = int(draw[1]) % len(source)
        return (source[start:] + source * (length // len(source) + 1))[:length]


def _touched(sentences: Sequence[str], order: NDArray[np.int64], characters: int) -> dict[int, int]:
    """How many characters of which sentences, in the order in which they are edited."""
    touched: dict[int, int] = {}
    for at in order.tolist():
        if characters <= 0:
            break
        touched[at] = min(len(sentences[at]), characters)
        characters -= touched[at]
    return touched
