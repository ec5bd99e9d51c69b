from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_udf.kernel import crowd_join, pair_search, slot_join
from simhash_udf.kernel.band_join import explode_blocks, join_block
from simhash_udf.kernel.edge_list import Edges
from simhash_udf.kernel.forest import spanning_forest
from simhash_udf.kernel.plan import choose_plan
from tests.kernel.joining import brute_force, join, planted, rows_of

LEGAL = [(k, b) for k in range(7) for b in range(k + 1, 14) if comb(b, k) <= 60] + [(7, 8), (7, 9), (8, 9), (8, 10)]


def column(values):
    return np.array(values, dtype=np.uint64).reshape(-1, 1)


def forest_rows(rows):
    src, dst, distance = (np.array(part) for part in zip(*rows, strict=True)) if rows else ((), (), ())
    return rows_of(
        spanning_forest(Edges(np.array(src, np.int64), np.array(dst, np.int64), np.array(distance, np.uint8)))
    )


@pytest.mark.parametrize(("k", "num_blocks"), LEGAL)
def test_pairs_equal_brute_force_each_once(k, num_blocks):
    words = planted(np.random.default_rng([k, num_blocks]), 40, 1, k + 2)
    plan = choose_plan(words, len(words), max_distance=k, num_blocks=num_blocks, cores=2, target_slot_records=200)
    assert rows_of(join(words, plan, chunk=150)) == brute_force(words, k)


@pytest.mark.parametrize("num_views", [2, 3, 4])
@pytest.mark.parametrize("k", [0, 1, 3, 4])
def test_pairs_of_several_views_equal_brute_force(k, num_views):
    words = planted(np.random.default_rng([k, num_views]), 60, num_views, k + 2)
    for total in (None, 3 * num_views):
        plan = choose_plan(
            words, len(words), max_distance=k, max_total_distance=total, cores=2, target_slot_records=100
        )
        assert rows_of(join(words, plan, chunk=200)) == brute_force(words, k, total)


def test_a_pair_that_agrees_in_one_view_alone_is_an_edge_only_within_the_total_distance():
    words = np.array([[5, 0], [5, 2**12 - 1], [2**64 - 1, 2**63]], dtype=np.uint64)
    for total, expected in ((12, 1), (11, 0)):
        plan = choose_plan(words, 3, max_distance=3, max_total_distance=total)
        assert len(join(words, plan)) == expected


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_chunks_ranges_waves_and_samples_do_not_change_the_pairs(data):
    seed = data.draw(st.integers(0, 10**6))
    num_views = data.draw(st.sampled_from([1, 1, 2]))
    k = data.draw(st.integers(0, 4))
    words = planted(np.random.default_rng(seed), 15, num_views, k + 1)
    if data.draw(st.booleans()):
        words = words & np.uint64(0xFF00FF00F)  # few bits: long runs, equal views
    sample = words[: data.draw(st.integers(0, len(words)))]
    plan = choose_plan(
        sample,
        len(words),
        max_distance=k,
        cores=data.draw(st.integers(1, 9)),
        target_slot_records=data.draw(st.sampled_from([1, 7, 50, 10**6])),
        max_shuffle_bytes=data.draw(st.sampled_from([1, 5000, 1e12])),
    )
    chunk = data.draw(st.integers(1, len(words)))
    expected = brute_force(words, k)
    assert rows_of(join(words, plan, chunk=chunk, waves=True)) == expected
    assert rows_of(spanning_forest(join(words, plan, all_pairs=False, chunk=chunk))) == forest_rows(expected)


def test_every_band_of_a_wave_is_exploded_and_no_other():
    words = planted(np.random.default_rng(0), 30, 1, 3)
    plan = choose_plan(words, len(words), max_distance=3, num_blocks=5, max_shuffle_bytes=3 * 8 * len(words))
    assert [len(wave) for wave in plan.waves] == [3, 3, 3, 1]
    for wave in plan.waves:
        slots = {slot for slot, _ in explode_blocks(words, plan, wave)}
        assert slots == {plan.cell_of_band(band).first_slot for band in wave}


