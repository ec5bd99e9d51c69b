"""Quality of the groups on labelled sets, for every tokenizer, weight, calibration, set of views and k.

    python -m benchmarks.tokenizer_quality --data DIR [--sets zh_lctt_ccbysa,…] [--output docs/tokenizer-tables.md]

A set is a Parquet file with columns ``id, text, cluster``; several joined by ``+`` are one set. Precision and recall
are of pairs of documents in one group against pairs in one cluster. The kernel runs in this process; Spark gives the
same groups.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from simhash_udf.evaluation.findings import Findings
from simhash_udf.evaluation.metrics import Scores, pair_scores
from simhash_udf.kernel.band_join import explode_blocks, join_block
from simhash_udf.kernel.bits import node_ids
from simhash_udf.kernel.calibration import learn_thresholds
from simhash_udf.kernel.edge_list import join_edges
from simhash_udf.kernel.fingerprint import Fingerprinter
from simhash_udf.kernel.hashing import pack_bits
from simhash_udf.kernel.plan import choose_plan
from simhash_udf.kernel.recipe import Recipe, View

SETS = (
    "zh_lctt_ccbysa",
    "zh_vsdocs_revisions",
    "en_peps_revisions+en_opensource_articles",
    "zh_poem_variants",
    "zh_laws",
    "zh_leetcode_same",
)
DISTANCES = (3, 4, 5, 6)
MAX_COMPARISONS = 2e10


@dataclass(frozen=True)
class Row:
    """A line of the table: what made the fingerprints, and the score at each k."""

    name: str
    weight: str
    calibration: str
    scores: tuple[Scores | None, ...]

    def cells(self) -> str:
        shown = (f"{s.f1:.3f} ({s.precision:.2f}/{s.recall:.2f})" if s else "–" for s in self.scores)
        return f"| {self.name} | {self.weight} | {self.calibration} | {' | '.join(shown)} |"


def recipes() -> Iterator[tuple[str, Recipe]]:
    """Every recipe of one view, then the mixtures and views."""
    for weight in ("tf", "log_tf", "binary"):
        for tokenizer in ("jieba", "jieba_full", "jieba_search", "char", "word", "jieba+char", "pypi"):
            yield tokenizer, Recipe(views=(View(tokenizer),), weight=weight)
        yield "jieba, ngram 2", Recipe(ngram=(2,), weight=weight)
        yield "char, ngram 2", Recipe(views=(View("char"),), ngram=(2,), weight=weight)
    yield "jieba", Recipe(weight="tf_idf")
    yield "jieba, top 20", Recipe(weight="tf_idf", top_k=20)
    for weight in ("tf", "log_tf"):
        yield "views", Recipe(views=(View("jieba"), View("jieba", 1), View("char"), View("char", 1)), weight=weight)


def view_sets(name: str) -> list[tuple[str, list[int]]]:
    """Which of a recipe's views make a row: all subsets that are worth asking for."""
    if name != "views":
        return [(name, [0])]
    return [("jieba ×2", [0, 1]), ("char ×2", [2, 3]), ("jieba, char", [0, 2]), ("jieba ×2, char ×2", [0, 1, 2, 3])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    lines = []
    for name in given.sets.split(","):
        for line in table_of(given.data, name):
            print(line, flush=True)
            lines.append(line)
        if given.output:
            given.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


def table_of(data: Path, name: str) -> Iterator[str]:
    """The table of one set as Markdown lines: group F1 (precision/recall) at each k."""
    parts = [pq.read_table(data / f"{part}.parquet", columns=["text", "cluster"]) for part in name.split("+")]
    table = pa.concat_tables(parts)
    clusters = np.unique(table["cluster"].to_numpy(zero_copy_only=False), return_inverse=True)[1]
    started = time.monotonic()
    yield f"\n### {name.replace('+', ' + ')}: {len(table):,} documents\n"
    yield "| tokenizer | weight | calibration | " + " | ".join(f"k = {k}" for k in DISTANCES) + " |"
    yield "|---|---|---|" + "---|" * len(DISTANCES)
    for label, recipe in recipes():
        scores = Fingerprinter(recipe).scores(table["text"])
        for views, chosen in view_sets(label):
            for row in rows_of(views, recipe.weight, scores[:, chosen], clusters):
                yield row.cells()
    yield f"\n{time.monotonic() - started:.0f} s in one process."


def rows_of(name: str, weight: str, scores: NDArray[np.float64], clusters: NDArray[np.int64]) -> Iterator[Row]:
    has_value = ~np.isnan(scores[:, 0, 0])
    learned = learn_thresholds(scores)
    choices = {"none": np.zeros(scores.shape[1:])} | ({"sample": np.array(learned)} if learned else {})
    for calibration, thresholds in choices.items():
        bits = np.nan_to_num(scores, nan=-np.inf) > thresholds
        words = np.stack([pack_bits(bits[:, view]) for view in range(bits.shape[1])], axis=1)
        found = tuple(score(words, has_value, clusters, k) for k in DISTANCES)
        yield Row(name, weight, calibration, found)


def score(
    words: NDArray[np.uint64], has_value: NDArray[np.bool_], clusters: NDArray[np.int64], k: int
) -> Scores | None:
    """Scores of the groups at k, None where the join is too large to be of use.

    Documents without a fingerprint stand alone.
    """
    usable = words[has_value]
    plan = choose_plan(usable, len(usable), max_distance=k)
    if plan.comparisons > MAX_COMPARISONS:
        return None
    blocks = defaultdict(list)
    for slot, block in explode_blocks(usable, plan):
        blocks[slot].append(block)
    edges = join_edges([join_block(slot, chunks, plan) for slot, chunks in blocks.items()])
    nodes = np.where(has_value, node_ids(words), np.arange(len(words)))
    return pair_scores(clusters, Findings(nodes, ~has_value, edges).groups)


if __name__ == "__main__":
    main()
