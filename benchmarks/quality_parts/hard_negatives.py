"""Texts that look alike and are not the same: how many of them a setting puts into one group."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.quality_parts.close_texts import Index
from benchmarks.quality_parts.corpora import CORPORA, numbers_of
from benchmarks.quality_parts.kernel_runs import PRESETS, KernelRuns
from benchmarks.quality_parts.texts import Texts

KINDS = {
    "zh_vsdocs_revisions": "pages of one template",
    "zh_laws": "laws built alike",
    "zh_leetcode_same": "problems told alike",
}
SENTENCES = "zh_pawsx_pairs"
SHOWN = 3


@dataclass(frozen=True)
class Misled:
    """What a setting joined that should stay apart.

    Parameters
    ----------
    corpus, kind, setting
        Where, what sort of texts, and the name of the setting.
    pairs, joined
        Pairs that people or editors hold apart, and how many of them are in one group.
    groups, false_groups
        Groups, and those that hold documents of different clusters; for sentences pairs are all that is known.
    same, same_joined
        For sentences: pairs that mean the same, and how many of them are in one group.
    examples
        Ids of some of the pairs that were joined.
    """

    corpus: str
    kind: str
    setting: str
    pairs: int
    joined: int
    groups: int
    false_groups: int
    same: int
    same_joined: int
    examples: list[str]


def misled_by_pages(data: Path, name: str) -> list[Misled]:
    """Return what each preset joins of a corpus that has pairs of kind ``hard_negative``."""
    table = CORPORA[name].table(data)
    ids, clusters = table["id"].to_pylist(), numbers_of(table["cluster"])
    runs = KernelRuns(name, Texts(table["text"].combine_chunks()), clusters)
    judged = pq.read_table(data / f"{name}_pairs.parquet").to_pandas()
    place = {document: number for number, document in enumerate(ids)}
    # pairs may name documents that are in no set
    is_known = judged.id_a.isin(place) & judged.id_b.isin(place)
    apart = judged[(judged.kind == "hard_negative") & is_known]
    ends = np.array([[place[one], place[other]] for one, other in zip(apart.id_a, apart.id_b, strict=True)]).T
    found = []
    for preset, (setting, k) in PRESETS.items():
        groups = runs.groups(setting, k)
        if groups is not None:
            whole, false = count_groups(groups, clusters)
            about = (name, KINDS[name], preset)
            found.append(_counted(about, groups, ends, ids, (whole, false, 0, 0)))
    return found


def misled_by_sentences(data: Path) -> list[Misled]:
    """Return what each preset joins of sentence pairs that share most words and differ in a decisive one."""
    rows = pq.read_table(data / f"{SENTENCES}.parquet").to_pandas()
    documents = pa.array(np.stack([rows.text_a, rows.text_b], axis=1).ravel().tolist())
    unknown = np.zeros(len(documents), dtype=np.int64)
    runs = KernelRuns(SENTENCES, Texts(documents), unknown)
    first = 2 * np.arange(len(rows))
    ends, is_same = np.stack([first, first + 1]), (rows.label.astype(str) == "1").to_numpy()
    found = []
    for preset, (setting, k) in PRESETS.items():
        groups = runs.groups(setting, k)
        if groups is not None:
            same = ends[:, is_same]
            joined = int((groups[same[0]] == groups[same[1]]).sum())
            names = [name for name in rows.pair_id for _ in range(2)]
            about = (SENTENCES, "sentences that differ in a decisive word", preset)
            counts = (count_groups(groups, unknown)[0], 0, int(is_same.sum()), joined)
            found.append(_counted(about, groups, ends[:, ~is_same], names, counts))
    return found


def count_groups(groups: Index, clusters: Index) -> tuple[int, int]:
    """Return how many groups of two documents or more there are, and how many hold documents of two clusters or more.

    Examples
    --------
    >>> count_groups(np.array([0, 0, 1, 1, 2]), np.array([5, 5, 5, 6, 6]))
    (2, 1)
    """
    pairs, counts = np.unique(np.stack([groups, clusters]), axis=1, return_counts=True)
    size = np.bincount(pairs[0], weights=counts)
    kinds = np.bincount(pairs[0])
    return int((size > 1).sum()), int((kinds > 1).sum())


def measure(data: Path, place: Path) -> None:
    """Measure all sets that mislead and write the counts as JSON lines, unless they are there."""
    if place.exists():
        return
    found = [row for name in KINDS for row in misled_by_pages(data, name)]
    found += misled_by_sentences(data)
    place.write_text("".join(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in found), encoding="utf-8")


def read(place: Path) -> list[Misled]:
    """Return the counts that were written."""
    return [Misled(**json.loads(line)) for line in place.read_text(encoding="utf-8").splitlines()]


def _counted(
    about: tuple[str, str, str], groups: Index, ends: Index, names: list[str], counts: tuple[int, int, int, int]
) -> Misled:
    """Count the pairs that are in one group, and name the first of them."""
    joined = np.flatnonzero(groups[ends[0]] == groups[ends[1]])
    examples = [" ~ ".join(dict.fromkeys(names[end] for end in ends[:, pair])) for pair in joined[:SHOWN].tolist()]
    return Misled(*about, ends.shape[1], len(joined), *counts, examples)
