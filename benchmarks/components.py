"""Connected components at scale: right, in how many rounds, in what memory and time.

    python -m benchmarks.components [--graphs random,chain,shuffled_chain,star,small] [--edges 5e7] [--small-edges 1e6]
        [--ways job,one_task,contraction] [--results FILE.jsonl]

``random`` has ``--edges`` edges, the others ``--small-edges``. Each graph takes the way that the job would choose, and
``contraction`` in tasks so small that it needs its rounds. Every label is compared with SciPy's in the driver.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from benchmarks.graphs import GRAPHS, check, edges_of
from benchmarks.local_session import start
from benchmarks.monitor import Monitor
from simhash_udf.pipeline.connecting import SINGLE_TASK_EDGES, Connector
from simhash_udf.runtime.tables import WorkTables
from simhash_udf.stages.components import TASK_PAIRS, components_by_contraction, components_in_one_task

CORES = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    parser.add_argument("--edges", type=float, default=5e7)
    parser.add_argument("--small-edges", type=float, default=1e6)
    parser.add_argument("--ways", default="job,contraction")
    parser.add_argument("--directory", type=Path, default=Path(tempfile.gettempdir()) / "components_benchmark")
    parser.add_argument("--driver-memory", default="4g")
    parser.add_argument("--results", type=Path, help="JSON lines, appended")
    given = parser.parse_args()
    shutil.rmtree(given.directory, ignore_errors=True)
    spark = start(given.directory, given.driver_memory, cores=CORES)
    for name in given.graphs.split(","):
        num_edges = int(given.edges if name == "random" else given.small_edges)
        place = given.directory / "edges"
        edges_of(spark, name, num_edges, max(num_edges // 4_000_000, CORES)).write.parquet(str(place))
        for way in given.ways.split(","):
            outcome = run(spark, name, num_edges, way, given.directory)
            print(describe(outcome), flush=True)
            if given.results:
                with given.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(outcome) + "\n")
        shutil.rmtree(place)
    spark.stop()
    shutil.rmtree(given.directory)


def run(spark: SparkSession, name: str, num_edges: int, way: str, directory: Path) -> dict[str, Any]:
    """One graph by one way; the outcome as plain values. Ends the program if a label is wrong."""
    edges = spark.read.parquet(str(directory / "edges"))
    rows = edges.count()
    tables = CountedTables(spark, str(directory / "work"))
    task_pairs = TASK_PAIRS if rows > SINGLE_TASK_EDGES else rows // 20
    ways: dict[str, Callable[[], DataFrame]] = {
        "job": lambda: Connector(tables, CORES).components(edges, rows),
        "one_task": lambda: components_in_one_task(edges),
        "contraction": lambda: components_by_contraction(edges, tables.scratch, rows=rows, task_pairs=task_pairs),
    }
    started = time.monotonic()
    with Monitor(directory) as monitor:
        table = tables.table("components", {"way": way}, ways[way])
    seconds = time.monotonic() - started
    found = check(directory / "work" / f"components-{table.digest[:16]}" / "data", name, num_edges)
    shutil.rmtree(directory / "work")
    return {
        "benchmark": "components",
        "graph": name,
        "edges": rows,
        "nodes": table.rows,
        "components": found,
        "way": way,
        "task_pairs": task_pairs,
        "rounds": tables.rounds,
        "seconds": round(seconds, 1),
        "java_bytes": monitor.peak_memory["java"],
        "python_bytes": monitor.peak_memory["python"],
        "disk_bytes": monitor.peak_disk,
    }


class CountedTables(WorkTables):
    """Work tables that count the rounds of contraction."""

    rounds = 0

    def scratch(self, name: str, frame: DataFrame) -> DataFrame:
        """Return the frame as read back, and count it."""
        self.rounds += name.startswith("contraction")
        return super().scratch(name, frame)


def describe(outcome: dict[str, Any]) -> str:
    """Return the outcome as a line."""
    memory = " and ".join(f"{outcome[f'{name}_bytes'] / 2**30:.1f} GiB {name}" for name in ("java", "python"))
    return (
        f"{outcome['graph']} by {outcome['way']}: {outcome['edges']:,} edges, {outcome['nodes']:,} nodes, "
        f"{outcome['components']:,} components, all labels right; {outcome['rounds']} rounds, {outcome['seconds']} s, "
        f"{memory}, {outcome['disk_bytes'] / 1e9:.1f} GB of disk"
    )


if __name__ == "__main__":
    main()
