"""Everything that determines a fingerprint, as plain frozen values that travel to the executors.

Two runs with equal recipes give equal fingerprints for equal text; a store keeps `Recipe.specification()` and refuses
a run whose specification differs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version

from simhash_udf.errors import SettingError

SPECIFICATION_FORMAT = 1
"""Layout of `Recipe.specification()`; a store with another one is refused."""

NORMALIZER_VERSION = 1
"""Raised whenever the same text and options would normalise or tokenise differently than before."""

BITS = 64
JIEBA_TOKENIZERS = ("jieba", "jieba_full", "jieba_search")
TOKENIZERS = (*JIEBA_TOKENIZERS, "word", "char", "pypi")
ENGINES = ("rjieba", "jieba")
WEIGHTS = ("tf", "log_tf", "binary", "tf_idf", "textrank")
MAX_FREQUENCY = 1_000_000_000  # sixteen times the total of jieba's dictionary; far more would overflow its sums
MAX_IDF = 10_000  # a logarithm of a count is under 50; times a million units and 10^8 tokens it still fits int64
MAX_HASH_SLICE = 3  # 256 bits of feature hash hold four slices of 64


@dataclass(frozen=True)
class Normalization:
    """What is done to a text besides NFKC and lower case.

    Parameters
    ----------
    keep_punctuation
        Only white space becomes one space; punctuation and symbols stay.
    strip_html
        Tags, comments, and the contents of script and style are removed, entities resolved.
    strip_urls
        ``http://``, ``https://``, ``ftp://`` and ``www.`` addresses are removed.
    fold_digits
        Every decimal digit becomes 0, so texts that differ in numbers alone agree.
    to_simplified
        Traditional characters become simplified ones (OpenCC, an optional package).
    """

    keep_punctuation: bool = False
    strip_html: bool = False
    strip_urls: bool = False
    fold_digits: bool = False
    to_simplified: bool = False


@dataclass(frozen=True)
class View:
    """One fingerprint of a text: its tokenizer and its slice of the feature hash.

    Parameters
    ----------
    tokenizer
        One of `TOKENIZERS`, or several joined by ``+`` whose features are taken together.
    bits
        0 to 3: which 64 bits of the feature hash; 0 is the last 8 bytes of MD5.
    """

    tokenizer: str = "jieba"
    bits: int = 0

    def __post_init__(self) -> None:
        unknown = [name for name in self.tokenizers if name not in TOKENIZERS]
        if unknown:
            raise SettingError(f"unknown tokenizer {unknown[0]!r} in {self.tokenizer!r}; use {', '.join(TOKENIZERS)}")
        if len(set(self.tokenizers)) < len(self.tokenizers):
            raise SettingError(f"tokenizer={self.tokenizer!r} names one tokenizer twice; name each once")
        if "pypi" in self.tokenizers and len(self.tokenizers) > 1:
            raise SettingError(f"tokenizer={self.tokenizer!r}: pypi reads the raw text and mixes with no other")
        if not 0 <= self.bits <= MAX_HASH_SLICE:
            raise SettingError(f"bits={self.bits} of a view must be 0 to {MAX_HASH_SLICE}")

    @property
    def tokenizers(self) -> tuple[str, ...]:
        """The names in a mixture, in order; one name for a plain tokenizer."""
        return tuple(self.tokenizer.split("+"))


@dataclass(frozen=True)
class DictEntry:
    """A word of a user dictionary; a `frequency` of None asks the segmenter for one that keeps the word whole."""

    word: str
    frequency: int | None = None
    tag: str | None = None

    def __post_init__(self) -> None:
        if not self.word or len(self.word.split()) != 1:
            raise SettingError(f"the word {self.word!r} of a user dictionary is empty or holds a blank; no token does")
        if self.frequency is not None and not 0 <= self.frequency <= MAX_FREQUENCY:
            raise SettingError(f"the frequency {self.frequency} of {self.word!r} must be 0 to {MAX_FREQUENCY}")


@dataclass(frozen=True)
class Idf:
    """A fitted table of inverse document frequencies; a term that is not in it has the `default`.

    A value of 0 drops its term. A negative one is refused: it would vote for the opposite of every bit of the term.
    """

    terms: tuple[str, ...]
    values: tuple[float, ...]
    default: float

    def __post_init__(self) -> None:
        if len(self.terms) != len(self.values):
            raise SettingError(f"an idf table needs one value a term, got {len(self.terms)} and {len(self.values)}")
        if len(set(self.terms)) < len(self.terms):
            raise SettingError("an idf table has one term twice; keep one value a term")
        for term, value in (*zip(self.terms, self.values, strict=True), ("(default)", self.default)):
            if not 0 <= value <= MAX_IDF:  # also False for NaN
                raise SettingError(f"the idf of {term!r} is {value}; it must be 0 to {MAX_IDF}: fit the table again")


@dataclass(frozen=True)
class Recipe:
    """All that decides which fingerprint a text has.

    Parameters
    ----------
    normalization, views, engine
        How the text is cleaned; one entry a fingerprint; which package does jieba's segmentation.
    ngram
        Sizes of the token n-grams, all of them taken together; ``(1,)`` is single tokens.
    weight, top_k, idf
        Weight of a feature; only the `top_k` heaviest count; the fitted table for ``tf_idf`` (None: jieba's own).
    stop_words, synonyms, user_dict
        Applied to tokens before n-grams (synonyms first, then stop words); words added to jieba's dictionary.
    min_token_length
        Tokens of fewer characters are dropped, before n-grams; jieba's keyword extraction uses 2.
    max_chars, min_features
        A longer text is cut; a text with fewer distinct features has no fingerprint.
    thresholds
        64 numbers a view that a bit's sum is compared with; None gives the classic fingerprint.

    Examples
    --------
    >>> Recipe().digest() == Recipe().digest()
    True
    >>> Recipe(ngram=(2,)).specification()["ngram"]
    [2]
    """

    normalization: Normalization = field(default_factory=Normalization)
    views: tuple[View, ...] = (View(),)
    engine: str = "rjieba"
    ngram: tuple[int, ...] = (1,)
    weight: str = "tf"
    top_k: int | None = None
    stop_words: frozenset[str] = frozenset()
    user_dict: tuple[DictEntry, ...] = ()
    synonyms: tuple[tuple[str, str], ...] = ()
    min_token_length: int = 1
    idf: Idf | None = None
    max_chars: int | None = None
    min_features: int = 1
    thresholds: tuple[tuple[float, ...], ...] | None = None

    def __post_init__(self) -> None:
        _require_choice("engine", self.engine, ENGINES)
        _require_choice("weight", self.weight, WEIGHTS)
        if not self.views:
            raise SettingError("views is empty; name at least one tokenizer")
        if not self.ngram or min(self.ngram) < 1 or len(set(self.ngram)) < len(self.ngram):
            raise SettingError(f"ngram={self.ngram} must be different sizes of 1 or more")
        for name in ("top_k", "max_chars", "min_features", "min_token_length"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise SettingError(f"{name}={value} must be 1 or more")
        if self.weight == "textrank" and (
            self.ngram != (1,) or self.synonyms or {view.tokenizer for view in self.views} != {"jieba"}
        ):
            raise SettingError(
                "weight='textrank' ranks words by their parts of speech: it needs tokenizer jieba in every view, "
                f"ngram 1 and no synonyms, got {[view.tokenizer for view in self.views]}, ngram {self.ngram} and "
                f"{len(self.synonyms)} synonyms"
            )
        if all(view.tokenizer == "pypi" for view in self.views) and (
            self.ngram != (1,) or self.stop_words or self.synonyms or self.user_dict or self.min_token_length > 1
        ):
            raise SettingError(
                "tokenizer='pypi' does what the PyPI package does and takes neither n-grams, stop words, synonyms, a "
                "user dictionary nor a shortest token; leave them out, or use the tokenizer char"
            )
        if self.thresholds is not None:
            shape = [len(row) for row in self.thresholds]
            if shape != [BITS] * len(self.views):
                raise SettingError(f"thresholds need {BITS} numbers for each of {len(self.views)} views, got {shape}")

    def specification(self) -> dict[str, object]:
        """Every field as plain JSON; long lists as their length and SHA-256, with the versions of the engine.

        Returns
        -------
        dict
            Equal in every process and on every platform for equal recipes and package versions.
        """
        return {
            "format": SPECIFICATION_FORMAT,
            "normalizer_version": NORMALIZER_VERSION,
            "normalization": asdict(self.normalization),
            "views": [asdict(view) for view in self.views],
            "engine": self.engine,
            "packages": {name: _installed_version(name) for name in sorted(self._packages())},
            "ngram": list(self.ngram),
            "weight": self.weight,
            "top_k": self.top_k,
            "stop_words": _summary(sorted(self.stop_words)),
            "user_dict": _summary([(entry.word, entry.frequency, entry.tag) for entry in self.user_dict]),
            "synonyms": _summary(sorted(self.synonyms)),
            "min_token_length": self.min_token_length,
            "idf": None if self.idf is None else _idf_summary(self.idf),
            "max_chars": self.max_chars,
            "min_features": self.min_features,
            "thresholds": None if self.thresholds is None else _summary(self.thresholds),
        }

    def digest(self) -> str:
        """SHA-256 (hex) of the specification as canonical JSON."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        return _sha256(self.specification())

    def _packages(self) -> set[str]:
        """Name the packages whose version can change the features or weights of this recipe."""
        packages = set()
        if any(name in JIEBA_TOKENIZERS for view in self.views for name in view.tokenizers):
            packages.add(self.engine)
            if self.user_dict:
                packages.add("jieba")  # whose dictionary the entries are added to
        if self.weight == "textrank" or (self.weight == "tf_idf" and self.idf is None):
            packages.add("jieba")  # its parts of speech, its idf table
        if self.normalization.to_simplified:
            packages.add("opencc-python-reimplemented")
        return packages


def _require_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise SettingError(f"{name}={value!r} is unknown; use one of {', '.join(choices)}")


def _summary(items: Sequence[object]) -> dict[str, object]:
    """Length and digest of a list that is too long to write out."""
    return {"count": len(items), "sha256": _sha256(items)}


def _idf_summary(idf: Idf) -> dict[str, object]:
    terms = sorted(zip(idf.terms, idf.values, strict=True))
    return {**_summary(terms), "default": idf.default}


def _sha256(value: object) -> str:
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _installed_version(package: str) -> str | None:
    """Version of an installed package, None where it is missing (the tokenizer then says so itself)."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
