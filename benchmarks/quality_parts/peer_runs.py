"""MinHash packages, each over its thresholds, in an environment and a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peer_adapters.catalogue import PEERS, Setting
from benchmarks.peer_adapters.environments import NotInstallableError, python_of, versions
from benchmarks.peer_adapters.measure import Task, measure
from benchmarks.quality_parts.corpora import CORPORA, Corpus
from benchmarks.quality_parts.results import Figures, Results

MINHASH = ("datasketch", "text-dedup")


@dataclass(frozen=True)
class PeerRuns:
    """Where the peers find what they need.

    Parameters
    ----------
    data, work
        The labelled files, and a directory for environments and scratch files.
    interpreters
        Other Pythons, for packages that do not run on this one.
    limit_s
        Seconds for one run.
    """

    data: Path
    work: Path
    interpreters: tuple[Path, ...]
    limit_s: float = 800

    def measure(self, corpus: str, results: Results) -> None:
        """Measure every setting of every peer on the corpus that is not among the results."""
        for peer in MINHASH:
            for setting in settings_of(peer, CORPORA[corpus]):
                name = shown(setting)
                if results.get(corpus, peer, name) is None:
                    results.add(self._run(corpus, peer, setting))

    def _run(self, corpus: str, peer: str, setting: Setting) -> Figures:
        name = shown(setting)
        try:
            python = python_of(PEERS[peer], self.work / "envs", list(self.interpreters))
        except NotInstallableError as reason:
            return Figures(corpus, peer, name, note=f"not installed: {reason}")
        file = CORPORA[corpus].write(self.data, self.work)
        task = Task(peer, PEERS[peer].adapter, setting, PEERS[peer].workers[-1], file, self.limit_s, self.work)
        outcome = measure(task, python)
        note = outcome.problem or versions(PEERS[peer], python)
        return Figures(corpus, peer, name, outcome.precision, outcome.recall, note)


def settings_of(peer: str, corpus: Corpus) -> Iterator[Setting]:
    """Yield the thresholds, with n-grams that suit the texts: single words of a clause are no n-gram of Chinese."""
    short = corpus.kind == "short"
    if peer == "datasketch":
        for threshold in (0.3, 0.4, 0.5, 0.6) if short else (0.4, 0.5, 0.6, 0.7):
            yield {"tokens": "char2" if short else "char5", "threshold": threshold}
        return
    cut, ngram = {"short": ("char", 2), "spaced": ("none", 3), "long": ("char", 5)}[corpus.kind]
    for threshold in (0.4, 0.5, 0.6):
        yield {"cut": cut, "ngram": ngram, "threshold": threshold, "check": True}


def shown(setting: Setting) -> str:
    """Return a setting in words."""
    if "tokens" in setting:
        return f"{setting['tokens'].lstrip('char')}-grams of characters, {setting['threshold']}"
    unit = "words" if setting["cut"] == "none" else "characters"
    return f"{setting['ngram']}-grams of {unit}, {setting['threshold']}, checked"
