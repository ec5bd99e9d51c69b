"""Quality of the groups on labelled corpora: this project's settings and presets, MinHash, and sets made to mislead.

    python -m benchmarks.quality --data DIR --work DIR [--output docs/quality-tables.md] [--corpora zh_laws,…]
        [--parts kernel,peers,job,misleading,plans] [--interpreter PYTHON]

Precision and recall are of pairs of documents in one group against pairs in one labelled cluster. Figures are kept in
the work directory, and what is there is not measured again; tables are made of all that is there. ``kernel`` compares
all pairs of fingerprints in this process, ``job`` runs ``spark-submit jobs/dedup.py`` and must give the same groups.
"""

from __future__ import annotations

import argparse
from datetime import date
from itertools import groupby
from pathlib import Path

from benchmarks.quality_parts import hard_negatives, plans, tables
from benchmarks.quality_parts.corpora import CORPORA, numbers_of
from benchmarks.quality_parts.job_runs import measure_job
from benchmarks.quality_parts.kernel_runs import KernelRuns
from benchmarks.quality_parts.peer_runs import PeerRuns
from benchmarks.quality_parts.results import Results
from benchmarks.quality_parts.texts import Texts

PARTS = ("kernel", "peers", "job", "misleading", "plans")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path, help="figures, environments of peers, scratch files")
    parser.add_argument("--output", type=Path, help="Markdown file of the tables")
    parser.add_argument("--corpora", type=lambda names: names.split(","), default=list(CORPORA))
    parser.add_argument("--parts", type=lambda names: names.split(","), default=list(PARTS))
    parser.add_argument("--interpreter", type=Path, action="append", default=[], help="another Python for the peers")
    given = parser.parse_args()
    results = Results(given.work / "figures.jsonl")
    misleading, planned = given.work / "misleading.jsonl", given.work / "plans.jsonl"
    if "kernel" in given.parts:
        measure_kernel(given.data, given.corpora, results)
    if "peers" in given.parts:
        for corpus in given.corpora:
            PeerRuns(given.data, given.work, tuple(given.interpreter)).measure(corpus, results)
    if "job" in given.parts:
        for corpus in given.corpora:
            measure_job(corpus, given.data, given.work, results)
    if "misleading" in given.parts:
        hard_negatives.measure(given.data, misleading)
    if "plans" in given.parts:
        plans.measure(given.data, planned)
    if given.output:
        day = f"{date.today():%Y-%m-%d}"
        text = tables.document(results, hard_negatives.read(misleading), plans.read(planned), day)
        given.output.write_text(text, encoding="utf-8")


def measure_kernel(data: Path, corpora: list[str], results: Results) -> None:
    """Measure this project's settings; corpora that begin with the same files share what is made of their texts."""
    by_first = sorted((CORPORA[name] for name in corpora), key=lambda corpus: (corpus.parts[0], len(corpus.parts)))
    for _, family in groupby(by_first, key=lambda corpus: corpus.parts[0]):
        same = list(family)
        texts = Texts(same[-1].table(data)["text"].combine_chunks())
        for corpus in same:
            clusters = numbers_of(corpus.table(data)["cluster"])
            KernelRuns(corpus.name, texts, clusters).measure(results)
            print(corpus.name, flush=True)


if __name__ == "__main__":
    main()
