from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from simhash_udf.kernel import pair_search
from simhash_udf.kernel.band_join import explode_blocks, join_block
from simhash_udf.kernel.join_counts import JoinCounts
from simhash_udf.kernel.plan import choose_plan


def counts_of(words, plan, all_pairs=True):
    counts, slots = JoinCounts(), {}
    for slot, block in explode_blocks(words, plan):
        slots.setdefault(slot, []).append(block)
    for slot, blocks in slots.items():
        join_block(slot, blocks, plan, all_pairs, counts)
    return counts


def pairs_of_equal_key(words, plan):
    sizes = [Counter((words & np.uint64(band.mask)).tolist()).values() for band in plan.bands]
    return sum(size * (size - 1) // 2 for band in sizes for size in band)


@pytest.mark.parametrize("seed", range(3))
def test_records_and_comparisons_are_those_of_the_buckets(seed):
    words = np.unique(np.random.default_rng(seed).integers(0, 2**64, 3000, dtype=np.uint64))
    plan = choose_plan(words[:, None], len(words), max_distance=3, num_blocks=4, target_slot_records=500)
    found = counts_of(words[:, None], plan)
    assert found.records == 4 * len(words)
    assert found.comparisons == pairs_of_equal_key(words, plan) > 0


def test_a_long_bucket_is_split_so_that_fewer_pairs_are_compared_than_it_has():
    words = np.unique(np.random.default_rng(5).integers(0, 2**40, 20_000, dtype=np.uint64))
    plan = choose_plan(words[:, None], len(words), max_distance=3, num_blocks=4)
    for all_pairs in (True, False):
        assert 0 < counts_of(words[:, None], plan, all_pairs).comparisons < pairs_of_equal_key(words, plan) / 10


def test_what_a_crowd_compares_is_counted_too(monkeypatch):
    monkeypatch.setattr(pair_search, "SHORT_RUN", 8)
    words = np.unique(np.random.default_rng(6).integers(0, 2**11, 1500, dtype=np.uint64))
    plan = choose_plan(words[:, None], len(words), max_distance=3, num_blocks=4)
    assert counts_of(words[:, None], plan, all_pairs=False).comparisons > 0
