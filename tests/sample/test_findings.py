from __future__ import annotations

from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simhash_udf.sample import generate_documents, write_corpus
from simhash_udf.sample.findings import (
    Corpus,
    found_by_kind,
    precision_and_recall,
    read_corpus,
    right_and_wrong_groups,
    wrong_by_kind,
)


def member(doc_id: str, group_id: int, **columns: Any) -> dict[str, Any]:
    row = {"doc_id": doc_id, "group_id": group_id, "group_size": 2, "is_representative": False}
    return row | {"representative_id": doc_id, "distance": 0, "match": "same_text"} | columns


def corpus(clusters: dict[str, tuple[str, str]], groups: list[dict[str, Any]]) -> Corpus:
    """A corpus of id → (cluster, kind) with these rows of the groups table."""
    documents = {key: {"id": key, "cluster": cluster, "kind": kind} for key, (cluster, kind) in clusters.items()}
    return Corpus(documents, {row["doc_id"]: row for row in groups})


def test_a_copy_is_found_if_it_is_in_its_originals_group() -> None:
    clusters = {"a": ("1", "original"), "b": ("1", "exact_copy"), "c": ("1", "exact_copy"), "d": ("1", "light_edit")}
    found = corpus(clusters, [member("a", 7), member("b", 7), member("c", 8)])
    assert found_by_kind(found) == {"exact_copy": (2, 1), "light_edit": (1, 0)}


def test_documents_that_share_a_group_with_another_cluster_are_wrong() -> None:
    clusters = {"a": ("1", "original"), "b": ("1", "exact_copy"), "p": ("2", "template"), "q": ("3", "template")}
    found = corpus(clusters, [member("a", 7), member("b", 7), member("p", 8), member("q", 8)])
    assert wrong_by_kind(found) == {"template": 2}


@pytest.mark.parametrize("seed", range(10))
def test_precision_and_recall_equal_those_counted_pair_by_pair(seed: int) -> None:
    rng = Random(seed)
    clusters = {f"d{at}": (str(rng.randrange(8)), "original") for at in range(30)}
    labels = {key: rng.randrange(12) for key in clusters}
    found = corpus(clusters, [member(key, label) for key, label in labels.items()])
    pairs = list(combinations(clusters, 2))
    grouped = {pair for pair in pairs if labels[pair[0]] == labels[pair[1]]}
    alike = {pair for pair in pairs if clusters[pair[0]][0] == clusters[pair[1]][0]}
    right = len(grouped & alike)
    assert precision_and_recall(found) == pytest.approx((right / len(grouped), right / len(alike)))


def test_nothing_found_in_nothing_is_perfect() -> None:
    assert precision_and_recall(corpus({}, [])) == (1.0, 1.0)


def test_the_largest_groups_come_with_the_member_farthest_from_the_kept_document() -> None:
    near = {"match": "near", "representative_id": "a", "group_size": 3}
    rows = [
        member("a", 1, group_size=3, is_representative=True),
        member("b", 1, **near, distance=1),
        member("c", 1, **near, distance=3),
        member("x", 2, group_size=9, is_representative=True),
        member("y", 2, group_size=9, representative_id="x"),  # equal texts alone
    ]
    found = corpus(dict.fromkeys("abcxy", ("1", "original")), rows)
    right, wrong = right_and_wrong_groups(found)
    assert [(kept["doc_id"], other["doc_id"]) for kept, other in right] == [("a", "c")]
    assert wrong == []


def test_a_group_that_mixes_clusters_is_wrong() -> None:
    rows = [
        member("p", 8, is_representative=True),
        member("q", 8, representative_id="p", match="near"),
    ]
    found = corpus({"p": ("2", "template"), "q": ("3", "template")}, rows)
    assert right_and_wrong_groups(found) == ([], [(rows[0], rows[1])])


def test_corpus_and_groups_are_read_by_document_id(tmp_path: Path) -> None:
    documents = list(generate_documents(300))
    write_corpus(documents, tmp_path / "corpus")
    (tmp_path / "result" / "groups").mkdir(parents=True)
    row = member(documents[0].id, -5)
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "result" / "groups" / "part-0.parquet")
    found = read_corpus(tmp_path / "corpus", tmp_path / "result")
    assert found.documents == {document.id: vars(document) for document in documents}
    assert found.groups == {documents[0].id: row}
