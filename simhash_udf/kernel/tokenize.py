"""From a text to its features in order: segment, replace synonyms, drop stop words, join n-grams."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from threading import Lock

from simhash_udf.kernel.long_runs import in_pieces
from simhash_udf.kernel.ngrams import SEPARATOR, build_ngrams
from simhash_udf.kernel.normalize import normalize_words
from simhash_udf.kernel.recipe import JIEBA_TOKENIZERS, DictEntry, Recipe, View
from simhash_udf.kernel.segmenter import Segmenter

Tokenizer = Callable[[str], list[str]]

_PYPI_LETTERS = re.compile(r"[\w\u4e00-\u9fcc]+")
_PYPI_WIDTH = 4
_BUILDING = Lock()


def reads_raw_text(view: View) -> bool:
    """Whether the view's tokenizer takes the text as it came, not the normalised one."""
    return view.tokenizer == "pypi"


def build_tokenizer(view: View, recipe: Recipe, *, keep_blanks: bool = False) -> Tokenizer:
    """Return the function from a text to its features, in order and with repeats.

    Parameters
    ----------
    view
        Names the tokenizer:

        - ``jieba``, ``jieba_full``, ``jieba_search``: jieba's modes; a run of more than 2,000 characters without a
          break is segmented in pieces.
        - ``word``: runs of letters, digits and marks, for languages that put blanks between words.
        - ``char``: single characters (code points) of the text without its blanks; n-grams are plain substrings.
        - ``pypi``: what the PyPI package `simhash` does with a text; takes none of the options below.
        - several joined by ``+``: the features of each, one after the other.
    recipe
        Its engine, user dictionary, synonyms, stop words, shortest token and n-gram sizes. Synonyms come first, so that
        a stop word is dropped however it was spelled; n-grams last, so that they run across dropped words. The shortest
        token does not apply to ``char``. Words in these lists are brought into the same form as the text.
    keep_blanks
        Tokens of one space may stay where there are no n-grams, for a caller that drops them at less cost than here.

    Returns
    -------
    Callable[[str], list[str]]
        Takes normalised text (``pypi``: raw text). Blank tokens are not among the features; punctuation that the text
        has kept is. Equal for both engines (but see `rjieba_engine`).
    """
    if reads_raw_text(view):
        return _pypi_features
    parts = [_build_part(name, recipe, keep_blanks=keep_blanks and recipe.ngram == (1,)) for name in view.tokenizers]
    if len(parts) == 1:
        return parts[0]
    return lambda text: [feature for part in parts for feature in part(text)]


def _build_part(name: str, recipe: Recipe, *, keep_blanks: bool) -> Tokenizer:
    split = _splitter(name, recipe)
    shortest = 1 if name == "char" else recipe.min_token_length
    select = _selector(recipe, shortest=shortest, keep_blanks=keep_blanks)
    separator = "" if name == "char" else SEPARATOR
    if recipe.ngram == (1,):
        return lambda text: select(split(text))
    return lambda text: build_ngrams(select(split(text)), recipe.ngram, separator)


def _splitter(name: str, recipe: Recipe) -> Tokenizer:
    """The tokens of a text, blanks not yet dropped."""
    if name == "char":
        return lambda text: list("".join(text.split()))
    if name == "word":
        return _word_pattern().findall if recipe.normalization.keep_punctuation else str.split
    segmenter = load_segmenter(recipe)
    modes = dict(zip(JIEBA_TOKENIZERS, (segmenter.precise, segmenter.full, segmenter.search), strict=True))
    return in_pieces(modes[name])


def _selector(recipe: Recipe, *, shortest: int, keep_blanks: bool) -> Callable[[list[str]], list[str]]:
    """Replace synonyms and drop stop words, short tokens and blanks."""
    form = recipe.normalization
    sources, targets = (normalize_words([pair[side] for pair in recipe.synonyms], form) for side in (0, 1))
    synonyms = dict(zip(sources, targets, strict=True))
    stop_words = frozenset(normalize_words(sorted(recipe.stop_words), form))

    def select(tokens: list[str]) -> list[str]:
        if synonyms:
            tokens = [synonyms.get(token, token) for token in tokens]
        if stop_words:
            tokens = [token for token in tokens if token not in stop_words]
        if shortest > 1:
            tokens = [token for token in tokens if len(token) >= shortest]
        return tokens if keep_blanks else [word for word in tokens if word != " "]

    return select


def load_segmenter(recipe: Recipe) -> Segmenter:
    """Return the segmenter of the recipe's engine and user dictionary, built once in a process."""
    words = normalize_words([entry.word for entry in recipe.user_dict], recipe.normalization)
    entries = tuple(
        DictEntry(word, entry.frequency, entry.tag) for word, entry in zip(words, recipe.user_dict, strict=True)
    )
    with _BUILDING:
        return _segmenter(recipe.engine, entries)


@lru_cache(maxsize=4)
def _segmenter(engine: str, entries: tuple[DictEntry, ...]) -> Segmenter:
    if engine == "rjieba":
        from simhash_udf.kernel.rjieba_engine import RjiebaSegmenter  # noqa: PLC0415  (each takes half a second)

        return RjiebaSegmenter(entries)
    from simhash_udf.kernel.jieba_engine import JiebaSegmenter  # noqa: PLC0415  (as above)

    return JiebaSegmenter(entries)


def _pypi_features(text: str) -> list[str]:
    """Substrings of 4 letters or digits of the text without all else; a shorter text is one feature."""
    letters = "".join(_PYPI_LETTERS.findall(text.lower()))
    starts = range(max(len(letters) - _PYPI_WIDTH + 1, 1))
    return [letters[start : start + _PYPI_WIDTH] for start in starts] if letters else []


@lru_cache(maxsize=1)
def _word_pattern() -> re.Pattern[str]:
    """Runs of letters, digits and marks, or else single characters that are not blank."""
    marks = "".join(character for character in map(chr, range(0x110000)) if unicodedata.category(character)[0] == "M")
    return re.compile(rf"(?:[^\W_]+[{marks}]*)+|\S")
