"""Groups around representatives: every member within the edge rule of the one that leads it.

Nodes come in keep order. The first becomes a leader and takes every later node within the rule; the first of what is
left becomes the next leader; and so on. That equals keeping in each component what is near its representative and
grouping the rest again until nothing is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.bands import Band
from simhash_udf.kernel.edge_rule import EdgeRule, Words
from simhash_udf.kernel.plan import choose_plan

Rows = NDArray[np.int64]

BATCH_NODES = 1024
"""Nodes whose neighbours are looked up at a time."""

BATCH_PAIRS = 1 << 21
"""Pairs that a batch may look at, about 100 MB; one node alone may need more."""

FEW_NODES = 128
"""Up to here all pairs are compared: an index costs more."""

PLAN_SAMPLE = 20_000
"""Nodes that the choice of bands looks at."""


@dataclass(frozen=True)
class Followers:
    """n nodes in keep order, and what is settled of them.

    Parameters
    ----------
    component
        ``int64`` ``(n,)``: label; nodes of different components never share a leader.
    words
        ``uint64`` ``(n, r)``: fingerprints.
    is_leader
        ``bool`` ``(n,)``: nodes that lead already and follow nobody.
    refused
        ``int64`` ``(2, p)``: (leader, node) positions of nodes that must not follow that leader.
    """

    component: Rows
    words: Words
    is_leader: NDArray[np.bool_]
    refused: Rows


def find_leaders(nodes: Followers, rule: EdgeRule) -> Rows:
    """Return the position of each node's leader, its own where it leads: ``int64`` ``(n,)``.

    Notes
    -----
    Neighbours are found by band keys, so no pair is looked at that shares none; an index is built again over what is
    left whenever half of it is settled.

    Examples
    --------
    >>> words = np.array([[0b000], [0b001], [0b011]], np.uint64)  # a chain: the ends differ in two bits
    >>> chain = Followers(np.zeros(3, np.int64), words, np.zeros(3, bool), np.empty((2, 0), np.int64))
    >>> find_leaders(chain, EdgeRule(1, 8)).tolist()
    [0, 0, 2]
    """
    n = len(nodes.component)
    leader = np.where(nodes.is_leader, np.arange(n), -1)
    refused = np.sort(nodes.refused[0] * n + nodes.refused[1])
    left = np.arange(n)
    while len(left):
        index = _Index(nodes.words[left], _bands(nodes.words[left], rule))
        settled, at = 0, 0
        while at < len(left) and settled <= len(left) // 2:
            # 1 the next nodes that may lead, 2 all later nodes near them, 3 settled one after the other
            window = np.arange(at, min(at + BATCH_NODES, len(left)))
            leads = leader[left[window]]
            asking = window[(leads < 0) | (leads == left[window])]
            asked, first, second = index.pairs(asking)
            at = int(asked[-1]) + 1 if len(asked) < len(asking) else int(window[-1]) + 1
            first, second = left[first], left[second]
            kept = _may_follow(nodes, rule, leader, first, second)
            kept &= ~_is_in(refused, first * n + second)
            settled += len(asked) + _settle(leader, left[asked], first[kept], second[kept])
        rest = left[at:]
        left = rest[(leader[rest] < 0) | nodes.is_leader[rest]]
    return leader


def _may_follow(nodes: Followers, rule: EdgeRule, leader: Rows, first: Rows, second: Rows) -> NDArray[np.bool_]:
    """Which pairs are later nodes, still free, of the same component and within the rule."""
    kept = (second > first) & (leader[second] < 0) & (nodes.component[first] == nodes.component[second])
    rows = np.flatnonzero(kept)
    kept[rows] = rule.is_edge(nodes.words[first[rows]].T, nodes.words[second[rows]].T)
    return np.asarray(kept, dtype=np.bool_)


def _settle(leader: Rows, asked: Rows, first: Rows, second: Rows) -> int:
    """Let the asked nodes lead in order, each with those of its neighbours that are free; return how many followed."""
    order = np.argsort(first, kind="stable")
    first, second = first[order], second[order]
    bounds = np.searchsorted(first, asked).tolist()
    followed = 0
    for node, (start, end) in zip(asked.tolist(), pairwise([*bounds, len(first)]), strict=True):
        if leader[node] not in (-1, node):
            continue
        leader[node] = node
        near = second[start:end]
        free = np.unique(near[leader[near] < 0])
        leader[free] = node
        followed += len(free)
    return followed


def _is_in(ordered: Rows, values: Rows) -> NDArray[np.bool_]:
    """Which values are in a sorted array."""
    if not len(ordered):
        return np.zeros(len(values), dtype=np.bool_)
    found: NDArray[np.bool_] = ordered[np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)] == values
    return found


def _bands(words: Words, rule: EdgeRule) -> tuple[Band, ...]:
    """Bands of lowest cost for these nodes; none for a few."""
    if len(words) <= FEW_NODES:
        return ()
    sample = np.unique(words[:: max(len(words) // PLAN_SAMPLE, 1)], axis=0)
    return choose_plan(sample, len(words), max_distance=rule.max_distance).bands


class _Index:
    """Nodes sorted by the key of each band."""

    def __init__(self, words: Words, bands: tuple[Band, ...]) -> None:
        self._n = len(words)
        self._words = words
        self._bands = bands
        keys = list(self._keys(slice(None)))
        self._orders = [np.argsort(key, kind="stable") for key in keys]
        self._sorted = [key[order] for key, order in zip(keys, self._orders, strict=True)]

    def pairs(self, asking: Rows) -> tuple[Rows, Rows, Rows]:
        """Return how far a batch goes within `BATCH_PAIRS`, and every (asking node, node that shares a key) of it."""
        low = np.zeros((len(self._bands), len(asking)), dtype=np.int64)
        high = low.copy()
        for band, key in enumerate(self._keys(asking)):
            low[band] = np.searchsorted(self._sorted[band], key, side="left")
            high[band] = np.searchsorted(self._sorted[band], key, side="right")
        counts = high - low
        per_node = counts.sum(axis=0) if self._bands else np.full(len(asking), self._n)
        taken = max(int(np.searchsorted(np.cumsum(per_node), BATCH_PAIRS, side="right")), min(len(asking), 1))
        asked = asking[:taken]
        if not self._bands or (taken == 1 and per_node[0] > self._n):
            return asked, np.repeat(asked, self._n), np.tile(np.arange(self._n), taken)
        first = [np.repeat(asked, counts[band, :taken]) for band in range(len(self._bands))]
        second = [order[_ranges(low[band, :taken], counts[band, :taken])] for band, order in enumerate(self._orders)]
        return asked, np.concatenate(first), np.concatenate(second)

    def _keys(self, rows: Rows | slice) -> Iterator[Words]:
        for band in self._bands:
            yield self._words[rows, band.view] & np.uint64(band.mask)


def _ranges(starts: Rows, sizes: Rows) -> Rows:
    """The numbers of all ranges, one range after the other."""
    ends = np.cumsum(sizes)
    return np.repeat(starts - (ends - sizes), sizes) + np.arange(sizes.sum())
