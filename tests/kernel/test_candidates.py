"""The next pairs to compare, against a search of all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from simhash_udf.kernel import candidates
from simhash_udf.kernel.candidates import Fragments, next_candidates
from simhash_udf.kernel.edge_rule import EdgeRule


def crowd(seed: int, n: int, views: int) -> Fragments:
    """Texts of few components and fragments, whose fingerprints use 10 bits, so that many are near."""
    draw = np.random.default_rng(seed)
    component = np.sort(draw.choice(np.array([-(2**63), -(2**63) + 1, 5, 2**63 - 1]), n))
    fragment = component // 7 + draw.integers(0, 6, n)
    words = draw.integers(0, 1 << 10, (n, views), dtype=np.uint64)
    compared = np.sort(draw.choice(n, (2, n)), axis=0)
    return Fragments(component, fragment, words, compared[:, compared[0] != compared[1]])


def by_all_pairs(texts: Fragments, rule: EdgeRule, per_text: int) -> set[tuple[int, int, int]]:
    n = len(texts.component)
    seen = set(map(tuple, texts.compared.T.tolist()))
    taken = set()
    for i in range(n):
        options = []
        for j in range(n):
            bits = [
                int(a ^ b).bit_count() for a, b in zip(texts.words[i].tolist(), texts.words[j].tolist(), strict=True)
            ]
            near = min(bits) <= rule.max_distance and sum(bits) <= rule.max_total_distance
            one_component = texts.component[i] == texts.component[j] and texts.fragment[i] != texts.fragment[j]
            if near and one_component and (min(i, j), max(i, j)) not in seen:
                options.append((min(bits), j, int(texts.fragment[j])))
        nearest: dict[int, tuple[int, int]] = {}
        for distance, j, fragment in sorted(options):
            nearest.setdefault(fragment, (distance, j))
        for distance, j in sorted(nearest.values())[:per_text]:
            taken.add((min(i, j), max(i, j), distance))
    return taken


@pytest.mark.parametrize(("views", "per_text"), [(1, 1), (1, 3), (2, 2), (4, 100)])
def test_candidates_are_the_nearest_in_other_fragments(
    views: int, per_text: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "CHUNK_CELLS", 500)  # several chunks
    texts, rule = crowd(views, 120, views), EdgeRule(3, 4 * views)
    found = list(
        zip(*(column.tolist() for column in next_candidates(texts, rule, per_text=per_text, turn=0)), strict=True)
    )
    assert found == sorted(by_all_pairs(texts, rule, per_text))
    assert found


def test_a_large_component_is_searched_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, rule = crowd(9, 300, 2), EdgeRule(3, 8)
    whole = set(zip(*next_candidates(texts, rule, per_text=300, turn=0)[:2], strict=True))
    monkeypatch.setattr(candidates, "MAX_BLOCK", 20)
    turns = [set(zip(*next_candidates(texts, rule, per_text=300, turn=t)[:2], strict=True)) for t in range(8)]
    n, pairs = len(texts.component), set(map(tuple, texts.compared.T.tolist()))
    assert all(turns)
    assert len(set().union(*turns)) > max(map(len, turns)), "the blocks must differ from turn to turn"
    for left, right in set().union(*turns):
        assert left < right < n
        assert texts.component[left] == texts.component[right]
        assert (left, right) not in pairs
    assert whole


@pytest.mark.parametrize("n", [0, 1])
def test_no_text_has_no_candidate(n: int) -> None:
    texts = Fragments(np.zeros(n, int), np.zeros(n, int), np.zeros((n, 1), np.uint64), np.empty((2, 0), int))
    assert [len(column) for column in next_candidates(texts, EdgeRule(3, 8), per_text=2, turn=0)] == [0, 0, 0]


def test_a_component_of_one_fragment_has_no_candidate() -> None:
    texts = Fragments(np.zeros(9, int), np.zeros(9, int), np.zeros((9, 1), np.uint64), np.empty((2, 0), int))
    assert len(next_candidates(texts, EdgeRule(3, 8), per_text=2, turn=0)[0]) == 0
