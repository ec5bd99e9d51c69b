"""Groups against a plain sort of the members in Python."""

from __future__ import annotations

import functools
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

from simhash_udf import schema
from simhash_udf.errors import InputError
from simhash_udf.stages.groups import build_groups, select_keep_values

LOW, HIGH = -(2**63), 2**63 - 1
NUM_DOCUMENTS = 400
Row = dict[str, Any]


def corpus(seed: int) -> list[Row]:
    """Documents on few nodes, some without a fingerprint, with columns to keep by that have nulls and ties."""
    draw = np.random.default_rng(seed)
    nodes = [*draw.integers(LOW, HIGH, 120, dtype=np.int64).tolist(), LOW, HIGH]
    rows = []
    for number in range(NUM_DOCUMENTS):
        has_value = draw.random() < 0.9
        row = {
            "doc_id": f"文/{number:03d}",
            "fingerprint": int(draw.choice(nodes)) if has_value else None,
            "text_length": int(draw.integers(0, 6)),
            "text_digest": int(draw.integers(0, 12)) + (0 if has_value else 100),
            "day": None if draw.random() < 0.2 else int(draw.integers(0, 4)),
            "source": str(draw.choice(["blog", "news", "wiki", "forum"])) if draw.random() < 0.9 else None,
        }
        rows.append(row)
    return rows


