"""Batches for a store that is filled by jobs of their own."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from simhash_udf.sample import generate_documents

PLAIN = ("--tokenizer", "char", "--calibration", "none", "--max-distance", "4", "--max-total-distance", "8")
"""A specification that is quick to start with."""


def write_nights(directory: Path, count: int, *, documents: int = 240, seed: int = 5) -> list[Path]:
    """Write a made-up corpus in so many batches; the copies of a document lie in different ones."""
    made = generate_documents(documents, seed=seed)
    rows = [(document.id, document.text) for document in made]
    places = [directory / f"night-{number}.parquet" for number in range(count)]
    for number, place in enumerate(places):
        mine = rows[number::count]
        pq.write_table(pa.table({"id": [row[0] for row in mine], "text": [row[1] for row in mine]}), place)
    return places
