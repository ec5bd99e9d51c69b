"""What is shown of the groups, against the same in Python."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from simhash_udf import schema
from simhash_udf.stages.shown import shown_groups, shown_members, shown_texts

Row = dict[str, Any]


def made_rows() -> list[Row]:
    """Groups of 2 to 12 members; several of a group share a node."""
    chance = random.Random(7)
    rows = []
    for group_id in range(40):
        for place in range(chance.randint(2, 12)):
            match = "same_text" if place == 0 else chance.choice(["near", "same_fingerprint", "same_text"])
            distance = chance.randint(1, 9) if match == "near" else 0
            node = group_id * 100 + (chance.randint(1, 4) * 10 + distance if match == "near" else 0)
            row = {"doc_id": group_id * 100 + place, "group_id": group_id, "is_representative": place == 0}
            row |= {"representative_id": group_id * 100, "distance": distance, "match": match, "node_id": node}
            rows.append(row | {"similarity": 1.0 - node % 10 / 20})
    sizes: defaultdict[int, int] = defaultdict(int)
    for row in rows:
        sizes[row["group_id"]] += 1
    return [row | {"group_size": sizes[row["group_id"]]} for row in rows]


ROWS = made_rows()


@pytest.fixture(scope="module")
def groups(spark: SparkSession) -> DataFrame:
    kind = schema.groups(spark.range(1).schema["id"].dataType)
    return spark.createDataFrame([tuple(row[name] for name in kind.names) for row in ROWS], kind).repartition(4)


def by_group() -> dict[int, list[Row]]:
    members: dict[int, list[Row]] = {}
    for row in ROWS:
        members.setdefault(row["group_id"], []).append(row)
    return members


def test_the_largest_and_the_most_stretched_are_shown_with_their_figures(groups: DataFrame) -> None:
    figures = {
        group_id: (
            len(rows),
            max(row["distance"] for row in rows),
            min(row["similarity"] for row in rows),
            *(sum(row["match"] == kind for row in rows[1:]) for kind in ("near", "same_fingerprint", "same_text")),
        )
        for group_id, rows in by_group().items()
    }
    largest = sorted(figures, key=lambda group: (-figures[group][0], group))[:5]
    stretched = sorted(figures, key=lambda group: (-figures[group][1], figures[group][2], -figures[group][0], group))[
        :5
    ]
    found = {row.group_id: tuple(row)[1:2] + tuple(row)[3:] for row in shown_groups(groups, 5).collect()}
    assert found == {group: figures[group] for group in {*largest, *stretched}}


def test_members_are_the_kept_one_and_the_farthest_of_other_nodes(groups: DataFrame) -> None:
    chosen = [3, 11, 29]
    expected = {}
    for group_id in chosen:
        nodes: dict[tuple[bool, int], list[Row]] = {}
        for row in by_group()[group_id]:
            nodes.setdefault((row["is_representative"], row["node_id"]), []).append(row)
        ranked = sorted(
            nodes.values(),
            key=lambda rows: (not rows[0]["is_representative"], -rows[0]["distance"], rows[0]["doc_id"]),
        )
        for place, rows in enumerate(ranked[:4]):
            expected[group_id, place] = (rows[0]["doc_id"], len(rows))
    found = shown_members(groups, chosen, 3).collect()
    assert {(row.group_id, row.place): (row.doc_id, row.documents) for row in found} == expected
    assert all(row.doc_text == str(row.doc_id) for row in found)
    assert expected[3, 0] == (300, 1)


def test_texts_are_cut_and_their_length_is_told(spark: SparkSession, groups: DataFrame) -> None:
    rows = [(row["doc_id"], f"{row['doc_id']}图书馆", "site") for row in ROWS]
    documents = spark.createDataFrame([*rows, (None, "no id", "site")], "doc_id long, text string, source string")
    members = shown_members(groups, [5], 2)
    found = {row.doc_id: (row.text, row.length, row.source) for row in shown_texts(documents, members, 4).collect()}
    wanted = [row.doc_text for row in members.collect()]
    assert found == {name: (f"{name}图"[:4], len(name) + 3, "site") for name in wanted}
    plain = shown_texts(documents.drop("source"), members, 4)
    assert plain.columns == ["doc_id", "text", "length"]
