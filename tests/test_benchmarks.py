"""What the benchmarks conclude from their measurements: components that are checked, growth, what was found."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from benchmarks.end_to_end import found_of_planted
from benchmarks.graphs import GRAPHS, check, edges_of, ends_of, to_ids, to_numbers
from benchmarks.growth import exponent_of, points_of
from simhash_udf.kernel.forest import connected_components


@pytest.mark.parametrize("name", GRAPHS)
def test_the_check_of_components_takes_right_labels_and_no_others(tmp_path: Path, name: str) -> None:
    one, other = map(to_ids, ends_of(name, 200)(np.arange(200)))
    is_edge = one != other
    nodes, labels = connected_components(one[is_edge], other[is_edge])
    graph = nx.Graph(list(zip(one[is_edge].tolist(), other[is_edge].tolist(), strict=True)))
    place = tmp_path / "part.parquet"
    pq.write_table(pa.table({"node_id": nodes, "component_id": labels}), place)
    assert check(tmp_path, name, 200) == nx.number_connected_components(graph)
    wrong = labels.copy()
    wrong[0] += 1
    for bad in ({"node_id": nodes, "component_id": wrong}, {"node_id": nodes[1:], "component_id": labels[1:]}):
        pq.write_table(pa.table(bad), place)
        with pytest.raises(SystemExit):
            check(tmp_path, name, 200)


def test_edges_are_the_same_wherever_they_are_made(spark: SparkSession) -> None:
    made = {tuple(row) for row in edges_of(spark, "random", 300, 3).select("src", "dst").collect()}
    one, other = map(to_ids, ends_of("random", 300)(np.arange(300)))
    pairs = zip(np.minimum(one, other).tolist(), np.maximum(one, other).tolist(), strict=True)
    assert made == {pair for pair in pairs if pair[0] != pair[1]}


def test_ids_of_nodes_are_one_to_one() -> None:
    numbers = np.arange(10_000)
    assert np.array_equal(to_numbers(to_ids(numbers)), numbers)


def test_the_exponent_of_a_power_is_found() -> None:
    sizes = [1e4, 1e5, 1e6, 1e7]
    assert exponent_of(sizes, [3 * size**1.2 for size in sizes]) == pytest.approx(1.2)
    assert isnan(exponent_of([10], [1]))


def test_points_of_a_series_are_in_order_and_the_last_of_equal_sizes_counts() -> None:
    rows = [
        {"n": 100, "seconds": 9, "way": "a"},
        {"n": 10, "seconds": 2, "way": "a"},
        {"n": 100, "seconds": 8, "way": "a"},
        {"n": 10, "seconds": None, "way": "b"},
    ]
    assert points_of(rows, "n", ["seconds"], "way") == {"a": [(10.0, 2.0), (100.0, 8.0)]}


def test_precision_and_recall_count_pairs_with_and_without_forms(tmp_path: Path) -> None:
    corpus, groups = tmp_path / "corpus" / "source=blog", tmp_path / "result" / "groups"
    corpus.mkdir(parents=True)
    groups.mkdir(parents=True)
    rows = [("a", "1", "original"), ("b", "1", "light_edit"), ("c", "1", "light_edit"), ("d", "2", "template")]
    columns = dict(zip(("id", "cluster", "kind"), map(list, zip(*rows, strict=True)), strict=True))
    pq.write_table(pa.table(columns), corpus / "part.parquet")
    pq.write_table(pa.table({"doc_id": ["a", "b", "d"], "group_id": [5, 5, 5]}), groups / "part.parquet")
    assert found_of_planted(tmp_path / "corpus", tmp_path / "result") == {
        "precision_all": round(1 / 3, 5),
        "recall_all": round(1 / 3, 5),
        "precision_without_forms": 1.0,
        "recall_without_forms": round(1 / 3, 5),
    }
