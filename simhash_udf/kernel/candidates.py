"""The next pairs to compare in components where the texts of an edge turned out to differ.

Edges that hold leave a component in fragments. A candidate is a pair of texts within the edge rule, in different
fragments of one component, that was not compared before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.edge_rule import EdgeRule, Words

CHUNK_CELLS = 1 << 16
"""Pairs whose distance is worked out at a time: half a MB, so that they stay in the cache."""

BITS = 64

MAX_BLOCK = 1 << 15
"""Texts whose fingerprints are compared each with each: 2^30 comparisons take 2 to 5 seconds."""

Rows = NDArray[np.int64]
Distances = NDArray[np.uint8]


@dataclass(frozen=True)
class Fragments:
    """n texts in the order of (component, text id), with what is known of them.

    Parameters
    ----------
    component, fragment
        ``int64`` ``(n,)``: labels; texts of one fragment are of one component.
    words
        ``uint64`` ``(n, r)``: fingerprints.
    compared
        ``int64`` ``(2, p)``: positions of the pairs that were compared.
    """

    component: Rows
    fragment: Rows
    words: Words
    compared: Rows


def next_candidates(texts: Fragments, rule: EdgeRule, *, per_text: int, turn: int) -> tuple[Rows, Rows, Distances]:
    """Return the pairs to compare next.

    Every text takes the nearest candidate in each other fragment, and of those the ``per_text`` nearest; ties by text
    id. A component of more than `MAX_BLOCK` texts is cut into blocks of neighbours, in another order every ``turn``,
    and candidates are looked for inside the blocks.

    Parameters
    ----------
    texts
        The texts of whole components.
    rule
        When two texts are near enough to be compared.
    per_text
        Pairs that one text may ask for.
    turn
        Number of the round, from 0.

    Returns
    -------
    left, right
        ``int64`` ``(q,)``: positions of texts, left < right, each pair once, in order.
    distance
        ``uint8`` ``(q,)``.

    Notes
    -----
    At most n × per_text pairs; quadratic in `MAX_BLOCK` or the size of a component, whichever is smaller, on numbers.
    """
    n = len(texts.component)
    seen = _Pairs(n, texts.compared)
    parts = [np.empty((3, 0), np.int64)]
    for block in _blocks(texts, turn):
        parts.append(_candidates_of_block(block, texts, rule, seen, per_text))
    left, right, distance = np.concatenate(parts, axis=1)
    _, first = np.unique(left * n + right, return_index=True)
    return left[first], right[first], distance[first].astype(np.uint8)


class _Pairs:
    """The pairs that were compared, found by either end."""

    def __init__(self, n: int, pairs: Rows) -> None:
        both = np.concatenate([pairs, pairs[::-1]], axis=1)
        order = np.argsort(both[0], kind="stable")
        self._other = both[1][order]
        self._starts = np.searchsorted(both[0][order], np.arange(n + 1))

    def of(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return (which of the rows, position of the other text) of every pair of these rows."""
        sizes = self._starts[rows + 1] - self._starts[rows]
        ends = np.cumsum(sizes)
        entries = np.repeat(self._starts[rows] - (ends - sizes), sizes) + np.arange(sizes.sum())
        return np.repeat(np.arange(len(rows)), sizes), self._other[entries]


def _blocks(texts: Fragments, turn: int) -> Iterator[Rows]:
    """Positions, ascending, of the texts of each component with two fragments or more, cut to `MAX_BLOCK`."""
    changes = np.flatnonzero(texts.component[1:] != texts.component[:-1]) + 1
    bounds = [0, *changes.tolist(), len(texts.component)]
    for start, end in pairwise(bounds):
        if start == end or (texts.fragment[start:end] == texts.fragment[start]).all():
            continue
        if end - start <= MAX_BLOCK:
            yield np.arange(start, end)
            continue
        view, shift = turn % texts.words.shape[1], np.uint64(16 * turn % 64)
        words = texts.words[start:end, view]
        turned = (words << shift) | (words >> ((np.uint64(64) - shift) % np.uint64(64)))
        order = start + np.argsort(turned, kind="stable")
        yield from (np.sort(order[i : i + MAX_BLOCK]) for i in range(0, len(order), MAX_BLOCK))


def _candidates_of_block(block: Rows, texts: Fragments, rule: EdgeRule, seen: _Pairs, per_text: int) -> Rows:
    """Candidates among the texts of a block, as (left, right, distance) ``(3, q)``, some of them twice."""
    words = np.ascontiguousarray(texts.words[block].T)
    _, fragment = np.unique(texts.fragment[block], return_inverse=True)
    place_of = np.full(int(block[-1] - block[0]) + 1, -1)
    place_of[block - block[0]] = np.arange(len(block))
    step = max(CHUNK_CELLS // len(block), 1)
    found = [np.empty((3, 0), np.int64)]
    for start in range(0, len(block), step):
        rows = block[start : start + step]
        distance = rule.nearest(words[:, start : start + step, None], words[:, None, :])
        # 1 leave out what was compared
        which, other = seen.of(rows)
        inside = (other >= block[0]) & (other <= block[-1])
        column = place_of[other[inside] - block[0]]
        distance[which[inside][column >= 0], column[column >= 0]] = BITS
        # 2 near in one view, 3 in another fragment, 4 near over all views
        row, column = np.nonzero(distance <= rule.max_distance)
        other_fragment = fragment[start + row] != fragment[column]
        row, column = row[other_fragment], column[other_fragment]
        is_edge = rule.is_within_total(words[:, start + row], words[:, column])
        row, column = row[is_edge], column[is_edge]
        # 5 the nearest few
        row, column, near = _nearest(row, fragment[column], distance[row, column], column, per_text)
        ends = rows[row], block[column]
        found.append(np.stack([np.minimum(*ends), np.maximum(*ends), near]))
    return np.concatenate(found, axis=1)


def _nearest(row: Rows, fragment: Rows, distance: Distances, column: Rows, per_text: int) -> tuple[Rows, Rows, Rows]:
    """The pairs that each row takes, as (row, column, distance): one in each fragment, then the first few.

    Keys of (row, fragment, distance, column) are packed in one word, of 16, 16, 4 and 16 bits, which sorts ten times as
    fast as four columns.
    """
    key = (row << 36) | (fragment << 20) | (distance.astype(np.int64) << 16) | column
    key.sort()
    is_first = np.ones(len(key), dtype=np.bool_)
    is_first[1:] = (key[1:] >> 20) != (key[:-1] >> 20)
    key = key[is_first]
    key = (key >> 36 << 20) | (key & ((1 << 20) - 1))
    key.sort()
    row = key >> 20
    key = key[np.arange(len(key)) - np.searchsorted(row, row, side="left") < per_text]
    return key >> 20, key & 0xFFFF, (key >> 16) & 0xF
