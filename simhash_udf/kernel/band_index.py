"""An exact index of fingerprints: every entry within a Hamming distance of a query, up to the k it was built for.

The batch query and the online query of Manku, Jain, Das Sarma 2007.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simhash_udf.errors import SettingError
from simhash_udf.kernel.bands import check_distance
from simhash_udf.kernel.bits import popcount
from simhash_udf.kernel.index_blocks import index_blocks
from simhash_udf.kernel.key_table import Hits, KeyTable
from simhash_udf.kernel.ranges import expand_ranges
from simhash_udf.kernel.table_build import TableBuilder

Words = NDArray[np.uint64]
Index = NDArray[np.int64]

# 2**19 queries are 4 MB a view; what a band keeps of them is less.
_QUERIES_AT_ONCE = 1 << 19
# Pairs named at a time; the arrays of so many are 20 MB, and 8 more for each view.
_MAX_PAIRS = 1 << 20
# Entries are numbered in 32 bits.
_MAX_ENTRIES = (1 << 32) - 1


class Matches(NamedTuple):
    """Pairs of a query and an entry that are within the distance.

    Attributes
    ----------
    query, entry : ndarray of int64, shape (p,)
        Row in the queries, row in the indexed words.
    distance : ndarray of uint8, shape (p,)
        Hamming distance; with several views, in the view where they are nearest.
    """

    query: Index
    entry: Index
    distance: NDArray[np.uint8]

    def take(self, chosen: NDArray[np.bool_] | Index) -> Matches:
        """Return the pairs at these places, or where the mask is true."""
        return Matches(self.query[chosen], self.entry[chosen], self.distance[chosen])


def join_matches(parts: Sequence[Matches]) -> Matches:
    """Return the pairs of all parts, one after another."""
    query = np.concatenate([np.empty(0, dtype=np.int64), *(part.query for part in parts)])
    entry = np.concatenate([np.empty(0, dtype=np.int64), *(part.entry for part in parts)])
    distance = np.concatenate([np.empty(0, dtype=np.uint8), *(part.distance for part in parts)])
    return Matches(query, entry, distance)


@dataclass(frozen=True)
class ViewIndex:
    """The tables of one view, and which entries have each of its distinct words.

    Attributes
    ----------
    tables : tuple of KeyTable
        Over distinct words, numbered.
    starts : ndarray of int64, shape (d + 1,)
        Place in `members` of the first entry with each word; empty where all words are distinct and number themselves.
    members : ndarray of uint32, shape (n,)
    """

    tables: tuple[KeyTable, ...]
    starts: Index
    members: NDArray[np.uint32]

    def entries(self, hits: Hits) -> Iterator[Hits]:
        """Yield the hits with the numbers of entries in place of the numbers of words, in bounded pieces."""
        if not len(self.starts):
            yield hits
            return
        query, word, distance = hits
        start = self.starts[word]
        for which, place in expand_ranges(start, self.starts[word + 1] - start, _MAX_PAIRS):
            yield query[which], self.members[place].astype(np.int64), distance[which]


@dataclass(frozen=True)
class BandIndex:
    """Fingerprints in r views, indexed for every distance up to k. Make one with `build`.

    Attributes
    ----------
    words : ndarray of uint64, shape (n, r)
        The entries, repeats included.
    max_distance : int
        k.
    max_total_distance : int
        Largest sum of the distances over all views.
    views : tuple of ViewIndex

    Notes
    -----
    About 12 bytes a band and entry, and up to 4 more for the filter that makes queries without a match cheap. Plain
    arrays and numbers: it can be pickled, and it does not change.

    Examples
    --------
    >>> import numpy as np
    >>> entries = np.array([[0b1111], [0b1000], [2**64 - 1]], dtype=np.uint64)
    >>> index = BandIndex.build(entries, max_distance=3)
    >>> matches = index.matches(np.array([[0b1011], [2**64 - 2]], dtype=np.uint64))
    >>> [column.tolist() for column in matches]
    [[0, 0, 1], [0, 1, 2], [1, 2, 1]]
    """

    words: Words
    max_distance: int
    max_total_distance: int
    views: tuple[ViewIndex, ...]

    @classmethod
    def build(
        cls,
        words: Words,
        *,
        max_distance: int,
        max_total_distance: int | None = None,
        num_blocks: int | None = None,
        expected_queries: int | None = None,
    ) -> BandIndex:
        """Index fingerprints.

        Parameters
        ----------
        words : ndarray of uint64, shape (n, r)
            One row an entry, one column a view.
        max_distance : int
            k, 0 to 8.
        max_total_distance : int, optional
            Largest sum of the distances over all views; 8 r unless given.
        num_blocks : int, optional
            b; unless given, the number that costs least to build and to ask `expected_queries` times.
        expected_queries : int, optional
            As many as there are entries unless given.

        Raises
        ------
        SettingError
            For a distance, a number of views or of blocks that cannot be right, or 2**32 entries.
        """
        num_views = words.shape[1]
        check_distance(max_distance, num_views)
        if len(words) > _MAX_ENTRIES:
            raise SettingError(f"{len(words)} entries, an index holds up to {_MAX_ENTRIES}; make several")
        num_queries = float(len(words) if expected_queries is None else expected_queries)
        columns = (np.ascontiguousarray(words[:, view]) for view in range(num_views))
        views = tuple(_index_view(column, max_distance, num_blocks, num_queries) for column in columns)
        total = 8 * num_views if max_total_distance is None else max_total_distance
        return cls(words, max_distance, total, views)

    def __len__(self) -> int:
        return len(self.words)

    def matches(self, queries: Words, *, max_distance: int | None = None) -> Matches:
        """Return every pair of a query and an entry within the distance, once, by query and then entry.

        Parameters
        ----------
        queries : ndarray of uint64, shape (m, r)
        max_distance : int, optional
            0 up to the k of the index, which it is unless given.

        Raises
        ------
        SettingError
            For a larger distance, or another number of views.
        """
        found = join_matches(list(self.iter_matches(queries, max_distance=max_distance)))
        return found.take(np.lexsort((found.entry, found.query)))

    def iter_matches(self, queries: Words, *, max_distance: int | None = None) -> Iterator[Matches]:
        """Yield what `matches` returns in pieces of bounded size and in no order."""
        radius = self.radius(queries.shape[1], max_distance)
        for begin in range(0, len(queries), _QUERIES_AT_ONCE):
            piece = queries[begin : begin + _QUERIES_AT_ONCE]
            for view, view_index in enumerate(self.views):
                column = np.ascontiguousarray(piece[:, view])
                for table in view_index.tables:
                    for hits in table.search(column, radius):
                        for query, entry, distance in view_index.entries(hits) if len(hits[0]) else ():
                            match = self._check(piece, Matches(query, entry, distance), view, radius)
                            if len(match.query):
                                yield match._replace(query=match.query + begin)

    def radius(self, num_views: int, max_distance: int | None) -> int:
        """Return how far apart a pair may be in one view, after checking that the index knows of such queries.

        Raises
        ------
        SettingError
            For a distance above the k of the index, or another number of views.
        """
        if num_views != len(self.views):
            raise SettingError(f"queries have {num_views} views, the index {len(self.views)}; give as many")
        wanted = self.max_distance if max_distance is None else max_distance
        if not 0 <= wanted <= self.max_distance:
            raise SettingError(
                f"max_distance={wanted} is outside 0 to {self.max_distance}, for which the index was built; "
                f"build it with max_distance={wanted}"
            )
        return min(wanted, self.max_total_distance)

    def _check(self, queries: Words, matches: Matches, view: int, radius: int) -> Matches:
        """Return the pairs that are near enough over all views and in no earlier one, with their smallest distance."""
        if len(self.views) == 1:
            return matches
        distance = popcount(self.words[matches.entry] ^ queries[matches.query])
        is_match = distance.sum(axis=1, dtype=np.int64) <= self.max_total_distance
        # A pair within the radius in several views comes out of the first of them.
        is_match &= np.all(distance[:, :view] > radius, axis=1)
        nearest = distance[is_match].min(axis=1, initial=64)
        return matches.take(is_match)._replace(distance=nearest)


def _index_view(column: Words, max_distance: int, num_blocks: int | None, num_queries: float) -> ViewIndex:
    """Index the distinct words of one view."""
    words, starts, members = _group(column)
    blocks = index_blocks(words, max_distance, num_blocks, num_queries)
    return ViewIndex(TableBuilder(max_distance).build(words, blocks), starts, members)


def _group(column: Words) -> tuple[Words, Index, NDArray[np.uint32]]:
    """Return the distinct words, and which rows have each; no groups where all are distinct."""
    ordered = np.sort(column)
    is_new = np.append(True, ordered[1:] != ordered[:-1])[: len(column)]
    if is_new.all():
        return column, np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint32)
    starts = np.append(np.flatnonzero(is_new), len(column))
    return ordered[is_new], starts, np.argsort(column, kind="stable").astype(np.uint32)
