"""Summaries of groups and edges against counts in Python."""

from __future__ import annotations

from collections import Counter

import pytest
from pyspark.sql import DataFrame, SparkSession

from simhash_udf import schema
from simhash_udf.report import build_report
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


def buckets(frame: DataFrame) -> list[tuple[object, int]]:
    return [tuple(row) for row in frame.collect()]


def test_members_and_groups_are_counted(groups: DataFrame) -> None:
    assert tuple(summary.count_members(groups).first()) == (4, 4, 18)


def test_sizes_are_counted_in_powers_of_two(groups: DataFrame) -> None:
    assert buckets(summary.group_size_histogram(groups)) == [(2, 2), (4, 1), (8, 1)]


def test_the_size_bucket_of_a_power_of_two_is_its_own(spark: SparkSession, groups: DataFrame) -> None:
    sizes = [size for power in range(1, 31) for size in (2**power - 1, 2**power) if size > 1]
    rows = [(size, size, size, True, size, 0, "near", None, 7) for size in sizes]
    found = buckets(summary.group_size_histogram(spark.createDataFrame(rows, groups.schema)))
    assert found == sorted(Counter(2 ** (size.bit_length() - 1) for size in sizes).items())


def test_distances_and_matches_are_counted(groups: DataFrame) -> None:
    rows = group_rows()
    assert buckets(summary.distance_histogram(groups)) == sorted(Counter(row[5] for row in rows).items())
    removed = Counter(row[6] for row in rows if not row[3])
    assert buckets(summary.match_counts(groups)) == sorted(removed.items())


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
