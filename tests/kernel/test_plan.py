from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from simhash_udf.errors import SettingError
from simhash_udf.kernel.bands import build_bands
from simhash_udf.kernel.block_choice import uniform_comparisons
from simhash_udf.kernel.plan import choose_plan
from tests.kernel.joining import join


def uniform(n, num_views=1, seed=0):
    return np.random.default_rng(seed).integers(0, 2**64, (n, num_views), dtype=np.uint64)


def test_more_fingerprints_get_more_blocks():
    sample = uniform(20_000)
    blocks = [choose_plan(sample, n, max_distance=3).num_blocks for n in (10**4, 10**6, 10**7, 10**8, 10**9)]
    assert blocks == sorted(blocks)
    assert blocks[0] == 4
    assert blocks[-1] > blocks[0]


def test_uniform_bits_get_the_comparisons_of_arithmetic():
    plan = choose_plan(uniform(50_000), 10**7, max_distance=3, num_blocks=5)
    expected = sum(uniform_comparisons(1e7, band.key_bits) for band in build_bands(5, 3))
    assert plan.comparisons == pytest.approx(expected, rel=0.3)
    assert plan.records == pytest.approx(10 * 10**7)
    assert plan.shuffle_bytes == pytest.approx(8 * plan.records)


def test_skewed_bits_are_expected_to_cost_more_than_uniform_ones():
    rng = np.random.default_rng(1)
    skewed = sum((rng.random(20_000) < 0.95).astype(np.uint64) << np.uint64(bit) for bit in range(64)).reshape(-1, 1)
    cost = [choose_plan(sample, 10**7, max_distance=3).seconds for sample in (uniform(20_000), skewed)]
    assert cost[1] > 1.5 * cost[0]


def test_comparisons_are_counted_when_the_sample_is_everything():
    words = np.arange(100, dtype=np.uint64).reshape(-1, 1)
    plan = choose_plan(words, 100, max_distance=0)
    assert plan.comparisons < 1
    plan = choose_plan(words, 100, max_distance=1, num_blocks=2)
    # The upper 32 bits agree in all 4,950 pairs, the lower in none.
    assert plan.comparisons == pytest.approx(4950, abs=1)


@pytest.mark.parametrize("num_views", [1, 2, 4])
def test_slots_are_numbered_through_and_found_again(num_views):
    plan = choose_plan(uniform(5000, num_views), 10**5, max_distance=3, cores=3, target_slot_records=10_000)
    cells = [plan.cell_of_band(band) for band in plan.bands]
    assert [cell.first_slot for cell in cells[1:]] == [cell.end_slot for cell in cells[:-1]]
    assert cells[-1].end_slot == plan.num_slots
    for cell in cells:
        assert all(plan.cell_of_slot(slot) is cell for slot in range(cell.first_slot, cell.end_slot))
    with pytest.raises(ValueError, match="is not one of the"):
        plan.cell_of_slot(plan.num_slots)


def test_every_core_gets_a_slot_and_a_large_input_gets_more():
    assert choose_plan(uniform(1000), 1000, max_distance=0, cores=16).num_slots == 16
    assert choose_plan(uniform(1000), 1000, max_distance=3, cores=1).num_slots == 4
    large = choose_plan(uniform(20_000), 10**8, max_distance=3, num_blocks=5)
    assert 10 * 90 < large.num_slots < 10 * 110


@pytest.mark.parametrize("sample_size", [0, 1, 5, 20_000])
def test_ranges_never_cut_a_key_and_hold_about_equal_numbers(sample_size):
    plan = choose_plan(uniform(sample_size), 10**6, max_distance=3, num_blocks=4, target_slot_records=50_000)
    for cell in plan.cells:
        rest = (1 << cell.layout.rest_bits) - 1
        assert list(cell.boundaries) == sorted(set(cell.boundaries))
        assert all(boundary & rest == 0 and boundary > 0 for boundary in cell.boundaries)
        assert cell.num_ranges <= 20
    if sample_size in (0, 20_000):
        assert all(cell.num_ranges == 20 for cell in plan.cells)


def test_waves_hold_all_bands_in_order_within_the_limit():
    limit = 3.5 * 8 * 10**6
    plan = choose_plan(uniform(1000), 10**6, max_distance=3, num_blocks=5, max_shuffle_bytes=limit)
    assert [band for wave in plan.waves for band in wave] == list(plan.bands)
    assert [len(wave) for wave in plan.waves] == [3, 3, 3, 1]
    assert len(choose_plan(uniform(9), 10**6, max_distance=3, num_blocks=5, max_shuffle_bytes=1).waves) == 10


def test_a_plan_travels_and_is_written_as_json():
    plan = choose_plan(uniform(100, 2), 100, max_distance=4)
    assert pickle.loads(pickle.dumps(plan)) == plan
    figures = json.loads(json.dumps(plan.to_dict()))
    assert (figures["max_distance"], figures["num_views"], figures["max_total_distance"]) == (4, 2, 16)
    assert str(plan.num_blocks) in plan.describe()


def test_distance_zero_needs_one_band_a_view():
    plan = choose_plan(uniform(100, 3), 100, max_distance=0)
    assert [(band.view, band.key_bits) for band in plan.bands] == [(0, 64), (1, 64), (2, 64)]


@pytest.mark.parametrize("k", range(9))
def test_every_distance_has_a_plan(k):
    plan = choose_plan(uniform(2000), 10**6, max_distance=k, cores=2)
    assert plan.num_blocks > k
    assert len(join(uniform(100), plan)) == 0


def test_too_few_blocks_are_refused_with_what_to_change():
    message = "max_distance=3 needs num_blocks >= 4, got 3; set num_blocks to 4 or more, or to auto"
    with pytest.raises(SettingError, match=message):
        choose_plan(uniform(10), 10, max_distance=3, num_blocks=3)
    with pytest.raises(SettingError, match="max_distance=9"):
        choose_plan(uniform(10), 10, max_distance=9)
    with pytest.raises(SettingError, match="5 views"):
        choose_plan(uniform(10, 5), 10, max_distance=3)
