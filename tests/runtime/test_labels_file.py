"""Files of labels in every format, and what is refused."""

from __future__ import annotations

import gzip
import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from simhash_udf.config_evaluation import LabelSettings
from simhash_udf.errors import InputError
from simhash_udf.runtime.labels import keep_known, number_ids, read_labels

PAIRS = [("1", "2", "1"), ("1", "3", "0")]


def write(place: Path, rows: list[dict[str, Any]]) -> Path:
    names = list(rows[0])
    if place.suffix == ".csv":
        place.write_text("\n".join(",".join(map(str, row)) for row in [names, *(r.values() for r in rows)]), "utf-8")
    elif place.suffix == ".tsv":
        place.write_text("\n".join("\t".join(map(str, row)) for row in [names, *(r.values() for r in rows)]), "utf-8")
    elif place.suffix in {".json", ".jsonl"}:
        place.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    else:
        pq.write_table(pa.Table.from_pylist(rows), place)
    return place


def read(spark: SparkSession, place: Path, **options: Any) -> dict[tuple[str, str], bool]:
    labels = read_labels(spark, LabelSettings(labels=str(place), **options))
    assert labels.pairs is not None
    ends = zip(labels.ids[labels.pairs.left], labels.ids[labels.pairs.right], strict=True)
    return dict(zip(ends, labels.pairs.is_duplicate.tolist(), strict=True))


@pytest.mark.parametrize("name", ["p.csv", "p.tsv", "p.json", "p.jsonl", "p.parquet", "p"])
def test_pairs_are_the_same_from_every_format(spark: SparkSession, tmp_path: Path, name: str) -> None:
    rows = [{"id_1": int(a), "id_2": int(b), "is_duplicate": bool(int(same)), "note": "x"} for a, b, same in PAIRS]
    assert read(spark, write(tmp_path / name, rows)) == {("1", "2"): True, ("1", "3"): False}


def test_a_table_as_a_spreadsheet_saves_it_is_read(spark: SparkSession, tmp_path: Path) -> None:
    place = tmp_path / "labels.csv.gz"
    text = '\ufeffid_1, id_2,is_duplicate\r\n"甲,1", 乙 ,1\r\n乙,丙,0\r\n,丙,0\r\n'
    place.write_bytes(gzip.compress(text.encode("utf-8")))
    assert read(spark, place) == {("乙", "甲,1"): True, ("丙", "乙"): False}


def test_other_names_can_be_given_and_any_order_is_right(spark: SparkSession, tmp_path: Path) -> None:
    place = write(tmp_path / "p.csv", [{"label": same, "right": b, "left": a} for a, b, same in PAIRS])
    found = read(spark, place, label_columns=("left", "right", "label"))
    assert found == {("1", "2"): True, ("1", "3"): False}


def test_clusters_may_stand_beside_the_documents_themselves(spark: SparkSession, tmp_path: Path) -> None:
    rows = [{"id": n, "text": "x", "cluster": n // 2} for n in range(4)]
    labels = read_labels(spark, LabelSettings(labels=str(write(tmp_path / "d.parquet", rows))))
    assert labels.pairs is None
    assert labels.cluster.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("a,b,c\n1,2,1\n", {}, "needs the columns id_1, id_2, is_duplicate of pairs or id, cluster of clusters; it "
         "has a, b, c; name yours with label_columns"),
        ("id,group\n1,2\n", {}, "it has id, group"),
        ("id_1,id_2,is_duplicate\n1,2,1\n", {"label_columns": ("a", "b", "c")}, "needs the columns a, b, c; it has id"),
        ("", {}, "it has none"),
        ("id_1,id_2,is_duplicate\n", {}, "no pair of two known documents is a duplicate"),
        ("id_1,id_2,is_duplicate\n1,2,x\n", {}, "1 rows say neither yes nor no ('x')"),
        ("id,cluster\n1,a\n2,b\n", {}, "no cluster has two known documents"),
    ],
)  # fmt: skip
def test_files_that_say_nothing_are_refused(
    spark: SparkSession, tmp_path: Path, content: str, options: dict[str, Any], message: str
) -> None:
    place = tmp_path / "labels.csv"
    place.write_text(content, "utf-8")
    with pytest.raises(InputError) as refusal:
        read(spark, place, **options)
    assert message in str(refusal.value)
    assert str(place) in str(refusal.value)


def test_what_cannot_be_read_is_refused_with_the_format(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"labels=.*none\.csv cannot be read as csv: .*PATH_NOT_FOUND"):
        read(spark, tmp_path / "none.csv")
    place = tmp_path / "labels"
    place.write_text("id_1,id_2,is_duplicate\n1,2,1\n", "utf-8")
    with pytest.raises(InputError, match="cannot be read as parquet"):
        read(spark, place)
    assert read(spark, write(tmp_path / "odd.txt", [{"id_1": 1, "id_2": 2, "is_duplicate": 1}, {
        "id_1": 1, "id_2": 3, "is_duplicate": 0}]), labels_format="parquet")  # fmt: skip


def test_ids_that_are_not_there_are_counted_and_none_at_all_is_refused(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows = [{"id": n, "cluster": n // 2} for n in range(6)]
    settings = LabelSettings(labels=str(write(tmp_path / "c.csv", rows)))
    labels = read_labels(spark, settings)
    assert [tuple(row) for row in number_ids(spark, labels).collect()] == [(str(n), n) for n in range(6)]
    with caplog.at_level(logging.WARNING):
        kept = keep_known(labels, np.array([0, 1, 3]), settings)
    assert "3 of 6 ids are not those of a document with a text (2, 4, 5)" in caplog.text
    assert kept.counts["ids_not_in_documents"] == 3
    assert kept.ids.tolist() == ["0", "1", "3"]
    with pytest.raises(InputError, match=r"none of its 6 ids \(0, 1, 2\) is the id of a document with a text"):
        keep_known(labels, np.array([], dtype=np.int64), settings)
    with pytest.raises(InputError, match="no cluster has two known documents"):
        keep_known(labels, np.array([0, 2]), settings)