def components_of(rows: list[Row]) -> dict[int, int]:
    """Some of the nodes in components of three, labelled by their smallest."""
    nodes = sorted({row["fingerprint"] for row in rows if row["fingerprint"] is not None})
    return {node: nodes[place - place % 3] for place, node in enumerate(nodes[: len(nodes) // 2 // 3 * 3])}


def frames(spark: SparkSession, rows: list[Row], components: dict[int, int]) -> tuple[DataFrame, DataFrame]:
    kind = spark.createDataFrame([(rows[0]["doc_id"],)] if rows else [("",)], ["doc_id"]).schema["doc_id"].dataType
    values = [(row["doc_id"], row["fingerprint"], 1, row["text_length"], row["text_digest"], False) for row in rows]
    fingerprints = spark.createDataFrame(values, schema.fingerprints(kind, 1)).repartition(3)
    return fingerprints, spark.createDataFrame(list(components.items()), schema.COMPONENTS)


def compare(policies: tuple[str, ...]) -> Any:
    """The order of the policies, then of the ids, as a comparison of two documents."""

    def by(one: Row, other: Row) -> int:
        for policy in policies:
            name, _, argument = policy.partition(":")
            if name == "last":
                keys = [other["doc_id"], one["doc_id"]]
            elif name in {"longest", "shortest"}:
                keys = [row["text_length"] * (-1 if name == "longest" else 1) for row in (one, other)]
            elif name in {"min", "max"}:
                sign = -1 if name == "max" else 1
                keys = [99 if row[argument] is None else sign * row[argument] for row in (one, other)]
            elif name == "priority":
                column, _, listed = argument.partition("=")
                ranks = {value: rank for rank, value in enumerate(listed.split(","))}
                keys = [ranks.get(str(row[column]), 99) for row in (one, other)]
            else:
                keys = [one["doc_id"], other["doc_id"]]
            if keys[0] != keys[1]:
                return -1 if keys[0] < keys[1] else 1
        return -1 if one["doc_id"] < other["doc_id"] else 1

    return functools.cmp_to_key(by)


def expected_groups(rows: list[Row], components: dict[int, int], policies: tuple[str, ...]) -> set[tuple[Any, ...]]:
    members = defaultdict(list)
    for row in rows:
        node = row["fingerprint"]
        key = ("text", row["text_digest"]) if node is None else ("node", components.get(node, node))
        members[key].append(row)
    found = set()
    for (_, group_id), group in members.items():
        best = min(group, key=compare(policies))
        for row in group if len(group) > 1 else []:
            same_text = all(row[name] == best[name] for name in ("text_digest", "text_length"))
            same_node = row["fingerprint"] == best["fingerprint"] is not None
            match = "same_text" if same_text else "same_fingerprint" if same_node else "near"
            distance = 0 if row["fingerprint"] is None else ((row["fingerprint"] ^ best["fingerprint"]) % 2**64)
            entry = (row["doc_id"], group_id, len(group), row is best, best["doc_id"], bin(distance).count("1"))
            found.add((*entry, "any" if row["fingerprint"] is None and not same_text else match))
    return found


def found_groups(table: DataFrame, texts_alone: set[str]) -> set[tuple[Any, ...]]:
    rows = table.collect()
    assert len(rows) == len({row.doc_id for row in rows}), "a document is in two groups"
    return {
        (*tuple(row)[:6], "any" if row.doc_id in texts_alone and row.match != "same_text" else row.match)
        for row in rows
    }


@pytest.mark.parametrize(
    "policies",
    [
        ("first",),
        ("last",),
        ("shortest", "last"),
        ("first", "longest"),
        ("min:day",),
        ("max:day", "longest"),
        ("priority:source=news,blog", "max:day", "shortest", "last"),
        ("priority:day=2,0", "longest"),
    ],
    ids=", ".join,
)
def test_every_policy_keeps_what_a_plain_sort_puts_first(spark: SparkSession, policies: tuple[str, ...]) -> None:
    rows = corpus(len(policies))
    components = components_of(rows)
    fingerprints, labels = frames(spark, rows, components)
    user = spark.createDataFrame(
        [(r["doc_id"], r["day"], r["source"]) for r in rows], "id string, day int, source string"
    )
    keep_values = select_keep_values(user, id_column="id", keep=policies)
    groups = build_groups(fingerprints, labels, num_views=1, keep=policies, keep_values=keep_values)
    contract = schema.groups(fingerprints.schema["doc_id"].dataType)
    assert [(field.name, field.dataType) for field in groups.schema] == [(f.name, f.dataType) for f in contract]
    texts_alone = {row["doc_id"] for row in rows if row["fingerprint"] is None}
    assert found_groups(groups, texts_alone) == expected_groups(rows, components, policies)


def test_one_member_of_every_group_represents_it(spark: SparkSession) -> None:
    rows = corpus(9)
    fingerprints, labels = frames(spark, rows, components_of(rows))
    groups = build_groups(fingerprints, labels, num_views=1, keep=("longest",), keep_values=None).collect()
    representatives = [(row.group_id, row.doc_id) for row in groups if row.is_representative]
    assert len(groups) > 0
    assert len(representatives) == len({group for group, _ in representatives}) == len({row.group_id for row in groups})
    assert {(row.group_id, row.representative_id) for row in groups} == set(representatives)


def test_ids_at_the_ends_of_their_range_are_carried(spark: SparkSession) -> None:
    ids = [LOW, HIGH, 1234567890123456789, 1234567890123456768]
    rows = [
        {"doc_id": doc_id, "fingerprint": fingerprint, "text_length": 1, "text_digest": number}
        for number, (doc_id, fingerprint) in enumerate(zip(ids, [LOW, HIGH, HIGH, LOW], strict=True))
    ]
    fingerprints, labels = frames(spark, rows, {LOW: LOW, HIGH: LOW})
    groups = build_groups(fingerprints, labels, num_views=1, keep=("last",), keep_values=None)
    assert found_groups(groups, set()) == expected_groups(rows, {LOW: LOW, HIGH: LOW}, ("last",))
    assert {row.representative_id for row in groups.collect()} == {HIGH}
    assert {row.distance for row in groups.collect()} == {0, 64}


def test_a_text_group_and_a_component_with_one_number_stay_apart(spark: SparkSession) -> None:
    rows = [
        {"doc_id": str(number), "fingerprint": fingerprint, "text_length": 0, "text_digest": 5}
        for number, fingerprint in enumerate([5, 5, None, None, 6, 6, 7, 7])
    ]
    fingerprints, labels = frames(spark, rows, {6: 6, 7: 6})
    groups = build_groups(fingerprints, labels, num_views=1, keep=("first",), keep_values=None).collect()
    members = defaultdict(set)
    for row in groups:
        members[row.representative_id].add(row.doc_id)
    assert dict(members) == {"0": {"0", "1"}, "2": {"2", "3"}, "4": {"4", "5", "6", "7"}}


def test_one_group_of_five_thousand_has_one_row_each(spark: SparkSession) -> None:
    ids = spark.range(5000).selectExpr("id as doc_id", "7L as fingerprint", "1 as feature_count", "1 as text_length")
    fingerprints = ids.selectExpr("*", "doc_id % 2 as text_digest", "false as is_cut")
    labels = spark.createDataFrame([], schema.COMPONENTS)
    groups = build_groups(fingerprints, labels, num_views=1, keep=("last",), keep_values=None)
    counted = groups.groupBy("group_size", "representative_id", "match", "distance").count().collect()
    expected = {(5000, 4999, "same_text", 0, 2500), (5000, 4999, "same_fingerprint", 0, 2500)}
    assert {tuple(row) for row in counted} == expected


def test_with_several_views_the_distance_is_that_of_the_nearest(spark: SparkSession) -> None:
    words = {"a": [0, 0, -1], "b": [7, 1, 0], "c": [0, 0, -1], "d": [-1, -1, -2]}
    nodes = {"a": 1, "b": 2, "c": 1, "d": 3}
    rows = [(name, words[name][0], 1, 1, ord(name), False, words[name], nodes[name]) for name in words]
    kind = spark.createDataFrame([("a",)], ["doc_id"]).schema["doc_id"].dataType
    fingerprints = spark.createDataFrame(rows, schema.fingerprints(kind, 3))
    labels = spark.createDataFrame([(1, 1), (2, 1), (3, 1)], schema.COMPONENTS)
    groups = build_groups(fingerprints, labels, num_views=3, keep=("first",), keep_values=None).collect()
    found = {row.doc_id: (row.distance, row.match) for row in groups}
    assert found == {"a": (0, "same_text"), "b": (1, "near"), "c": (0, "same_fingerprint"), "d": (1, "near")}


@pytest.mark.parametrize("rows", [[], [{"doc_id": "1", "fingerprint": 3, "text_length": 1, "text_digest": 1}]])
def test_nothing_in_common_gives_no_group(spark: SparkSession, rows: list[Row]) -> None:
    fingerprints, labels = frames(spark, rows, {})
    assert build_groups(fingerprints, labels, num_views=1, keep=("first",), keep_values=None).collect() == []


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("min:nowhere", "keep='nowhere' is not in the input; its columns are id, tags, meta.day"),
        ("max:tags", "keep: column tags has type array<string>, which has no order"),
    ],
)
def test_a_column_that_cannot_decide_is_refused(spark: SparkSession, policy: str, message: str) -> None:
    frame = spark.createDataFrame([], "id long, tags array<string>, `meta.day` int")
    with pytest.raises(InputError, match=message.replace("<", r"\<")):
        select_keep_values(frame, id_column="id", keep=(policy,))


def test_columns_with_dots_can_decide(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("1", 4)], "id string, `meta.day` int")
    values = select_keep_values(frame, id_column="id", keep=("max:meta.day",))
    rows = [{"doc_id": str(i), "fingerprint": 3, "text_length": 1, "text_digest": 1} for i in range(3)]
    fingerprints, labels = frames(spark, rows, {})
    groups = build_groups(fingerprints, labels, num_views=1, keep=("max:meta.day",), keep_values=values)
    assert {row.representative_id for row in groups.collect()} == {"1"}