def test_repeats_are_one_node_wherever_they_are():
    words = column([7, 7, 6, 2**64 - 1, 7, 6, 2**64 - 2, 7])
    plan = choose_plan(words, 8, max_distance=3)
    for chunk in (1, 3, 8):
        assert rows_of(join(words, plan, chunk=chunk)) == [(-2, -1, 1), (6, 7, 1)]


@pytest.mark.parametrize("words", [np.empty((0, 1), np.uint64), column([5]), np.empty((0, 3), np.uint64)])
def test_nothing_to_compare_gives_no_edges(words):
    plan = choose_plan(words, len(words), max_distance=3)
    assert rows_of(join(words, plan)) == []
    assert rows_of(join_block(0, [], plan)) == []


def test_bands_are_never_too_few_for_the_distance():
    words = column([0, 0x0000000100010001, 0x0001000100010001])
    a, b, c = words[:, 0].tolist()
    four = choose_plan(words, 3, max_distance=3, num_blocks=4)
    assert rows_of(join(words, four)) == [(a, b, 3), (b, c, 1)]
    five = choose_plan(words, 3, max_distance=4, num_blocks=5)
    assert rows_of(join(words, five)) == [(a, b, 3), (a, c, 4), (b, c, 1)]


def test_equal_fingerprints_make_no_pair_and_each_other_pair_comes_once():
    words = column([0xFF, 0xFF, 0xFE])
    assert rows_of(join(words, choose_plan(words, 3, max_distance=3))) == [(0xFE, 0xFF, 1)]


def test_four_groups_of_four_and_eight_singles_give_the_nine_pairs_of_brute_force():
    groups = {
        "g0": (0x7EFC636BA1B47D75, 0x6EFC636BA1B47D75, 0x7EFC676BA1B07D7D, 0x7FF8636BA13C7D75),
        "g1": (0x8A1E657DC48557B3, 0x8A1E657DE48557B3, 0x8A1E6D7CC48557F3, 0x9A1E65FDA48557B3),
        "g2": (0xE7A813B0925E4454, 0xE7A813B092564454, 0xE3A893B0924E4454, 0x678813B0B25C4454),
        "g3": (0xAA1C0B1584DB7040, 0xAB1C0B1584DB7040, 0xAA1C0B1C84DB70C0, 0xAA1C1B1580DB7850),
        "s": (0xC8A0A2CEF36F188E, 0x4D16C39B80B6D91C, 0x4978F8E1FA587AF5, 0xC611BCB2FE204F82),
        "t": (0x94F168A2D836B862, 0x0E59E6A0EC5D2C95, 0xF0DDD5509D53029B, 0x8FB203EDBF798C20),
    }
    words = column([value for values in groups.values() for value in values])
    names = [prefix + letter for prefix in groups for letter in "abcd"]
    name = dict(zip(words[:, 0].view(np.int64).tolist(), names, strict=True))
    expected = {"g0a g0b", "g0a g0c", "g1a g1b", "g1a g1c", "g1b g1d", "g2a g2b", "g2a g2c", "g3a g3b", "g3a g3c"}
    for cores in (1, 3, 16):
        pairs = join(words, choose_plan(words, 24, max_distance=3, cores=cores, target_slot_records=5))
        assert {" ".join(sorted((name[a], name[b]))) for a, b, _ in rows_of(pairs)} == expected
        assert len(pairs) == 9


def ball(radius, num_bits=64, centre=0x0123456789ABCDEF):
    masks = [sum(1 << bit for bit in bits) for d in range(radius + 1) for bits in combinations(range(num_bits), d)]
    return column([centre ^ mask for mask in masks])


def crowds():
    rng = np.random.default_rng(2)
    random = rng.integers(0, 2**64, 900, dtype=np.uint64)
    skewed = sum((rng.random(900) < 0.93).astype(np.uint64) << np.uint64(bit) for bit in range(64))
    return {
        "one half is the same in all": column(random & np.uint64(2**20 - 1) | np.uint64(0xABCD << 48)),
        "few bits vary": column(random & np.uint64(0x0F0000F0000007)),
        "all within a ball": ball(2, num_bits=36),
        "every bit is skewed": column(skewed),
        "even words of ten bits": column([word for word in range(1024) if word.bit_count() % 2 == 0]),
    }


