"""What a run on the sample corpus found, against what was planted in it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds

Row = Mapping[str, Any]
Pair = tuple[Row, Row]


@dataclass(frozen=True)
class Corpus:
    """Documents of a sample corpus and the groups that a run found in it, both by document id."""

    documents: dict[str, Row]
    groups: dict[str, Row]


def read_corpus(corpus: Path, result: Path) -> Corpus:
    """Return the documents of the sample in `corpus` and the groups in `result`."""
    documents = ds.dataset(corpus, partitioning="hive").to_table().to_pylist()
    groups = ds.dataset(result / "groups").to_table().to_pylist()
    return Corpus({row["id"]: row for row in documents}, {row["doc_id"]: row for row in groups})


def found_by_kind(corpus: Corpus) -> dict[str, tuple[int, int]]:
    """Return for each kind of copy how many were planted and how many are in one group with their original."""
    originals = {row["cluster"]: key for key, row in corpus.documents.items() if row["kind"] == "original"}
    planted: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for key, row in corpus.documents.items():
        original = originals.get(row["cluster"])
        if original is not None and original != key:
            planted[row["kind"]] += 1
            found[row["kind"]] += _is_one_group(corpus, key, original)
    return {kind: (planted[kind], found[kind]) for kind in planted}


def wrong_by_kind(corpus: Corpus) -> dict[str, int]:
    """Return for each kind how many documents are in one group with a document of another cluster."""
    clusters = _clusters_of_groups(corpus)
    wrong = (key for key, row in corpus.groups.items() if len(clusters[row["group_id"]]) > 1)
    return dict(Counter(str(corpus.documents[key]["kind"]) for key in wrong))


def precision_and_recall(corpus: Corpus) -> tuple[float, float]:
    """Return how many of the pairs in a group are of one cluster, and how many of those of a cluster are in one group.

    Both are shares of 1, and 1 where there is no such pair.
    """
    clusters = _clusters_of_groups(corpus)
    right = sum(_pairs(members.values()) for members in clusters.values())
    grouped = _pairs(members.total() for members in clusters.values())
    planted = Counter(row["cluster"] for row in corpus.documents.values() if row["cluster"] is not None)
    alike = _pairs(planted.values())
    return (right / grouped if grouped else 1.0), (right / alike if alike else 1.0)


def right_and_wrong_groups(corpus: Corpus) -> tuple[list[Pair], list[Pair]]:
    """Return the groups that hold one cluster and those that mix several, each as kept row and farthest member.

    Groups of equal texts alone are left out. The largest come first.
    """
    farthest: dict[int, Row] = {}
    for row in sorted(corpus.groups.values(), key=lambda row: str(row["doc_id"])):
        if row["match"] == "near" and not row["is_representative"]:
            best = farthest.setdefault(row["group_id"], row)
            if row["distance"] > best["distance"]:
                farthest[row["group_id"]] = row
    clusters = _clusters_of_groups(corpus)
    right: list[Pair] = []
    wrong: list[Pair] = []
    for row in sorted(farthest.values(), key=lambda row: (-row["group_size"], row["group_id"])):
        pair = corpus.groups[row["representative_id"]], row
        (right if len(clusters[row["group_id"]]) == 1 else wrong).append(pair)
    return right, wrong


def _is_one_group(corpus: Corpus, first: str, second: str) -> bool:
    rows = corpus.groups.get(first), corpus.groups.get(second)
    return rows[0] is not None and rows[1] is not None and rows[0]["group_id"] == rows[1]["group_id"]


def _clusters_of_groups(corpus: Corpus) -> dict[int, Counter[str]]:
    clusters: dict[int, Counter[str]] = defaultdict(Counter)
    for key, row in corpus.groups.items():
        clusters[row["group_id"]][corpus.documents[key]["cluster"]] += 1
    return clusters


def _pairs(sizes: Iterable[int]) -> int:
    return sum(comb(size, 2) for size in sizes)
