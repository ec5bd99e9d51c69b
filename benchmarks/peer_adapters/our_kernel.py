"""This project's kernel in one process, without Spark: the job's fingerprints, join and components."""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.peer_adapters.frame import run
from simhash_udf.kernel.band_join import explode_blocks, join_block
from simhash_udf.kernel.bits import node_ids
from simhash_udf.kernel.calibration import learn_thresholds
from simhash_udf.kernel.fingerprint import Fingerprinter
from simhash_udf.kernel.forest import connected_components
from simhash_udf.kernel.plan import choose_plan
from simhash_udf.kernel.recipe import Recipe, View

SAMPLE = 2000  # documents that the thresholds are learned from, as in the job
BATCH = 5000


def find(options: argparse.Namespace) -> list[int]:
    texts = pq.read_table(options.input, columns=["text"])["text"].combine_chunks()
    nodes, words = make_fingerprints(texts, options.setting["views"], options.setting["weight"])
    src, dst = join(words, options.setting["distance"])
    members, labels = connected_components(src, dst)
    if len(members):
        place = np.minimum(np.searchsorted(members, nodes), len(members) - 1)
        nodes = np.where(members[place] == nodes, labels[place], nodes)
    groups: list[int] = np.unique(nodes, return_inverse=True)[1].tolist()
    return groups


def make_fingerprints(
    texts: pa.StringArray, tokenizers: list[str], weight: str
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return the node of each text and the words of those with a fingerprint; the others are nodes of their own."""
    views = tuple(View(name, tokenizers[:at].count(name)) for at, name in enumerate(tokenizers))
    recipe = Recipe(views=views, weight=weight)
    sample = texts.take(pa.array(np.linspace(0, len(texts) - 1, min(SAMPLE, len(texts))).astype(int)))
    thresholds = learn_thresholds(Fingerprinter(recipe).scores(sample))
    fingerprinter = Fingerprinter(replace(recipe, thresholds=thresholds))
    made = [fingerprinter(texts.slice(start, BATCH)) for start in range(0, len(texts), BATCH)]
    words = np.concatenate([part.values for part in made])
    has_value = np.concatenate([part.has_value for part in made])
    return np.where(has_value, node_ids(words), -1 - np.arange(len(texts))), words[has_value]


def join(words: NDArray[np.uint64], distance: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the edges between nodes within the distance in any view, as the job plans and makes them."""
    distinct = np.unique(words, axis=0)
    plan = choose_plan(distinct, len(distinct), max_distance=distance)
    blocks = defaultdict(list)
    for slot, block in explode_blocks(words, plan):
        blocks[slot].append(block)
    edges = [join_block(slot, chunks, plan) for slot, chunks in blocks.items()]
    return np.concatenate([part.src for part in edges]), np.concatenate([part.dst for part in edges])


if __name__ == "__main__":
    run(find)
