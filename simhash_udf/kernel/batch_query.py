"""A batch against everything before it: which of its nodes are near which stored ones.

The batch is indexed, and the stored nodes are the queries: the batch is small and is held whole by every task, the
store is large and is read once (the batch query of Manku, Jain, Das Sarma 2007). What is kept of the pairs is their
minimum spanning forest as a graph of two sides, so memory stays bounded however many stored nodes are near one another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simhash_udf.kernel.band_index import BandIndex, Matches
from simhash_udf.kernel.bits import node_ids
from simhash_udf.kernel.edge_rule import EdgeRule
from simhash_udf.kernel.forest import forest_of_numbers

Words = NDArray[np.uint64]
Ids = NDArray[np.int64]

# About 17 bytes a pair, and as much again while they are contracted.
_PAIRS_HELD = 4_000_000
# Stored nodes of a chunk that have this many pairs each are taken once: copies of one page need not be asked for again.
_CROWDED = 4


@dataclass(frozen=True)
class Batch:
    """What the tasks of a scan look for.

    Attributes
    ----------
    words : ndarray of uint64, shape (n, r)
        Nodes of the batch, repeats included.
    id_hashes : ndarray of int64, shape (m,)
        Hashes of its document ids.
    rule : EdgeRule
        When two nodes are an edge.
    expected : int
        Stored nodes that will be asked for.
    """

    words: Words
    id_hashes: Ids
    rule: EdgeRule
    expected: int


@dataclass(frozen=True)
class NearStored:
    """Pairs of a batch node and a stored node.

    Attributes
    ----------
    entry : ndarray of int64
        Row of the node in the batch.
    stored : ndarray of int64
        Id of the stored node.
    distance : ndarray of uint8
    """

    entry: Ids
    stored: Ids
    distance: NDArray[np.uint8]


class BatchQuery:
    """A batch, ready to be asked about stored nodes; see `Batch`.

    Notes
    -----
    About 21 bytes a band and node of the batch: 210 MB for 10**6 nodes at k = 3, 1,150 MB at k = 5.
    """

    def __init__(self, batch: Batch) -> None:
        self._nodes = BandIndex.build(
            batch.words,
            max_distance=batch.rule.max_distance,
            max_total_distance=batch.rule.max_total_distance,
            expected_queries=batch.expected,
        )
        self._ids = BandIndex.build(batch.id_hashes.view(np.uint64)[:, None], max_distance=0)

    def known_ids(self, id_hashes: Ids) -> Ids:
        """Return those of the hashes that are in the batch, each once."""
        found = [part.query for part in self._ids.iter_matches(id_hashes.view(np.uint64)[:, None])]
        places = np.concatenate([np.empty(0, dtype=np.int64), *found])
        return np.unique(id_hashes[places])

    def near(self, chunks: Iterable[Words]) -> NearStored:
        """Return the minimum spanning forest of all pairs of a batch node and a stored one.

        Parameters
        ----------
        chunks : iterable of ndarray of uint64, shape (m, r)
            Stored nodes, repeats allowed.
        """
        held = [_no_pairs()]
        for words in chunks:
            held += self._near_chunk(words)
            if sum(len(part.entry) for part in held) > _PAIRS_HELD:
                held = [self._contracted(held)]
        return self._contracted(held)

    def _near_chunk(self, words: Words) -> list[NearStored]:
        """Pairs of a chunk, contracted while they come in; a chunk with very many is asked again without repeats."""
        held: list[NearStored] = []
        count = 0
        is_distinct = len(words) < 2
        for part in self._nodes.iter_matches(words):
            count += len(part.query)
            if count > _CROWDED * len(words) and not is_distinct:
                distinct = np.unique(words, axis=0) if words.shape[1] > 1 else np.unique(words)[:, None]
                if len(distinct) < len(words):
                    return self._near_chunk(distinct)
                is_distinct = True
            held.append(_named(part, words))
            if count > _PAIRS_HELD:
                held, count = [self._contracted(held)], 0
        return held

    def _contracted(self, parts: list[NearStored]) -> NearStored:
        """The minimum spanning forest of the pairs: batch nodes are numbered first, then stored ones."""
        entry = np.concatenate([part.entry for part in parts])
        distance = np.concatenate([part.distance for part in parts])
        ids, stored = np.unique(np.concatenate([part.stored for part in parts]), return_inverse=True)
        rows, entry = np.unique(entry, return_inverse=True)
        src, dst, distance = forest_of_numbers(entry, stored + len(rows), distance, len(rows) + len(ids))
        return NearStored(rows[src], ids[dst - len(rows)], distance)


def _no_pairs() -> NearStored:
    return NearStored(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint8))


def _named(part: Matches, words: Words) -> NearStored:
    """Pairs with the id of the stored node in place of its row."""
    return NearStored(part.entry, node_ids(words[part.query]), part.distance)
