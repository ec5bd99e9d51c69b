"""What the pages' commands read: small corpora at the places that the pages name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from simhash_udf.sample import Document, generate_documents
from tests.documentation.snippets import ROOT

NIGHTS = ("2026-11-29", "2026-11-30")
DOCUMENTS = 160


def prepare(place: Path) -> None:
    """Make the directory in which a page's commands run: jobs/ and conf/ of the checkout, and the corpora."""
    for name in ("jobs", "conf"):
        (place / name).symlink_to(ROOT / name)
    documents = [document for document in generate_documents(DOCUMENTS, seed=5) if document.text]
    columns = _columns(documents)
    _write(columns, place / "data" / "pages" / "part-0.parquet")
    _write(columns.select(["id", "text", "cluster"]), place / "data" / "vsdocs.parquet")
    pa.csv.write_csv(columns.select(["id", "text"]), place / "data" / "posts.csv")
    pa.csv.write_csv(_pairs(columns), place / "data" / "pairs.csv")
    half = len(columns) // 2
    for number, night in enumerate(NIGHTS):
        _write(columns.slice(number * half, half), place / "lake" / "pages" / f"dt={night}" / "part-0.parquet")


def _columns(documents: Sequence[Document]) -> pa.Table:
    """Pages with ids from p-0 on; p-17 repeats p-16."""
    texts = [document.text for document in documents]
    texts[17] = texts[16]
    return pa.table(
        {
            "id": [f"p-{number}" for number in range(len(documents))],
            "text": texts,
            "site": [document.source for document in documents],
            "published": pa.array([document.published for document in documents], pa.date32()),
            "cluster": [document.cluster for document in documents],
        }
    )


def _pairs(columns: pa.Table) -> pa.Table:
    """Each page with the next one in the order of clusters, and whether both are of one cluster."""
    rows = sorted(columns.select(["cluster", "id"]).to_pylist(), key=lambda row: (row["cluster"], row["id"]))
    pairs = list(pairwise(rows))
    return pa.table(
        {
            "id_1": [one["id"] for one, _ in pairs],
            "id_2": [two["id"] for _, two in pairs],
            "is_duplicate": [str(one["cluster"] == two["cluster"]).lower() for one, two in pairs],
        }
    )


def _write(table: pa.Table, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, place)
