"""The index against every pair compared."""

from __future__ import annotations

import pickle
import tracemalloc
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_udf.errors import SettingError
from simhash_udf.kernel import key_table, table_build
from simhash_udf.kernel.band_index import BandIndex
from simhash_udf.kernel.bits import popcount
from simhash_udf.kernel.single_query import near

EDGES = np.array([0, 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1], dtype=np.uint64)


def brute_force(entries, queries, max_distance, max_total_distance=None):
    """Every pair within the distance, as (query, entry, distance), in order."""
    total = 8 * entries.shape[1] if max_total_distance is None else max_total_distance
    rows = []
    for number, query in enumerate(queries):
        distance = popcount(entries ^ query)
        is_match = (distance.min(axis=1) <= max_distance) & (distance.sum(axis=1, dtype=int) <= total)
        rows += [(number, entry, int(distance[entry].min())) for entry in np.flatnonzero(is_match).tolist()]
    return rows


def rows_of(matches):
    return list(zip(*(column.tolist() for column in matches), strict=True))


def one_by_one(index, queries, max_distance):
    return [
        (number, entry, distance)
        for number, query in enumerate(queries.tolist())
        for entry, distance in sorted(near(index, query, max_distance))
    ]


def skewed(rng, shape, ones):
    """Words in which each bit is 1 in one of 2, 4 or 8 words, or the same in all but a byte."""
    words = rng.integers(0, 2**64, shape, dtype=np.uint64)
    for _ in range(min(ones, 2)):
        words &= rng.integers(0, 2**64, shape, dtype=np.uint64)
    return words if ones < 3 else words & np.uint64(0xFF00) | np.uint64(2**63)


def varied(rng, entries, m, most):
    """Queries that are up to `most` bits away from entries, in each view."""
    queries = entries[rng.integers(0, len(entries), m)]
    for _ in range(most):
        flips = np.uint64(1) << rng.integers(0, 64, queries.shape, dtype=np.uint64)
        queries ^= flips * rng.integers(0, 2, queries.shape, dtype=np.uint64)
    return queries


@st.composite
def cases(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = draw(st.integers(1, 120)), draw(st.integers(1, 3))
    entries = skewed(rng, shape, draw(st.integers(0, 3)))
    if draw(st.booleans()):
        entries[:: draw(st.integers(1, 5))] = rng.choice(EDGES)
    k = draw(st.integers(0, 8))
    queries = np.concatenate([varied(rng, entries, draw(st.integers(0, 40)), k + 1), np.stack([EDGES] * shape[1], 1)])
    allowed = [b for b in range(k + 1, 20) if comb(b, k) <= 120]
    return entries, queries, k, draw(st.sampled_from([None, *allowed])), draw(st.sampled_from([None, 0, k, 30]))


@settings(max_examples=150, deadline=None)
@given(cases(), st.sampled_from([3, 1 << 14]))
def test_matches_are_those_of_every_pair_compared(case, hot_key_words):
    entries, queries, k, num_blocks, total = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_build, "HOT_KEY_WORDS", hot_key_words)
        patch.setattr(key_table, "_LONG_BUCKET", hot_key_words - 1)
        index = BandIndex.build(entries, max_distance=k, num_blocks=num_blocks, max_total_distance=total)
        for distance in {0, k // 2, k}:
            expected = brute_force(entries, queries, distance, total)
            assert rows_of(index.matches(queries, max_distance=distance)) == expected
            assert one_by_one(index, queries, distance) == expected


def test_a_hot_key_is_split_by_the_bits_behind_it_and_nothing_is_lost(monkeypatch):
    monkeypatch.setattr(table_build, "HOT_KEY_WORDS", 64)
    rng = np.random.default_rng(5)
    # Half of the entries agree in their upper half, the others vary in every bit, so that blocks cannot be cut to suit.
    entries = rng.integers(0, 2**64, (30_000, 1), dtype=np.uint64)
    entries[::2] &= np.uint64(2**32 - 1)
    index = BandIndex.build(entries, max_distance=3, num_blocks=4)
    assert any(table.hot_tables for table in index.views[0].tables)
    queries = varied(rng, entries, 100, 4)
    expected = brute_force(entries, queries, 3)
    assert rows_of(index.matches(queries)) == expected
    assert one_by_one(index, queries, 3) == expected
    stored = sum(count_words(table) for table in index.views[0].tables)
    assert stored <= (1 + table_build.HOT_TABLES_LIMIT) * len(index.views[0].tables) * len(entries)


def count_words(table):
    return len(table.words) + sum(count_words(inner) for tables in table.hot_tables for inner in tables)


def test_queries_of_a_hot_key_take_bounded_memory():
    rng = np.random.default_rng(6)
    # All agree in 32 bits, the whole key of one band: 4 * 10**7 pairs, which would take 300 MB of differences at once.
    entries = rng.integers(0, 2**32, (200_000, 1), dtype=np.uint64) * np.uint64(2**16)
    index = BandIndex.build(entries, max_distance=1, num_blocks=2)
    queries = rng.integers(0, 2**32, (200, 1), dtype=np.uint64) * np.uint64(2**16)
    tracemalloc.start()
    matches = index.matches(queries)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 << 20
    assert rows_of(matches) == brute_force(entries, queries, 1)


def test_copies_of_one_fingerprint_come_in_bounded_pieces():
    entries = np.full((1_500_000, 1), 7, dtype=np.uint64)
    index = BandIndex.build(entries, max_distance=3)
    pieces = list(index.iter_matches(np.array([[7], [6]], dtype=np.uint64)))
    assert max(len(piece.query) for piece in pieces) <= 1 << 20
    assert sum(len(piece.query) for piece in pieces) == 3_000_000


def test_no_entries_and_no_queries_give_no_matches():
    nothing = np.empty((0, 2), dtype=np.uint64)
    something = np.zeros((3, 2), dtype=np.uint64)
    assert rows_of(BandIndex.build(nothing, max_distance=3).matches(something)) == []
    assert rows_of(BandIndex.build(something, max_distance=3).matches(nothing)) == []


def test_a_pickled_index_gives_the_same_matches():
    entries = np.random.default_rng(7).integers(0, 2**64, (500, 2), dtype=np.uint64)
    index = BandIndex.build(entries, max_distance=2)
    again = pickle.loads(pickle.dumps(index))
    assert rows_of(again.matches(entries)) == rows_of(index.matches(entries))


@pytest.mark.parametrize(
    ("wanted", "views", "message"),
    [
        (4, 1, "max_distance=4 is outside 0 to 3"),
        (-1, 1, "max_distance=-1"),
        (3, 2, "queries have 2 views, the index 1"),
    ],
)
def test_what_the_index_cannot_answer_is_refused(wanted, views, message):
    index = BandIndex.build(np.zeros((1, 1), dtype=np.uint64), max_distance=3)
    with pytest.raises(SettingError, match=message):
        index.matches(np.zeros((1, views), dtype=np.uint64), max_distance=wanted)


@pytest.mark.parametrize(("distance", "blocks"), [(9, None), (3, 3), (3, 65), (8, 20)])
def test_an_index_that_cannot_be_built_is_refused(distance, blocks):
    with pytest.raises(SettingError):
        BandIndex.build(np.zeros((5, 1), dtype=np.uint64), max_distance=distance, num_blocks=blocks)
