"""How many inputs are tried, and texts, files and settings of every kind.

`FUZZ_EXAMPLES` makes a run as long as one likes; without it each test takes seconds.
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "25"))
"""Inputs of each test; a test with costly inputs takes a share of it."""


def tried(share: float = 1.0) -> Any:
    """Return hypothesis settings for a share of the examples, the same ones in every run of one length."""
    return settings(
        max_examples=max(int(EXAMPLES * share), 5),
        deadline=None,
        derandomize=EXAMPLES <= 1000,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


HAN = st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF)
ANY_CHARACTER = st.characters(exclude_categories=())
"""Every code point that a Python string can hold, halves of surrogate pairs too."""

ODD = st.sampled_from(
    [
        *("\x00", "\ufeff", "\u200d", "\u0301", "\ud800", "\udfff", "\U0010ffff", "ﷺ", "İ", "ß", "\r\n", "\x1c", "１"),
        *("<", ">", "&#1114112;", "&#xD800;", "http://", "<script>", "-->", "½", "㍿", "𠮷", "😀", "👨\u200d👩"),
    ]
)
TEXT = st.lists(HAN | ANY_CHARACTER | ODD | st.sampled_from("ab 01。，"), max_size=60).map("".join)
LONG_TEXT = st.tuples(TEXT, st.integers(1, 400)).map(lambda made: made[0] * made[1])
WHOLE_TEXT = (TEXT | LONG_TEXT).map(lambda text: text.encode("utf-8", "replace").decode("utf-8"))
"""Texts as a column can hold them: UTF-8."""

BYTES = st.binary(max_size=200) | TEXT.map(lambda text: text.encode("utf-8", "surrogatepass"))

TOKENIZERS = ("jieba", "jieba_full", "jieba_search", "word", "char", "pypi", "jieba+char", "word+char")
WEIGHTS = ("tf", "log_tf", "binary", "tf_idf", "textrank")

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=70) | st.dictionaries(st.text(max_size=10), inner, max_size=5),
    max_leaves=80,
)
