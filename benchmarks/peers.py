"""This project against other near-duplicate finders: same machine, same data, seconds, memory and pairwise quality.

    python -m benchmarks.peers corpus --documents 1e5 --output DIR/sample-1e5.parquet
    python -m benchmarks.peers sweep --data FILE.parquet --cache DIR --results FILE.jsonl [--peers 'rensa;datasketch']
    python -m benchmarks.peers run   --data FILE.parquet --cache DIR --results FILE.jsonl [--tuned-on NAME]
    python -m benchmarks.peers table --results FILE.jsonl

A data file has the columns ``id, text, cluster``. Each run is a process of its own, in a virtual environment that is
made in the cache directory when it is first needed. ``sweep`` tries every setting of a peer (see
``peer_adapters/catalogue.py``) and ``run`` takes the one with the best F1 on the set that it was tuned on, which is
the data file itself unless told otherwise. Results are appended, so that peers and sizes can be run one at a time.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.peer_adapters.catalogue import PEERS, Peer, Setting
from benchmarks.peer_adapters.environments import NotInstallableError, python_of, versions
from benchmarks.peer_adapters.measure import Outcome, Task, measure
from simhash_udf.sample import generate_documents

MIN_CHARACTERS = 50  # every finder has another rule for shorter texts
ROWS = 10_000


def main() -> None:
    given = parse()
    if given.command in ("sweep", "run"):
        given.cache.mkdir(parents=True, exist_ok=True)
    if given.command == "corpus":
        write_corpus(int(given.documents), given.seed, given.output)
    elif given.command == "table":
        print("\n".join(table(read(given.results))))
    else:
        for name in given.peers or PEERS:
            for outcome in outcomes(name, given):
                print(outcome.json(), flush=True)
                with given.results.open("a", encoding="utf-8") as file:
                    file.write(outcome.json() + "\n")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    corpus = commands.add_parser("corpus", help="write made-up documents with planted duplicates")
    corpus.add_argument("--documents", type=float, required=True)
    corpus.add_argument("--seed", type=int, default=0)
    corpus.add_argument("--output", type=Path, required=True)
    commands.add_parser("table", help="print the runs as Markdown").add_argument("--results", type=Path, required=True)
    for name in ("sweep", "run"):
        command = commands.add_parser(name)
        command.add_argument("--data", type=Path, required=True)
        command.add_argument("--cache", type=Path, required=True, help="directory of environments and scratch files")
        command.add_argument("--results", type=Path, required=True, help="JSON lines, appended")
        command.add_argument("--peers", type=lambda names: names.split(";"), help="names separated by semicolons [all]")
        command.add_argument("--interpreter", type=Path, action="append", default=[], help="another Python to try")
        command.add_argument("--limit", type=float, default=900, help="seconds for one run [900]")
        command.add_argument("--workers", type=int, action="append", help="only with that many cores")
        command.add_argument("--tuned-on", help="name of the set whose sweep chooses the setting")
    return parser.parse_args()


def write_corpus(count: int, seed: int, output: Path) -> None:
    """Write `count` documents of the sample corpus, without those that are too short to be compared."""
    output.parent.mkdir(parents=True, exist_ok=True)
    documents = (each for each in generate_documents(2 * count, seed=seed) if len(each.text or "") >= MIN_CHARACTERS)
    schema = pa.schema([("id", pa.string()), ("text", pa.string()), ("cluster", pa.string())])
    with pq.ParquetWriter(output, schema) as writer:
        for start in range(0, count, ROWS):
            rows = [next(documents) for _ in range(min(ROWS, count - start))]
            columns = {name: [getattr(row, name) for row in rows] for name in schema.names}
            writer.write_table(pa.table(columns, schema))


def outcomes(name: str, given: argparse.Namespace) -> Iterator[Outcome]:
    """Run one peer: all its settings, or the best one with each number of cores."""
    peer = PEERS[name]
    try:
        python = python_of(peer, given.cache, given.interpreter)
    except NotInstallableError as reason:
        yield Outcome(name, {}, 0, given.data.stem, 0, 0.0, 0.0, 0, problem=f"not installed: {reason}")
        return
    sweep, installed = given.command == "sweep", versions(peer, python)
    for setting in untried(name, peer, given) if sweep else [best(name, peer, given)]:
        for workers in given.workers or (peer.workers[-1:] if sweep else peer.workers):
            task = Task(name, peer.adapter, setting, workers, given.data, given.limit, given.cache)
            yield replace(measure(task, python), versions=installed, sweep=sweep)


def untried(name: str, peer: Peer, given: argparse.Namespace) -> list[Setting]:
    """The settings that this set has no result for, so that a sweep that was stopped goes on."""
    done = [each.setting for each in swept(name, given.data.stem, given)]
    return [setting for setting in peer.settings if setting not in done]


def best(name: str, peer: Peer, given: argparse.Namespace) -> Setting:
    """The setting with the highest F1 in the sweep; the first if none came to an end."""
    scored = [each for each in swept(name, given.tuned_on or given.data.stem, given) if each.f1 is not None]
    return max(scored, key=lambda each: each.f1 or 0.0).setting if scored else peer.settings[0]


def swept(name: str, corpus: str, given: argparse.Namespace) -> list[Outcome]:
    return [each for each in read(given.results) if each.sweep and (each.peer, each.corpus) == (name, corpus)]


def read(results: Path) -> list[Outcome]:
    if not results.exists():
        return []
    return [Outcome(**json.loads(line)) for line in results.read_text(encoding="utf-8").splitlines()]


def table(results: list[Outcome]) -> Iterator[str]:
    """Yield a Markdown table for each corpus, the last run of each peer and number of cores."""
    runs = {(each.corpus, each.peer, each.workers): each for each in results if not each.sweep}
    order = list(PEERS)
    for corpus, rows in groupby(sorted(runs.values(), key=lambda each: each.corpus), key=lambda each: each.corpus):
        yield f"\n### {corpus}\n"
        yield "| | setting | cores | seconds | processor s | documents/s | peak memory | precision | recall | F1 |"
        yield "|---|---|---|---|---|---|---|---|---|---|"
        yield from (cells(each) for each in sorted(rows, key=lambda each: (order.index(each.peer), each.workers)))


def cells(run: Outcome) -> str:
    if run.f1 is None:
        return f"| {run.peer} | {shown(run.setting)} | {run.workers} | {run.problem} | – | – | – | – | – | – |"
    speed, memory = run.documents / run.seconds, run.peak_bytes / 2**30
    quality = f"{run.precision:.3f} | {run.recall:.3f} | {run.f1:.3f}"
    middle = f"{run.seconds:.1f} | {run.processor_s:.0f} | {speed:,.0f} | {memory:.2f} GiB"
    return f"| {run.peer} | {shown(run.setting)} | {run.workers} | {middle} | {quality} |"


def shown(setting: Setting) -> str:
    values = ((name, " ".join(value) if isinstance(value, list) else value) for name, value in setting.items())
    return ", ".join(f"{name} {value}" for name, value in values if value != "")


if __name__ == "__main__":
    main()
