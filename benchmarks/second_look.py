"""What comparing texts and regrouping cost: seconds and memory by the number of documents that are in an edge.

    python -m benchmarks.second_look verify --input FILE.parquet [--sizes 1e5,3e5,1e6] [--options "--verify cosine:0.9"]
    python -m benchmarks.second_look regroup [--sizes 1e4,1e5,1e6]

``verify`` runs the job on the first documents of a file (``id, text``; ``benchmarks.peers corpus`` writes one)
without the check, then with it on the same stage tables, so that the second run does nothing but compare texts and
write results. ``regroup`` gives one component of so many nodes, each 3 bits from the one before, to the stage that
groups around representatives, and checks every member.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from benchmarks.growth import exponent_of
from benchmarks.local_session import start
from benchmarks.monitor import Monitor
from simhash_udf import schema
from simhash_udf.config import Settings
from simhash_udf.dedup import run_dedup
from simhash_udf.kernel.edge_rule import EdgeRule
from simhash_udf.runtime.options import load_settings
from simhash_udf.runtime.session import RUNTIME_DEFAULTS
from simhash_udf.stages.leaders import build_leaders
from simhash_udf.udf.columns import hamming_distance

STAGES = ("texts", "vectors", "checks", "candidates", "verified", "members", "group_checks")
"""First words of the names of the stages that the check adds."""
MAX_DISTANCE = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("verify", "regroup"))
    parser.add_argument("--input", type=Path)
    parser.add_argument("--sizes", type=lambda sizes: [int(float(size)) for size in sizes.split(",")])
    parser.add_argument("--options", default="--verify jaccard:0.5", help="options of the run that checks")
    parser.add_argument("--directory", type=Path, default=Path(tempfile.gettempdir()) / "second_look_benchmark")
    parser.add_argument("--results", type=Path, help="JSON lines, appended")
    given = parser.parse_args()
    shutil.rmtree(given.directory, ignore_errors=True)
    spark = start(given.directory, "4g", settings=RUNTIME_DEFAULTS)
    outcomes = []
    for size in given.sizes or ([100_000, 300_000, 1_000_000]):
        outcome = verify(spark, size, given) if given.what == "verify" else regroup(spark, size, given.directory)
        outcomes.append(outcome)
        print(json.dumps(outcome), flush=True)
        if given.results:
            with given.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(outcome) + "\n")
    if len(outcomes) > 1:
        sizes, seconds = ([outcome[name] for outcome in outcomes] for name in ("nodes", "seconds"))
        print(f"seconds grow as n^{exponent_of(sizes, seconds):.2f}")
    spark.stop()
    shutil.rmtree(given.directory, ignore_errors=True)


def verify(spark: SparkSession, size: int, given: argparse.Namespace) -> dict[str, Any]:
    """Return what the check of the first documents costs; ``nodes`` are the texts that were read again."""
    place = given.directory / "documents.parquet"
    source = pq.ParquetFile(given.input).iter_batches(columns=["id", "text"], batch_size=20_000)
    with pq.ParquetWriter(place, pa.schema([("id", pa.string()), ("text", pa.string())])) as writer:
        for number in range(-(-size // 20_000)):
            writer.write_batch(next(source).slice(0, size - 20_000 * number))
    options = ["--input", str(place), "--work-dir", str(given.directory / "work")]
    options += ["--output", str(given.directory / "result"), "--overwrite"]
    run_dedup(spark, load_settings(Settings, "", options, {}))
    with Monitor(given.directory) as monitor:
        run_dedup(spark, load_settings(Settings, "", [*options, *shlex.split(given.options)], {}))
    report = json.loads((given.directory / "result" / "report.json").read_text(encoding="utf-8"))
    added = [stage for stage in report["stages"] if stage["stage"].startswith(STAGES)]
    rows = {stage["stage"]: stage["rows"] for stage in added}
    shutil.rmtree(given.directory / "work")
    return {
        "benchmark": "verify",
        "documents": size,
        "nodes": rows["texts"],
        "compared": sum(count for name, count in rows.items() if name.startswith(("checks", "group_checks"))),
        "rounds": sum(name.startswith("checks") for name in rows),
        "seconds": round(sum(stage["seconds"] for stage in added), 1),
        "of_stages": {stage["stage"]: stage["seconds"] for stage in added},
        "java_bytes": monitor.peak_memory["java"],
        "python_bytes": monitor.peak_memory["python"],
    }


def regroup(spark: SparkSession, size: int, directory: Path) -> dict[str, Any]:
    """Return what regrouping one component costs; ends the program if a member is too far from its representative."""
    draw = np.random.default_rng(1)
    turned = np.uint64(1) << draw.integers(0, 64, (size, MAX_DISTANCE), dtype=np.uint64)
    words = np.bitwise_xor.accumulate(np.bitwise_or.reduce(turned, axis=1)).view(np.int64)
    table = pa.table({"node_id": pa.array(words), "place": pa.array(np.arange(size))})
    pq.write_table(table, directory / "nodes.parquet")
    nodes = spark.read.parquet(str(directory / "nodes.parquet")).select(
        F.lit(0).cast("long").alias(schema.COMPONENT_ID),
        schema.NODE_ID,
        schema.PLACE,
        F.array(schema.NODE_ID).alias("words"),
        F.lit(False).alias("is_leader"),
    )
    started = time.monotonic()
    with Monitor(directory) as monitor:
        build_leaders(nodes, None, EdgeRule(MAX_DISTANCE, 8)).write.mode("overwrite").parquet(
            str(directory / "leaders")
        )
    seconds = time.monotonic() - started
    leaders = spark.read.parquet(str(directory / "leaders"))
    distance = hamming_distance(F.col(schema.NODE_ID), F.col(schema.LEADER_ID))
    rows, groups, farthest = leaders.agg(F.count("*"), F.count_distinct(schema.LEADER_ID), F.max(distance)).first() or (
        0,
        0,
        0,
    )
    if rows != size or farthest > MAX_DISTANCE:
        raise SystemExit(f"wrong: {rows} of {size} nodes, largest distance {farthest}")
    return {
        "benchmark": "regroup",
        "nodes": size,
        "groups": groups,
        "seconds": round(seconds, 1),
        "java_bytes": monitor.peak_memory["java"],
        "python_bytes": monitor.peak_memory["python"],
    }


if __name__ == "__main__":
    main()
