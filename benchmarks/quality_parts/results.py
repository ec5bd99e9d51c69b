"""Figures of one setting on one corpus, and the file of them that a run goes on from."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from simhash_udf.evaluation.metrics import harmonic_mean


@dataclass(frozen=True)
class Figures:
    """Pairs of documents in one group against pairs in one cluster.

    Parameters
    ----------
    corpus, part, name
        The corpus, who was measured (``kernel``, ``job``, a peer), and the setting in words.
    precision, recall
        None where the run was left out or failed.
    note
        Why it was; for peers that ran, their versions.
    """

    corpus: str
    part: str
    name: str
    precision: float | None = None
    recall: float | None = None
    note: str = ""

    @property
    def f1(self) -> float:
        """Harmonic mean of the two, -1 if there is none."""
        if self.precision is None or self.recall is None:
            return -1.0
        return float(harmonic_mean(self.precision, self.recall))

    def cell(self) -> str:
        """Return F1 (precision/recall), a dash if there is none."""
        return f"{self.f1:.3f} ({self.precision:.2f}/{self.recall:.2f})" if self.f1 >= 0 else "–"


class Results:
    """The file of figures: what is in it is not measured again."""

    def __init__(self, place: Path) -> None:
        self._place = place
        lines = place.read_text(encoding="utf-8").splitlines() if place.exists() else []
        made = (Figures(**json.loads(line)) for line in lines)
        self._held = {(each.corpus, each.part, each.name): each for each in made}

    def get(self, corpus: str, part: str, name: str) -> Figures | None:
        """Return what was measured, None if it was not."""
        return self._held.get((corpus, part, name))

    def of(self, corpus: str, part: str) -> list[Figures]:
        """Return the figures of a part on a corpus, in the order in which they were measured."""
        return [each for each in self._held.values() if (each.corpus, each.part) == (corpus, part)]

    def add(self, figures: Figures) -> None:
        """Append to the file."""
        self._held[figures.corpus, figures.part, figures.name] = figures
        self._place.parent.mkdir(parents=True, exist_ok=True)
        with self._place.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(figures), ensure_ascii=False) + "\n")
