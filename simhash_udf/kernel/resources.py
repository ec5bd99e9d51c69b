"""Read the word lists a user may give: a dictionary for the segmenter, stop words, synonyms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import TypeVar

import pyarrow as pa

from simhash_udf.errors import SettingError
from simhash_udf.kernel.normalize import normalize, normalize_words
from simhash_udf.kernel.recipe import MAX_FREQUENCY, DictEntry, Normalization
from simhash_udf.kernel.segmenter import BLOCK

MAX_REPORTED_LINES = 20
_BUILTIN = ("stop_words_zh.txt", "stop_words_en.txt")
_FORM = Normalization(keep_punctuation=True)

_ENTRY = re.compile(r"(\S+)(?: ([0-9]+))?(?: ([a-z]+))?")
_NOT_SEGMENTED = re.compile(f"[^{BLOCK}]")

Parsed = TypeVar("Parsed")


def parse_user_dict(text: str, *, name: str) -> tuple[DictEntry, ...]:
    """Return the entries of a user dictionary in jieba's format, ``word [frequency] [tag]`` a line.

    Parameters
    ----------
    text
        Content of the file; a byte order mark, CRLF, empty lines and blanks around a line are tolerated.
    name
        Name of the file, for messages.

    Returns
    -------
    tuple of DictEntry
        In the order of the lines, words in the form the text has after normalisation (lower case, NFKC). A frequency
        of 0 forbids the word; none asks for a frequency that keeps it whole.

    Raises
    ------
    SettingError
        For lines that jieba would silently take for something else, and words that it could never match: all of them in
        one message, with line numbers and reasons.
    """
    return tuple(_parse_lines(text, name, _parse_entry))


def parse_stop_words(text: str, *, name: str) -> frozenset[str]:
    """Return the stop words of a file, one a line, in the form of the text; lines that begin with ``#`` are comments.

    Raises
    ------
    SettingError
        If a line holds more than one word; names the file and all such lines.
    """
    return frozenset(_parse_lines(text, name, _parse_word, comment="#"))


def parse_synonyms(text: str, *, name: str) -> tuple[tuple[str, str], ...]:
    r"""Return pairs (token, what replaces it) of a file in Solr's format.

    ``a, b => c`` replaces a and b by c; ``a, b, c`` replaces b and c by a; lines that begin with ``#`` are comments.

    Raises
    ------
    SettingError
        If a line does not say what replaces what, a token is replaced by two different ones, or by one that is replaced
        itself; names the file and all such lines.

    Examples
    --------
    >>> parse_synonyms("电脑, 计算机\nwifi, 无线 => 无线网络", name="synonyms.txt")
    (('计算机', '电脑'), ('wifi', '无线网络'), ('无线', '无线网络'))
    """
    target_of: dict[str, str] = {}

    def parse(_: str, form: str) -> None:
        sources, target = _parse_rule(form)
        for source in sources:
            if target_of.setdefault(source, target) != target:
                raise ValueError(f"{source!r} is already replaced by {target_of[source]!r}")
        if target in target_of or set(sources) & set(target_of.values()):
            raise ValueError("a token that replaces another is replaced itself; name the last one in both lines")

    for _ in _parse_lines(text, name, parse, comment="#"):
        pass
    return tuple(target_of.items())


@lru_cache(maxsize=1)
def builtin_stop_words() -> frozenset[str]:
    """Return common function words of Chinese and English: particles, pronouns, prepositions, auxiliaries."""
    texts = (files("simhash_udf.kernel").joinpath(name).read_text("utf-8") for name in _BUILTIN)
    return frozenset().union(*(parse_stop_words(text, name=name) for text, name in zip(texts, _BUILTIN, strict=True)))


def ineffective_entries(entries: Sequence[DictEntry], normalization: Normalization) -> tuple[DictEntry, ...]:
    """Return the entries that no text can match, as normalisation takes their punctuation (``c++``, ``node.js``)."""
    words = [entry.word for entry in entries]
    kept = normalize_words(words, normalization)
    found = normalize(pa.array(words, pa.string()), normalization).to_pylist()
    return tuple(entry for entry, a, b in zip(entries, kept, found, strict=True) if a != b)


def _parse_lines(
    text: str, name: str, parse: Callable[[str, str], Parsed], comment: str | None = None
) -> Iterator[Parsed]:
    """Parse every line that says something, given as it is and in normal form; all faults go into one message."""
    lines = [line.strip() for line in text.removeprefix("\ufeff").split("\n")]
    faults = []
    for number, (line, form) in enumerate(zip(lines, normalize_words(lines, _FORM), strict=True), 1):
        if not line or (comment and line.startswith(comment)):
            continue
        try:
            yield parse(line, form)
        except ValueError as error:
            faults.append(f"line {number}: {error}")
    if faults:
        more = [f"and {len(faults) - MAX_REPORTED_LINES} more"] if len(faults) > MAX_REPORTED_LINES else []
        raise SettingError(f"{name} has malformed lines: {'; '.join([*faults[:MAX_REPORTED_LINES], *more])}")


def _parse_entry(line: str, form: str) -> DictEntry:
    match = _ENTRY.fullmatch(line)
    if not match:
        raise ValueError(_why_no_entry(line))
    word = form.rsplit(" ", line.count(" "))[0]
    frequency = None if match[2] is None else int(match[2])
    stranger = _NOT_SEGMENTED.search(word)
    if stranger:
        raise ValueError(
            f"{word!r} would never match: the segmenter splits at {stranger[0]!r} (U+{ord(stranger[0]):04X}), "
            "as at all but Han characters from U+4E00 to U+9FD5, Latin letters, digits and + # & . _ % -"
        )
    if frequency is not None and frequency > MAX_FREQUENCY:
        raise ValueError(f"the frequency {frequency} is above {MAX_FREQUENCY}")
    if frequency == 0 and len(word) == 1:
        raise ValueError(f"frequency 0 forbids a word, but {word!r} is a single character and always remains a token")
    return DictEntry(word, frequency, match[3])


def _why_no_entry(line: str) -> str:
    """Say what keeps a line from being `word`, `word frequency` or `word frequency tag`."""
    if re.search(r"[^\S ]|  ", line):
        return f"{line!r} has a tab or several blanks; separate word, frequency and tag by one space"
    _, *rest = line.split(" ")
    if len(rest) > 2:
        return f"{line!r} has more than three fields; a word cannot hold a blank"
    if len(rest) == 2 and not re.fullmatch("[0-9]+", rest[0]):
        return f"{rest[0]!r} is no frequency; give a whole number, and no blank within the word"
    return f"{rest[-1]!r} is neither a whole frequency nor a tag of lower-case letters a to z"


def _parse_word(line: str, form: str) -> str:
    if " " in form:
        raise ValueError(f"{line!r} holds a blank; give one word a line, as tokens hold no blanks")
    return form


def _parse_rule(line: str) -> tuple[list[str], str]:
    """Return the tokens to be replaced and their replacement."""
    left, *right = line.split("=>")
    sources, targets = ([item.strip() for item in side.split(",")] for side in (left, right[0] if right else ""))
    if len(right) > 1 or (right and len(targets) > 1):
        raise ValueError(f"{line!r} must name one replacement after one =>")
    if not right:
        sources, targets = sources[1:], sources[:1]
    if not sources or not all((*sources, *targets)):
        raise ValueError(f"{line!r} lacks a token; write `a, b => c`, or `a, b, c` to replace b and c by a")
    if any(" " in item for item in (*sources, *targets)):
        raise ValueError(f"{line!r} has a blank within a token; one token is replaced by one token")
    return [source for source in sources if source != targets[0]], targets[0]
