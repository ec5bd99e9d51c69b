"""Labels: which documents are the same, as somebody judged; read from rows of text, checked, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from simhash_udf.errors import InputError

Index = NDArray[np.int64]

YES = frozenset({"1", "1.0", "true", "t", "yes", "y"})
NO = frozenset({"0", "0.0", "false", "f", "no", "n"})
UNDECIDED = frozenset({"", "-1", "-1.0"})
"""What stands for a pair that nobody could judge; a null does, too."""

KINDS_OF_MEMBER = ("rows_without_id", "rows_without_cluster")
KINDS_OF_PAIR = ("rows_without_id", "pairs_with_itself", "pairs_undecided")
"""Why rows are left out."""

SHOWN = 3
"""Values that a message quotes."""


@dataclass(frozen=True)
class JudgedPairs:
    """Pairs that were judged, as positions in the labels' ids, each pair once."""

    left: Index
    right: Index
    is_duplicate: NDArray[np.bool_]


@dataclass(frozen=True)
class Labels:
    """What is known of some documents.

    Attributes
    ----------
    ids
        Their ids as text, each once, in order.
    cluster
        ``int64`` ``(n,)``: number of each one's true cluster. Of pairs it is what duplicates make, taken together.
    pairs
        The pairs that were judged; None if whole clusters are known.
    counts
        What was read and what was left out, by name.
    """

    ids: NDArray[Any]
    cluster: Index
    pairs: JudgedPairs | None
    counts: dict[str, int] = field(default_factory=dict)

    def take(self, is_there: NDArray[np.bool_]) -> Labels:
        """Return the labels of some of the documents; pairs stay where both are there."""
        number = np.cumsum(is_there) - 1
        pairs, counts = self.pairs, self.counts | {"labelled_documents": int(is_there.sum())}
        if pairs is not None:
            stays = is_there[pairs.left] & is_there[pairs.right]
            pairs = JudgedPairs(
                number[pairs.left[stays]].astype(np.int64),
                number[pairs.right[stays]].astype(np.int64),
                pairs.is_duplicate[stays],
            )
            counts = counts | _counts_of_pairs(pairs, self.cluster[is_there])
        return Labels(self.ids[is_there], self.cluster[is_there], pairs, counts)

    def check(self, place: str) -> Labels:
        """Return the labels, refused if they hold nothing that a search could be right or wrong about.

        Raises
        ------
        InputError
            There is no true pair; or pairs were judged, and none as different.
        """
        if self.pairs is not None and not self.pairs.is_duplicate.any():
            raise InputError(f"labels={place}: no pair of two known documents is a duplicate; label some that are")
        if self.pairs is not None and self.pairs.is_duplicate.all():
            raise InputError(
                f"labels={place}: no pair of two known documents is labelled different, so precision cannot be "
                "measured; add pairs that look alike and are not, with is_duplicate=0, or give clusters"
            )
        if self.pairs is None and (not len(self.ids) or np.bincount(self.cluster).max() < 2):
            raise InputError(f"labels={place}: no cluster has two known documents, so there is no pair to find")
        return self


def parse_clusters(rows: pa.Table, place: str) -> Labels:
    """Return the labels of rows ``(id, cluster)`` of text.

    Rows without an id or a cluster are left out and counted; a row that is there twice counts once.

    Raises
    ------
    InputError
        An id has two clusters.
    """
    kept, counts = _sorted_out([_kind_of_member(*row) for row in _rows(rows)], rows, KINDS_OF_MEMBER)
    names, numbers = _numbered(kept[0])
    cluster = _numbered(kept[1])[1]
    of_name = np.zeros(len(names), dtype=np.int64)
    of_name[numbers] = cluster
    clashing = np.unique(numbers[of_name[numbers] != cluster])
    if len(clashing):
        shown = ", ".join(names[clashing[:SHOWN]])
        raise InputError(f"labels={place}: {len(clashing)} ids have two clusters ({shown}); give each id one")
    return Labels(names, of_name, None, counts | {"labelled_documents": len(names)})


