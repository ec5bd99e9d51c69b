"""jieba's dictionary with a user's own words, in memory: no cache file, no log lines, no change to jieba itself."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from simhash_udf.kernel.recipe import DictEntry

with warnings.catch_warnings():  # jieba 0.42 has escapes and an import that newer Pythons warn about
    warnings.simplefilter("ignore")
    import jieba
    from jieba import finalseg

_LOADING = threading.RLock()


class Dictionary(jieba.Tokenizer):  # type: ignore[misc]  # jieba has no types
    """A jieba tokenizer that reads its dictionary straight from the package, once, and writes no file anywhere."""

    initialized: bool

    def initialize(self, dictionary: Any = None) -> None:
        """Load the words and their frequencies; later calls do nothing."""
        with self.lock:
            if not self.initialized:
                self.FREQ, self.total = self.gen_pfdict(self.get_dict_file())
                self.initialized = True

    def with_entries(self, entries: Sequence[DictEntry]) -> Dictionary:
        """Return a copy that knows the entries too, added in order by the rules of jieba's `load_userdict`.

        A frequency of 0 takes the word out. jieba also notes such words in a list shared by all tokenizers of the
        process, so that its model does not put them together again; here that is the segmenter's task.
        """
        copy = Dictionary()
        copy.FREQ, copy.total, copy.initialized = dict(self.FREQ), self.total, True
        for entry in entries:
            copy._add(entry)
        return copy

    def _add(self, entry: DictEntry) -> None:
        frequency = self.suggest_freq(entry.word) if entry.frequency is None else entry.frequency
        self.FREQ[entry.word] = frequency
        self.total += frequency  # as jieba does, also for a word that was there
        for end in range(1, len(entry.word)):
            self.FREQ.setdefault(entry.word[:end], 0)

    def words(self) -> list[tuple[str, int]]:
        """Every word that can be cut out, with its frequency."""
        return [(word, frequency) for word, frequency in self.FREQ.items() if frequency > 0]


@lru_cache(maxsize=1)
def _plain_dictionary() -> Dictionary:
    dictionary = Dictionary()
    dictionary.initialize()
    return dictionary


def load_dictionary(entries: Sequence[DictEntry] = ()) -> Dictionary:
    """Return jieba's dictionary with the entries; about 0.7 s the first time in a process, then 0.05 s.

    Parameters
    ----------
    entries
        Words in the form that the text has after normalisation. A single character of frequency 0 is passed over: it
        remains a token whatever its frequency.
    """
    with _LOADING:
        dictionary = _plain_dictionary()
        useful = [entry for entry in entries if entry.frequency != 0 or len(entry.word) > 1]
        return dictionary.with_entries(useful) if useful else dictionary


def cut_unknown(run: str) -> list[str]:
    """Return what jieba's model for unknown words makes of a run of Han characters."""
    return list(finalseg.cut(run))
