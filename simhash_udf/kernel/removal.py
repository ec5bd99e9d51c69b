"""Take mark-up and addresses out of a text before punctuation goes and they can no longer be told from words."""

from __future__ import annotations

import html
from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

_INVISIBLE = r"(?is)<!--.*?-->|<script\b[^>]*>.*?</script\s*>|<style\b[^>]*>.*?</style\s*>"

# A tag that a browser shows inside a line vanishes, so that 数<b>据</b> stays one word; any other one is a blank.
_INLINE_TAG = (
    r"(?i)</?(?:a|abbr|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup"
    r"|tt|u|var|wbr)(?:\s[^<>]*)?/?>"
)
_TAG = r"(?i)</?[a-z][^<>]*>|<![a-z\[][^<>]*>|<\?[^<>]*>"

# Printable ASCII without blanks, quotes and brackets: Chinese text follows an address without a blank in between.
_URL = r"(?i)\b(?:(?:https?|ftp)://|www\.)[!#-;=?-\[\]_a-z~]+"


def strip_html(texts: pa.Array) -> pa.Array:
    """Return the texts as a reader of the page sees them: no tags, comments, scripts or styles, entities resolved."""
    for pattern, replacement in ((_INVISIBLE, " "), (_INLINE_TAG, ""), (_TAG, " ")):
        texts = pc.replace_substring_regex(texts, pattern=pattern, replacement=replacement)
    return _map_where(texts, pc.match_substring(texts, "&"), html.unescape)


def strip_urls(texts: pa.Array) -> pa.Array:
    """Return the texts with a blank in place of every ``http``, ``https``, ``ftp`` or ``www.`` address."""
    return pc.replace_substring_regex(texts, pattern=_URL, replacement=" ")


def _map_where(texts: pa.Array, mask: pa.Array, function: Callable[[str], str]) -> pa.Array:
    """Apply a Python function to the few texts for which `mask` is true."""
    if not pc.any(mask).as_py():
        return texts
    changed = [function(text) for text in texts.filter(mask).to_pylist()]
    return pc.replace_with_mask(texts, pc.fill_null(mask, False), pa.array(changed, texts.type))
