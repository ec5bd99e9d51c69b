"""Connected components in rounds that can be shared out: contract pieces, then settle each node where it lives.

A piece is any set of edges. In it every node gets the label of its component there; the label is one of the nodes.
Each (node, label) pair goes to the place where the node lives, so one place sees all labels of a node. Then

1. a node that is a label somewhere stays, any other points to its smallest label and leaves;
2. the labels of a node are joined to the smallest of them: the edges of the next round, between nodes that stay;
3. these are the next piece.

No step connects or parts components, every node but one of a component leaves in the end, and a node without pairs is
the last of its component. Nodes have mixed ids, so their order has nothing to do with the graph: even of a chain in the
order of its ids, in pieces of one edge each, a third of the nodes leaves in a round. The smallest id of what has been
contracted into a node travels with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.forest import connected_components

Nodes = NDArray[np.int64]
Pairs = NDArray[np.int64]

# Moremur (Evensen 2019): a finaliser of good avalanche; every step can be undone.
_SHIFTS = (np.uint64(27), np.uint64(33), np.uint64(27))
_FACTORS = (0x3C79AC492BA7B653, 0x1C69B3F74AC4AE35)


@dataclass(frozen=True)
class Settled:
    """What became of the nodes of one place in a round.

    Attributes
    ----------
    pointers : ndarray of int64, shape (a, 2)
        Ids of a node that leaves and of the one that it points to.
    roots : ndarray of int64, shape (b, 2)
        Id of the last node of a component, and the smallest id in it.
    pairs : ndarray of int64, shape (c, 2)
        Mixed node and label for the next round.
    smallest : ndarray of int64, shape (d, 2)
        Mixed node, and the smallest id that has been contracted into it here; each node once.
    """

    pointers: Pairs
    roots: Pairs
    pairs: Pairs
    smallest: Pairs


def mix_ids(ids: Nodes) -> Nodes:
    """Return the ids as other numbers, one to one, whose order says nothing of theirs."""
    words = ids.view(np.uint64)
    for shift, factor in zip(_SHIFTS, _FACTORS, strict=False):
        words = (words ^ words >> shift) * np.uint64(factor)
    return (words ^ words >> _SHIFTS[2]).view(np.int64)


def unmix_ids(mixed: Nodes) -> Nodes:
    """Return the ids that `mix_ids` made these numbers of."""
    words = _undo_shift(mixed.view(np.uint64), _SHIFTS[2])
    for shift, factor in zip(_SHIFTS[1::-1], _FACTORS[::-1], strict=True):
        words = _undo_shift(words * np.uint64(pow(factor, -1, 1 << 64)), shift)
    return words.view(np.int64)


def contract_edges(src: Nodes, dst: Nodes) -> Pairs:
    """Return each node of a piece with its label, the smallest number of its component there, as ``(n, 2)``."""
    return np.column_stack(connected_components(src, dst))


def settle_nodes(pairs: Pairs, smallest: Pairs) -> Settled:
    """Settle the nodes that live in one place.

    Parameters
    ----------
    pairs : ndarray of int64, shape (m, 2)
        All (node, label) pairs of these nodes, mixed, in any order and repeated or not.
    smallest : ndarray of int64, shape (k, 2)
        Mixed nodes and ids that have been contracted into them. Every node that came out of a round has one.
    """
    order = np.argsort(pairs[:, 0])
    node, label = pairs[order, 0], pairs[order, 1]
    first = _starts(node)
    nodes, lowest = node[first], _lowest(label, first)
    group = np.repeat(np.arange(len(first)), np.diff(first, append=len(node)))
    stays = np.zeros(len(nodes), np.bool_)
    stays[group[node == label]] = True
    leaves = ~stays
    known = _smallest_of_each(np.concatenate([smallest, np.column_stack([nodes, unmix_ids(nodes)])]))
    has_pairs = np.isin(known[:, 0], nodes, assume_unique=True)
    roots, known = known[~has_pairs], known[has_pairs]  # both ascend, so the second is of `nodes`
    # 1 stay or leave, 2 edges between labels, 3 contracted
    low = lowest[group]
    joins = low != label
    return Settled(
        pointers=np.column_stack([unmix_ids(nodes[leaves]), unmix_ids(lowest[leaves])]),
        roots=np.column_stack([unmix_ids(roots[:, 0]), roots[:, 1]]),
        pairs=contract_edges(low[joins], label[joins]),
        smallest=_smallest_of_each(np.column_stack([np.where(stays, nodes, lowest), known[:, 1]])),
    )


def _smallest_of_each(values: Pairs) -> Pairs:
    """Return each node once, ascending, with the smallest of its values."""
    values = values[np.argsort(values[:, 0])]
    first = _starts(values[:, 0])
    return np.column_stack([values[first, 0], _lowest(values[:, 1], first)])


def _starts(ordered: Nodes) -> NDArray[np.intp]:
    """Positions at which a new number begins."""
    return np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])


def _lowest(values: Nodes, first: NDArray[np.intp]) -> Nodes:
    """Smallest value of each stretch that begins at one of the positions."""
    lowest: Nodes = np.minimum.reduceat(values, first) if len(first) else values[:0]
    return lowest


def _undo_shift(words: NDArray[np.uint64], shift: np.uint64) -> NDArray[np.uint64]:
    """Undo ``x ^= x >> shift`` for shifts of 22 bits or more."""
    before: NDArray[np.uint64] = words ^ words >> shift ^ words >> (shift + shift)
    return before