def parse_pairs(rows: pa.Table, place: str) -> Labels:
    """Return the labels of rows ``(id_1, id_2, is_duplicate)`` of text.

    Rows without an id, of a document with itself, or undecided (see `UNDECIDED`) are left out and counted; a pair that
    is there twice, in either order, counts once.

    Raises
    ------
    InputError
        A value of ``is_duplicate`` means neither yes nor no, or a pair is labelled both ways.
    """
    _refuse_other_values(rows.column(2), place)
    kept, counts = _sorted_out([_kind_of_pair(*row) for row in _rows(rows)], rows, KINDS_OF_PAIR)
    names, ends = _numbered(np.concatenate(kept[:2]))
    ends = np.sort(ends.reshape(2, -1), axis=0)  # either order is the same pair
    is_duplicate = np.array([_plain(value) in YES for value in kept[2]], dtype=bool)
    pairs = _distinct_pairs(ends, is_duplicate, names, place)
    cluster = _joined(pairs, len(names))
    counts = counts | {"labelled_documents": len(names)} | _counts_of_pairs(pairs, cluster)
    return Labels(names, cluster, pairs, counts)


def _kind_of_member(name: str | None, cluster: str | None) -> str:
    return "rows_without_id" if name is None else "rows_without_cluster" if cluster is None else ""


def _kind_of_pair(one: str | None, other: str | None, judged: str | None) -> str:
    if one is None or other is None:
        return "rows_without_id"
    if one == other:
        return "pairs_with_itself"
    return "pairs_undecided" if judged is None or _plain(judged) in UNDECIDED else ""


def _rows(rows: pa.Table) -> Iterator[tuple[str | None, ...]]:
    return zip(*(column.to_pylist() for column in rows.columns), strict=True)


def _sorted_out(kinds: list[str], rows: pa.Table, names: Sequence[str]) -> tuple[list[NDArray[Any]], dict[str, int]]:
    """The columns of the usable rows as arrays of Python strings, and how many others there are of each kind."""
    counted = Counter(kinds)
    usable = rows.filter(pa.array([not kind for kind in kinds], pa.bool_()))
    columns = [np.array(column.to_pylist(), dtype=object) for column in usable.columns]
    return columns, {"label_rows": len(kinds)} | {name: counted[name] for name in names}


def _numbered(texts: NDArray[Any]) -> tuple[NDArray[Any], Index]:
    """Different texts in order, and each one's place among them."""
    names, numbers = np.unique(texts, return_inverse=True)
    return names, numbers.reshape(-1).astype(np.int64)


def _distinct_pairs(ends: Index, values: NDArray[np.bool_], names: NDArray[Any], place: str) -> JudgedPairs:
    keys, number = np.unique(ends[0] * len(names) + ends[1], return_inverse=True)
    pairs, number = np.stack(np.divmod(keys, max(len(names), 1))), number.reshape(-1)
    is_duplicate = np.zeros(pairs.shape[1], dtype=bool)
    is_duplicate[number] = values
    clashing = np.unique(number[is_duplicate[number] != values])
    if len(clashing):
        shown = ", ".join(f"{names[a]} and {names[b]}" for a, b in pairs[:, clashing[:SHOWN]].T)
        raise InputError(
            f"labels={place}: {len(clashing)} pairs are labelled both duplicate and different ({shown}); decide"
        )
    return JudgedPairs(pairs[0], pairs[1], is_duplicate)


def _joined(pairs: JudgedPairs, n: int) -> Index:
    """Clusters that the duplicates make, taken together."""
    src, dst = pairs.left[pairs.is_duplicate], pairs.right[pairs.is_duplicate]
    graph = sparse.coo_matrix((np.ones(len(src)), (src, dst)), shape=(n, n))
    return np.asarray(csgraph.connected_components(graph, directed=False)[1]).astype(np.int64)


def _counts_of_pairs(pairs: JudgedPairs, cluster: Index) -> dict[str, int]:
    """What the pairs say; contradictions are different documents that duplicates join."""
    is_inside = cluster[pairs.left] == cluster[pairs.right]
    return {
        "pairs_duplicate": int(pairs.is_duplicate.sum()),
        "pairs_different": int((~pairs.is_duplicate).sum()),
        "pairs_contradicted": int((is_inside & ~pairs.is_duplicate).sum()),
    }


def _plain(value: str) -> str:
    return value.strip().lower()


def _refuse_other_values(judged: pa.ChunkedArray, place: str) -> None:
    known = YES | NO | UNDECIDED
    others = [value for value in judged.to_pylist() if value is not None and _plain(value) not in known]
    if others:
        shown = ", ".join(repr(value) for value in list(dict.fromkeys(others))[:SHOWN])
        raise InputError(
            f"labels={place}: {len(others)} rows say neither yes nor no ({shown}); write 1 for a duplicate, 0 for a "
            "different document, nothing where it is undecided"
        )
