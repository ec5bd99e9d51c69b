"""What the band join tests share: the join as Spark runs it, and its oracle."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from simhash_udf.kernel.band_join import explode_blocks, join_block
from simhash_udf.kernel.bits import node_ids, popcount
from simhash_udf.kernel.edge_list import join_edges


def join(words, plan, *, all_pairs=True, chunk=10**9, waves=False):
    """Explode in chunks, bring the blocks of each slot together, join each slot."""
    slots = defaultdict(list)
    for wave in plan.waves if waves else [plan.bands]:
        for start in range(0, len(words), chunk):
            for slot, block in explode_blocks(words[start : start + chunk], plan, wave):
                slots[slot].append(block)
    assert all(0 <= slot < plan.num_slots for slot in slots)
    return join_edges([join_block(slot, blocks, plan, all_pairs) for slot, blocks in slots.items()])


def rows_of(edges):
    """Edges as (src, dst, distance), ordered; a pair that came out twice is there twice."""
    return sorted(zip(edges.src.tolist(), edges.dst.tolist(), edges.distance.tolist(), strict=True))


def brute_force(words, max_distance, max_total_distance=None):
    """All pairs of distinct rows compared."""
    words = np.array(sorted(set(map(tuple, words.tolist()))), dtype=np.uint64).reshape(-1, words.shape[1])
    total = 8 * words.shape[1] if max_total_distance is None else max_total_distance
    ids, rows = node_ids(words).tolist(), []
    for index in range(len(words) - 1):
        distance = popcount(words[index + 1 :] ^ words[index])
        is_edge = (distance.min(axis=1) <= max_distance) & (distance.sum(axis=1, dtype=int) <= total)
        for other in np.flatnonzero(is_edge).tolist():
            a, b = ids[index], ids[index + 1 + other]
            rows.append((min(a, b), max(a, b), int(distance[other].min())))
    return sorted(rows)


def planted(rng, num_bases, num_views, largest):
    """Random rows, and for each of them one at every distance from 0 to `largest`, views varied a little."""
    base = rng.integers(0, 2**64, (num_bases, num_views), dtype=np.uint64)
    rows = [base]
    for distance in range(largest + 1):
        near = base.copy()
        for index in range(num_bases):
            for view in range(num_views):
                wanted = distance if num_views == 1 else max(0, distance + int(rng.integers(-1, 4)))
                for bit in rng.choice(64, wanted, replace=False).tolist():
                    near[index, view] ^= np.uint64(1 << bit)
        rows.append(near)
    words = np.concatenate(rows)
    rng.shuffle(words)
    return words
