"""What the quality benchmark concludes: its pairs, its false groups, and its tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.quality_parts import tables
from benchmarks.quality_parts.close_texts import close_pairs
from benchmarks.quality_parts.hard_negatives import Misled, count_groups
from benchmarks.quality_parts.kernel_runs import PRESETS
from benchmarks.quality_parts.plans import SIZES, Planned
from benchmarks.quality_parts.results import Figures, Results


@pytest.mark.parametrize("views", [1, 3])
@pytest.mark.parametrize("most", [10**6, 300])
def test_close_pairs_are_all_pairs_up_to_the_distance_that_is_reached(views: int, most: int) -> None:
    draw = np.random.default_rng(views)
    words = draw.integers(0, 1 << 12, (400, views), dtype=np.uint64)
    found = close_pairs(words, reach=4, total=9 * views, most=most)
    expected = set()
    for i in range(len(words)):
        for j in range(i + 1, len(words)):
            bits = [int(one ^ other).bit_count() for one, other in zip(*words[[i, j]].tolist(), strict=True)]
            if min(bits) <= found.reach and sum(bits) <= 9 * views:
                expected.add((i, j, min(bits), sum(bits)))
    columns = (found.left, found.right, found.nearest, found.total)
    assert set(zip(*(column.tolist() for column in columns), strict=True)) == expected
    assert len(found.left) == len(expected) <= most
    assert found.reach == 4 if most > 300 else found.reach < 4


def test_false_groups_are_those_with_documents_of_two_clusters() -> None:
    groups, clusters = np.array([0, 0, 1, 1, 1, 2, 3, 3]), np.array([5, 5, 5, 6, 6, 6, 7, 8])
    assert count_groups(groups, clusters) == (3, 2)


def test_the_page_takes_the_best_threshold_of_a_peer_and_goes_on_from_its_file(tmp_path: Path) -> None:
    setting, k = PRESETS["thorough"]
    for place in (tmp_path / "a", tmp_path / "a"):  # the second reads what the first wrote
        results = Results(place)
        if results.get("zh_laws", "datasketch", "5-grams of characters, 0.5") is None:
            results.add(Figures("zh_laws", "kernel", setting.name(k), 1.0, 0.5))
            results.add(Figures("zh_laws", "datasketch", "5-grams of characters, 0.4", 0.5, 0.5, "datasketch 9, x"))
            results.add(Figures("zh_laws", "datasketch", "5-grams of characters, 0.5", 0.75, 0.75, "datasketch 9, x"))
            results.add(Figures("zh_laws", "datasketch", "5-grams of characters, 0.6", note="over 800 s"))
    assert (tmp_path / "a").read_text().count("\n") == 4
    misled = Misled("zh_laws", "laws built alike", "thorough", 201, 3, 60, 2, 0, 0, ["a ~ b"])
    planned = [Planned("thorough", "uniform", size, 60, 1.2e11, 70.0) for size in SIZES]
    page = tables.document(results, [misled], planned, "2026-12-01")
    assert "| zh_laws | – | – | – | – | 0.667 (1.00/0.50) | – | – | 0.750 (0.75/0.75) | – |" in page
    assert (
        "| zh_laws | datasketch 9 | 5-grams of characters, 0.5 | 0.750 (0.75/0.75) | 0.4: 0.500, 0.5: 0.750 |" in page
    )
    assert "| zh_laws | laws built alike | thorough | 201 | 3 | 60 | 2 | – |" in page
    assert "- zh_laws, thorough: a ~ b" in page
    assert "| thorough | uniform | 60 bands, 1.2e+11, 70 s |" in page
