"""Rows of labels: what they mean, what is left out, what is refused."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_udf.errors import InputError
from simhash_udf.evaluation.labels import Labels, parse_clusters, parse_pairs


def clusters(*rows: tuple[str | None, str | None]) -> Labels:
    columns = [pa.array([row[at] for row in rows], pa.string()) for at in range(2)]
    return parse_clusters(pa.table(columns, names=["0", "1"]), "file.csv")


def pairs(*rows: tuple[str | None, str | None, str | None]) -> Labels:
    columns = [pa.array([row[at] for row in rows], pa.string()) for at in range(3)]
    return parse_pairs(pa.table(columns, names=["0", "1", "2"]), "file.csv")


def named_pairs(labels: Labels) -> dict[tuple[str, str], bool]:
    found = labels.pairs
    assert found is not None
    ends = zip(labels.ids[found.left], labels.ids[found.right], strict=True)
    return dict(zip(ends, found.is_duplicate.tolist(), strict=True))


def test_clusters_number_the_documents_and_count_what_is_left_out() -> None:
    labels = clusters(("b", "x"), ("a", "x"), ("c", "y"), ("b", "x"), (None, "y"), ("d", None), (None, None))
    assert labels.ids.tolist() == ["a", "b", "c"]
    assert labels.cluster[0] == labels.cluster[1] != labels.cluster[2]
    assert labels.counts == {
        "label_rows": 7,
        "rows_without_id": 2,
        "rows_without_cluster": 1,
        "labelled_documents": 3,
    }


def test_an_id_with_two_clusters_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"labels=file\.csv: 1 ids have two clusters \(甲\); give each id one"):
        clusters(("甲", "x"), ("乙", "x"), ("甲", "y"))


@pytest.mark.parametrize("rows", [(), (("a", "x"), ("b", "y")), ((None, "x"),)])
def test_clusters_without_any_pair_are_refused(rows: tuple[tuple[str | None, str | None], ...]) -> None:
    with pytest.raises(InputError, match="no cluster has two known documents, so there is no pair to find"):
        clusters(*rows).check("file.csv")


@pytest.mark.parametrize("yes", ["1", "true", "TRUE", " yes ", "y", "T", "1.0"])
@pytest.mark.parametrize("no", ["0", "false", "No", "n", "F", "0.0"])
def test_a_pair_is_a_duplicate_or_not_in_many_spellings(yes: str, no: str) -> None:
    assert named_pairs(pairs(("b", "a", yes), ("a", "c", no))) == {("a", "b"): True, ("a", "c"): False}


def test_pairs_that_say_nothing_are_left_out_and_counted() -> None:
    labels = pairs(
        ("a", "b", "1"), ("b", "a", "yes"), ("a", "c", "0"), ("a", "a", "1"), (None, "a", "1"), ("b", None, "0"),
        ("c", "d", None), ("c", "d", ""), ("c", "d", "-1"),
    )  # fmt: skip
    assert named_pairs(labels) == {("a", "b"): True, ("a", "c"): False}
    assert labels.counts == {
        "label_rows": 9,
        "rows_without_id": 2,
        "pairs_with_itself": 1,
        "pairs_undecided": 3,
        "labelled_documents": 3,
        "pairs_duplicate": 1,
        "pairs_different": 1,
        "pairs_contradicted": 0,
    }


def test_a_value_that_is_neither_yes_nor_no_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"3 rows say neither yes nor no \('maybe', '0\.7'\); write 1 for a duplicate"):
        pairs(("a", "b", "maybe"), ("a", "c", "0.7"), ("a", "d", "maybe"), ("a", "e", "1"))


def test_a_pair_that_is_labelled_both_ways_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"1 pairs are labelled both duplicate and different \(a and b\); decide"):
        pairs(("a", "b", "1"), ("b", "a", "0"))


def test_pairs_without_a_duplicate_or_without_a_different_one_are_refused() -> None:
    with pytest.raises(InputError, match="no pair of two known documents is a duplicate; label some that are"):
        pairs(("a", "b", "0")).check("file.csv")
    with pytest.raises(InputError, match="no pair of two known documents is a duplicate"):
        pairs().check("file.csv")
    with pytest.raises(InputError, match="precision cannot be measured; add pairs that look alike and are not"):
        pairs(("a", "b", "1")).check("file.csv")
    assert pairs(("a", "b", "1"), ("a", "c", "0")).check("file.csv")


def test_a_different_pair_that_duplicates_join_is_counted_as_a_contradiction() -> None:
    labels = pairs(("a", "b", "1"), ("b", "c", "1"), ("a", "c", "0"))
    assert labels.counts["pairs_contradicted"] == 1


@given(st.dictionaries(st.sampled_from(list(itertools.combinations("abcdefgh", 2))), st.booleans(), max_size=12))
def test_duplicates_taken_together_are_the_components_of_their_graph(judged: dict[tuple[str, str], bool]) -> None:
    labels = pairs(*((a, b, "1" if same else "0") for (a, b), same in judged.items()))
    graph = nx.Graph()
    graph.add_nodes_from(name for pair in judged for name in pair)
    graph.add_edges_from(pair for pair, same in judged.items() if same)
    numbers = dict(zip(labels.ids, labels.cluster.tolist(), strict=True))
    found = {frozenset(name for name in numbers if numbers[name] == number) for number in set(numbers.values())}
    assert found == {frozenset(component) for component in nx.connected_components(graph)}


def test_documents_that_are_not_there_take_their_pairs_with_them() -> None:
    labels = pairs(("a", "b", "1"), ("a", "c", "0"), ("b", "d", "0"))
    kept = labels.take(np.array([True, True, False, True]))
    assert named_pairs(kept) == {("a", "b"): True, ("b", "d"): False}
    assert kept.counts["labelled_documents"] == 3
    assert (kept.counts["pairs_duplicate"], kept.counts["pairs_different"]) == (1, 1)
    with pytest.raises(InputError, match="no pair of two known documents is a duplicate"):
        labels.take(np.array([True, False, True, True])).check("file.csv")
    assert clusters(("a", "x"), ("b", "x"), ("c", "y")).take(np.array([True, False, True])).ids.tolist() == ["a", "c"]
