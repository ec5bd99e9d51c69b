"""Check an installed package without its checkout: the public names, the sample, and one search on a local session."""

from __future__ import annotations

from pyspark.sql import SparkSession

from simhash_udf import __version__, distance, find_duplicates, hamming_distance, simhash, simhash_value
from simhash_udf.sample import generate_documents


def main() -> None:
    """Find the planted exact copies of a small sample."""
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    documents = list(generate_documents(300))
    rows = [(document.id, document.text) for document in documents]
    frame = spark.createDataFrame(rows, "id string, text string")
    groups = {row["doc_id"]: row["group_id"] for row in find_duplicates(frame, max_distance=3).collect()}
    originals = {document.cluster: document.id for document in documents if document.kind == "original"}
    copies = [document for document in documents if document.kind == "exact_copy"]
    assert copies, "the sample has no copies"
    assert all(groups[copy.id] == groups[originals[copy.cluster]] for copy in copies), "a copy was not found"
    fingerprints = frame.select(simhash("text").alias("a")).select(hamming_distance("a", "a").alias("d")).distinct()
    assert {row["d"] for row in fingerprints.collect()} <= {0, None}, "a fingerprint differs from itself"
    assert distance(simhash_value("今天天气很好"), simhash_value("今天天气很好")) == 0
    print(f"simhash-dedup {__version__}: {len(copies)} of {len(copies)} planted copies found")
    spark.stop()


if __name__ == "__main__":
    main()
