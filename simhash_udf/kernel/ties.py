"""Let jieba's own model decide where two readings of a run of unknown words are equally likely.

jieba joins what its dictionary leaves as single characters by a hidden Markov model. Two readings of one run have
exactly the same likelihood if they use the same characters in the same roles and the same steps between roles, in
another order. Then rounding decides, and two programs that round differently differ. Going through all forms of runs
of up to eight characters shows that this takes at least five characters and two repetitions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from simhash_udf.kernel.jieba_dictionary import cut_unknown
from simhash_udf.kernel.segmenter import HAN

MIN_RUN = 5
MIN_REPETITIONS = 2

_THRICE = re.compile(r"(.)\1\1")
_HAN_THRICE = re.compile(f"([{HAN}])\\1\\1")
_ONE_HAN = re.compile(f"[{HAN}]")


def may_tie(text: str) -> bool:
    """Whether a Han character stands three times in a row; one fast search for the many texts in which none does."""
    return bool(_THRICE.search(text) and _HAN_THRICE.search(text))


def settle_ties(words: list[str], route: list[str], has_word: Callable[[str], bool]) -> list[str]:
    """Return the words with those of every run that can tie cut by jieba's model.

    Parameters
    ----------
    words, route
        The segmentation of one text with and without the model.
    has_word
        Whether the dictionary has a word.
    """
    settled: list[str] = []
    position, left = 0, iter(words)
    for start, run in _runs(route):
        if len(run) < MIN_RUN or len(run) - len(set(run)) < MIN_REPETITIONS or has_word(run):
            continue
        while position < start:
            settled.append(next(left))
            position += len(settled[-1])
        settled += cut_unknown(run)
        while position < start + len(run):  # the model never joins across the end of a run
            position += len(next(left))
    return settled + list(left)


def _runs(route: list[str]) -> Iterator[tuple[int, str]]:
    """Begin and text of every run of single Han characters."""
    start, run = 0, ""
    for word in route:
        if len(word) == 1 and _ONE_HAN.match(word):
            run += word
            continue
        if run:
            yield start, run
        start += len(run) + len(word)
        run = ""
    if run:
        yield start, run
