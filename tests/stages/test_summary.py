"""Summaries of groups and edges against counts in Python."""

from __future__ import annotations

from collections import Counter

import pytest
from pyspark.sql import DataFrame, SparkSession

from simhash_udf import schema
from simhash_udf.report import build_report, describe_groups
from simhash_udf.stages import summary
from simhash_udf.stages.outputs import select_edges

SIZES = {10: 2, -7: 3, 2**62: 4, 99: 9}
MATCHES = ("same_text", "same_fingerprint", "near")


def group_rows() -> list[tuple[object, ...]]:
    rows = []
    for group_id, size in SIZES.items():
        for place in range(size):
            match = MATCHES[place % 3]
            key = group_id % 1000 * 10
            rows.append((key + place, group_id, size, place == 0, key, place, match, place / 20, 7))
    return rows


@pytest.fixture(scope="module")
def groups(spark: SparkSession) -> DataFrame:
    kind = spark.range(1).schema["id"].dataType
    return spark.createDataFrame(group_rows(), schema.groups(kind)).repartition(3)


def test_members_and_groups_are_counted(groups: DataFrame) -> None:
    assert tuple(summary.count_members(groups).first()) == (4, 4, 18)


def test_members_are_tallied_by_all_that_is_shown_of_them(groups: DataFrame) -> None:
    expected = Counter(
        (is_kept, 2 ** (size.bit_length() - 1), distance, round(distance / 20, 2), match)
        for _, _, size, is_kept, _, distance, match, _, _ in group_rows()
    )
    assert {tuple(row)[:-1]: row["count"] for row in summary.tally_members(groups).collect()} == expected


def test_the_size_bucket_of_a_power_of_two_is_its_own(spark: SparkSession, groups: DataFrame) -> None:
    sizes = [size for power in range(1, 31) for size in (2**power - 1, 2**power) if size > 1]
    rows = [(size, size, size, True, size, 0, "near", None, 7) for size in sizes]
    found = describe_groups(spark.createDataFrame(rows, groups.schema))["group_sizes"]
    assert list(found.items()) == sorted(
        Counter(str(2 ** (size.bit_length() - 1)) for size in sizes).items(), key=lambda item: int(item[0])
    )


def test_histograms_are_of_the_members_that_are_not_kept(groups: DataFrame) -> None:
    rows = [row for row in group_rows() if not row[3]]
    found = describe_groups(groups)
    assert found["group_sizes"] == {"2": 2, "4": 1, "8": 1}
    assert found["distances"]["to_representative"] == {
        str(distance): count for distance, count in sorted(Counter(row[5] for row in rows).items())
    }
    assert found["similarities"]["to_representative"] == {
        "0.05": 4, "0.1": 3, "0.15": 2, "0.2": 1, "0.25": 1, "0.3": 1, "0.35": 1, "0.4": 1,
    }  # fmt: skip
    assert found["matches"] == dict(sorted(Counter(row[6] for row in rows).items()))


def test_the_largest_groups_come_first_with_their_largest_distance(groups: DataFrame) -> None:
    found = [tuple(row) for row in summary.largest_groups(groups, 3).collect()]
    assert found == [(99, 9, "990", 8), (2**62, 4, str(2**62 % 1000 * 10), 3), (-7, 3, "9930", 2)]


def test_the_report_adds_up(spark: SparkSession, groups: DataFrame) -> None:
    edges = spark.createDataFrame([(1, 2, 0), (2, 3, 3), (3, 4, 3)], schema.EDGES)
    edges = select_edges(edges)
    report = build_report(groups, edges, counts={"documents": 30, "fingerprinted": 25})
    expected = {"documents": 30, "fingerprinted": 25, "edges": 3, "groups": 4, "members": 18, "removed": 14, "kept": 11}
    assert report["counts"] == expected
    assert report["group_sizes"] == {"2": 2, "4": 1, "8": 1}
    assert report["distances"]["edges"] == {"0": 1, "3": 2}
    assert sum(report["matches"].values()) == sum(report["distances"]["to_representative"].values()) == 14
    assert [group["group_size"] for group in report["largest_groups"]] == [9, 4, 3, 2]


def test_nothing_found_gives_zeros_and_no_bucket(spark: SparkSession, groups: DataFrame) -> None:
    edges = select_edges(spark.createDataFrame([], schema.EDGES))
    report = build_report(groups.limit(0), edges, counts={"documents": 2, "fingerprinted": 2})
    assert report["counts"] == {
        "documents": 2, "fingerprinted": 2, "edges": 0, "groups": 0, "members": 0, "removed": 0, "kept": 2,
    }  # fmt: skip
    assert (report["group_sizes"], report["matches"], report["largest_groups"]) == ({}, {}, [])