@pytest.mark.parametrize("name", crowds())
@pytest.mark.parametrize("k", [1, 3, 5])
def test_hot_keys_lose_and_repeat_nothing(name, k, monkeypatch):
    words = crowds()[name]
    expected = brute_force(words, k)
    for short_run, target in ((256, 10**6), (4, 10**6), (4, 100)):
        monkeypatch.setattr(pair_search, "SHORT_RUN", short_run)
        plan = choose_plan(words, len(words), max_distance=k, target_slot_records=target)
        assert rows_of(join(words, plan)) == expected


@pytest.mark.parametrize("name", crowds())
@pytest.mark.parametrize("k", [1, 3, 5])
def test_the_forest_of_a_crowd_is_that_of_all_its_pairs(name, k, monkeypatch):
    words = crowds()[name]
    expected = forest_rows(brute_force(words, k))
    monkeypatch.setattr(pair_search, "SHORT_RUN", 8)
    monkeypatch.setattr(slot_join, "_CROWDED", 0)
    for batch, most in ((1 << 16, 1 << 20), (64, 256)):
        for module in (slot_join, crowd_join):
            monkeypatch.setattr(module, "_BATCH_PAIRS", batch)
            monkeypatch.setattr(module, "_MAX_PAIRS", most)
        plan = choose_plan(words, len(words), max_distance=k, num_blocks=k + 1)
        assert rows_of(spanning_forest(join(words, plan, all_pairs=False))) == expected


def test_a_crowd_is_joined_distance_by_distance(monkeypatch):
    seen = Counter()
    original = slot_join.crowd_forest

    def counted(*arguments):
        seen["crowds"] += 1
        return original(*arguments)

    monkeypatch.setattr(slot_join, "crowd_forest", counted)
    monkeypatch.setattr(slot_join, "_BATCH_PAIRS", 1 << 10)
    words = ball(3, num_bits=30)
    plan = choose_plan(words, len(words), max_distance=3)
    forest = spanning_forest(join(words, plan, all_pairs=False))
    assert seen["crowds"] > 0
    # A ball is connected by single bits, so a spanning tree has all its edges at distance 1.
    assert len(forest) == len(words) - 1
    assert set(forest.distance.tolist()) == {1}


def test_a_key_too_large_for_a_slot_gets_slots_of_its_own():
    rng = np.random.default_rng(3)
    shared = rng.integers(0, 2**32, 3000, dtype=np.uint64) | np.uint64(0x12345678 << 32)
    words = column(np.concatenate([shared, shared ^ np.uint64(5), rng.integers(0, 2**64, 3000, dtype=np.uint64)]))
    plan = choose_plan(words, len(words), max_distance=3, target_slot_records=300)
    assert plan.to_dict()["num_hot_keys"] > 0
    slots = Counter()
    for slot, block in explode_blocks(words, plan):
        slots[slot] += len(block) // 8
    assert max(slots.values()) < 3000
    assert rows_of(join(words, plan, chunk=2000)) == brute_force(words, 3)


def test_equal_first_views_are_compared_in_full():
    rng = np.random.default_rng(4)
    words = np.stack([np.full(700, 99, np.uint64), rng.integers(0, 2**9, 700, dtype=np.uint64)], axis=1)
    plan = choose_plan(words, len(words), max_distance=2, max_total_distance=4)
    assert rows_of(join(words, plan)) == brute_force(words, 2, 4)
    forest = spanning_forest(join(words, plan, all_pairs=False))
    assert rows_of(forest) == forest_rows(brute_force(words, 2, 4))


def test_a_total_distance_below_the_distance_is_the_limit():
    words = column([0, 1, 3, 7])
    plan = choose_plan(words, 4, max_distance=3, max_total_distance=1)
    assert rows_of(join(words, plan)) == [(0, 1, 1), (1, 3, 1), (3, 7, 1)]
