"""The fingerprint stage on Spark against the kernel in one process, on the same text.

    python -m benchmarks.fingerprint_stage [--megabytes 200] [--input FILE.parquet] [--cores 2]

Text comes from the sample corpus, or from a Parquet file with a column ``text``, repeated to that size. Spark
reads Parquet and writes nothing (``noop``); the kernel has the text in memory. Both are warmed up first.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from simhash_udf.kernel.fingerprint import Fingerprinter
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.sample import generate_documents
from simhash_udf.stages.fingerprints import build_fingerprints
from simhash_udf.udf.columns import simhash_of

BATCH_ROWS = 2000
FILES = 16


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--input", type=Path)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    texts = read_texts(given.input, given.megabytes * 10**6)
    megabytes = size_of(texts) / 1e6
    place = Path(tempfile.mkdtemp(prefix="fingerprint_stage"))
    write(texts, place)
    spark = start(given.cores)
    documents = spark.read.parquet(str(place))
    ways: dict[str, Callable[[], object]] = {
        "kernel, one process": lambda: in_one_process(texts),
        f"mapInArrow stage, {given.cores} cores": lambda: drain(build_fingerprints(documents, Recipe())),
        f"pandas UDF, {given.cores} cores": lambda: drain(documents.select(simhash_of(Recipe())("text"))),
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(given.rounds + 1):  # the first round warms up
        for name, way in ways.items():
            started = time.monotonic()
            way()
            if turn:
                seconds[name].append(time.monotonic() - started)
    print(f"{len(texts):,} documents, {megabytes:.0f} MB of text, best of {given.rounds}")
    kernel = min(seconds["kernel, one process"])
    for name, measured in seconds.items():
        best = min(measured)
        print(f"{name:28} {best:6.1f} s  {megabytes / best:6.1f} MB/s  {kernel / best:5.2f} × the kernel")
    spark.stop()
    shutil.rmtree(place)


def read_texts(path: Path | None, size: int) -> pa.Array:
    if path is None:
        made = [document.text for document in generate_documents(20_000, seed=1) if document.text]
        once = pa.array(made, pa.string())
    else:
        once = pq.read_table(path, columns=["text"])["text"].drop_null().combine_chunks().cast(pa.string())
    repeats = max(size // size_of(once), 1)
    return pa.concat_arrays([once] * repeats)


def size_of(texts: pa.Array) -> int:
    return int(pc.sum(pc.binary_length(texts)).as_py())


def write(texts: pa.Array, place: Path) -> None:
    step = -(-len(texts) // FILES)
    for number in range(FILES):
        part = texts.slice(number * step, step)
        ids = pa.array(range(number * step, number * step + len(part)))
        pq.write_table(pa.table({"doc_id": ids, "text": part}), place / f"part-{number:02}.parquet")


def in_one_process(texts: pa.Array) -> None:
    compute = Fingerprinter(Recipe())
    for start_row in range(0, len(texts), BATCH_ROWS):
        compute(texts.slice(start_row, BATCH_ROWS))


def drain(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def start(cores: int) -> SparkSession:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", str(BATCH_ROWS))
    spark = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


if __name__ == "__main__":
    main()
