"""The second look end to end, against all pairs compared with Counter."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, Row, SparkSession

from simhash_udf import find_duplicates
from simhash_udf.config import Settings, validated
from simhash_udf.kernel.recipe import Recipe, View
from simhash_udf.kernel.tokenize import build_tokenizer
from simhash_udf.kernel.values import distance, simhash_value
from simhash_udf.pipeline.fingerprinting import fingerprint_documents
from simhash_udf.pipeline.grouping import group_fingerprints
from simhash_udf.runtime.inputs import Source
from simhash_udf.runtime.recipes import make_recipe
from simhash_udf.runtime.tables import CheckpointTables

pytestmark = pytest.mark.processes  # many runs with a second look

WORD = {"tokenizer": "word", "calibration": "none"}
TOKENIZE = build_tokenizer(View("word"), Recipe(views=(View("word"),)))


def to_frame(spark: SparkSession, texts: list[str], partitions: int = 3) -> DataFrame:
    return spark.createDataFrame(list(enumerate(texts)), "id long, text string").repartition(partitions)


def run(spark: SparkSession, texts: list[str], **options: Any) -> list[Row]:
    return sorted(find_duplicates(to_frame(spark, texts), **(WORD | options)).collect(), key=lambda row: row.doc_id)


def groups_of(rows: list[Row]) -> set[frozenset[int]]:
    found: dict[int, set[int]] = {}
    for row in rows:
        found.setdefault(row.group_id, set()).add(row.doc_id)
    assert all(row.group_size == len(found[row.group_id]) for row in rows)
    assert len({row.doc_id for row in rows}) == len(rows), "a document is in two groups"
    chosen = [row.doc_id for row in rows if row.is_representative]
    assert sorted(chosen) == sorted(min(group) for group in found.values())
    return {frozenset(group) for group in found.values()}


def cosine(a: str, b: str) -> float:
    one, two = (Counter(TOKENIZE(text)) for text in (a, b))
    dot = sum(one[word] * two[word] for word in one)
    norms = math.sqrt(sum(v * v for v in one.values()) * sum(v * v for v in two.values()))
    return dot / norms if norms else float(a == b)


def expected(texts: list[str], k: int, limit: float) -> set[frozenset[int]]:
    """Components of all pairs that are within k and alike."""
    graph = nx.Graph()
    values = [simhash_value(Counter(TOKENIZE(text))) if TOKENIZE(text) else None for text in texts]
    for i, a in enumerate(texts):
        for j in range(i):
            one, two = values[i], values[j]
            near = one is not None and two is not None and distance(one, two) <= k
            if texts[j] == a or (near and round(cosine(a, texts[j]), 9) >= limit):
                graph.add_edge(j, i)
    return {frozenset(component) for component in nx.connected_components(graph)}


def collision() -> tuple[str, str]:
    """Two texts of different words with one fingerprint: only the heaviest word decides the bits."""
    return "heavy " * 9 + "one two three", "heavy " * 9 + "four five six"


def test_equal_fingerprints_of_different_texts_are_told_apart(spark: SparkSession) -> None:
    one, two = collision()
    texts = [one, two, one.upper(), two + "!", "something else altogether"]
    plain = run(spark, texts)
    assert groups_of(plain) == {frozenset({0, 1, 2, 3})}
    assert {row.match for row in plain} == {"same_text", "same_fingerprint"}
    assert {row.similarity for row in plain} == {None}
    checked = run(spark, texts, verify="jaccard:0.9", verify_ngram=1)
    assert groups_of(checked) == {frozenset({0, 2}), frozenset({1, 3})}
    assert {(row.similarity, row.match) for row in checked} == {(1.0, "same_text")}
    nearly = run(spark, texts, verify="cosine:0.9")
    assert groups_of(nearly) == {frozenset({0, 1, 2, 3})}
    assert [round(row.similarity, 6) for row in nearly] == [1.0, round(cosine(one, two), 6)] * 2


def test_another_path_joins_what_the_direct_edge_does_not(spark: SparkSession) -> None:
    # one fingerprint for all: the star around its first text fails wherever that is not the text in between
    base = "heavy " * 40
    texts = [base + " ".join(f"w{n}" for n in range(start, start + 6)) for start in (0, 2, 4, 6, 8)]
    limit = 0.5  # of sets: neighbours share 5 of 9 words, the next but one 3 of 11
    assert groups_of(run(spark, texts)) == {frozenset(range(5))}
    assert groups_of(run(spark, texts, verify=f"jaccard:{limit}", verify_ngram=1)) == {frozenset(range(5))}
    assert groups_of(run(spark, texts, verify="jaccard:0.6", verify_ngram=1)) == set()


WORDS = st.lists(st.sampled_from([*"abcdefgh"]), min_size=0, max_size=5).map(lambda words: " ".join(["x"] * 12 + words))


@settings(max_examples=2, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(WORDS, min_size=2, max_size=25), st.sampled_from([0.95, 0.98, 0.995]))
def test_groups_are_those_of_all_pairs_and_never_larger(spark: SparkSession, texts: list[str], limit: float) -> None:
    plain = groups_of(run(spark, texts, max_distance=4))
    checked = groups_of(run(spark, texts, max_distance=4, verify=f"cosine:{limit}"))
    assert checked == expected(texts, 4, limit)
    assert all(any(part <= whole for whole in plain) for part in checked)


def crowd(n: int) -> list[str]:
    """Texts around a few common words, near one another, alike in part."""
    ends = (" ".join(f"{letter}{(i * 7 + shift) % 11}" for shift, letter in enumerate("abc")) for i in range(n))
    return ["x " * 14 + end for end in ends]


def test_partitions_and_order_change_nothing(spark: SparkSession) -> None:
    texts = crowd(60)
    frame = to_frame(spark, texts)
    options = WORD | {"verify": "cosine:0.985", "max_distance": 6}
    first = find_duplicates(frame, **options).collect()
    second = find_duplicates(frame.orderBy(frame.id.desc()).repartition(7), **options).collect()
    assert sorted(first) == sorted(second)
    assert 1 < len(groups_of(first)) < 30


@pytest.mark.parametrize("verify", [None, "cosine:0.985"])
def test_every_member_is_near_its_representative(spark: SparkSession, verify: str | None) -> None:
    texts = crowd(60)
    values = [simhash_value(Counter(TOKENIZE(text))) for text in texts]
    rows = run(spark, texts, grouping="representative", max_distance=5, verify=verify)
    groups_of(rows)
    members = {row.doc_id for row in rows}
    for row in rows:
        assert row.distance == distance(values[row.doc_id], values[row.representative_id]) <= 5
        if verify:
            assert row.similarity == pytest.approx(cosine(texts[row.doc_id], texts[row.representative_id]))
            assert row.similarity >= 0.985
    # keep order: nobody could have followed an earlier one that is kept
    chosen = {row.doc_id for row in rows if row.is_representative}
    kept = [i for i in range(len(texts)) if i in chosen or i not in members]
    for place, i in enumerate(kept):
        for j in kept[:place] if verify is None else []:
            assert distance(values[i], values[j]) > 5
    assert len(rows) > 5


def test_a_chain_is_cut_at_its_representative(spark: SparkSession) -> None:
    texts = [" ".join(f"w{n}" for n in range(start, start + 60)) for start in range(25)]  # each loses and gets a word
    component, led = (run(spark, texts, max_distance=6, grouping=g) for g in ("component", "representative"))
    assert max(row.distance for row in component) > 6
    assert max(row.distance for row in led) <= 6
    assert len(groups_of(led)) > len(groups_of(component)) > 0


def test_only_texts_in_doubt_are_read(spark: SparkSession) -> None:
    one, two = collision()
    alone = [f"this text number{n} stands quite alone among all the others{n * n}" for n in range(20)]
    texts = [one, two, *alone, *alone[:5]]  # the last five are copies: equal texts need no check
    options = validated(Settings, WORD | {"verify": "cosine:0.9", "max_distance": 0})
    source, tables = Source(to_frame(spark, texts), "x", 0, 2), CheckpointTables()
    made = fingerprint_documents(source, options, make_recipe(options), tables)
    found = group_fingerprints(made, source, options, tables)
    rows = {record.stage: record.rows for record in tables.records}
    assert (rows["vectors"], rows["checks-0"], found.groups.rows) == (2, 1, 12)


@pytest.mark.parametrize(
    ("texts", "grouping", "groups"),
    [
        ([], "component", set()),
        (["one text"], "representative", set()),
        (["", "", "！！！", "！！", "！！"], "representative", {frozenset({0, 1}), frozenset({3, 4})}),
        (["a b c d", "e f g h", "A, b: c d"], "component", {frozenset({0, 2})}),
    ],
)
def test_nothing_to_compare(spark: SparkSession, texts: list[str], grouping: str, groups: set[frozenset[int]]) -> None:
    rows = run(spark, texts, verify="cosine", grouping=grouping)
    assert groups_of(rows) == groups
    assert {row.similarity for row in rows} <= {1.0}
