"""Graphs to find the components of: edges made on the executors, and components known by other means."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyspark.sql import DataFrame, SparkSession
from scipy.sparse import coo_matrix, csgraph

Index = NDArray[np.int64]
Ends = Callable[[Index], tuple[Index, Index]]

FACTOR = 0x9E3779B97F4A7C15
"""Odd, so number times this is one to one modulo 2**64: ids over the whole range, in an order that says nothing."""

PART = 5_000_000
GRAPHS = ("random", "chain", "shuffled_chain", "star", "small")


def ends_of(name: str, num_edges: int) -> Ends:
    """Return the function from numbers of edges to the numbers of their two nodes.

    ``random``: twice as many nodes as edges, so the average degree is 1 and a giant component is about to form;
    ``chain``; ``shuffled_chain``; ``star``; ``small``: components of 2 to 5 nodes.
    """
    if name == "random":
        return lambda edge: (_drawn(edge, 1) % (2 * num_edges), _drawn(edge, 2) % (2 * num_edges))
    if name == "chain":
        return lambda edge: (edge, edge + 1)
    if name == "shuffled_chain":
        order = np.random.default_rng(0).permutation(num_edges + 1)
        return lambda edge: (order[edge], order[edge + 1])
    if name == "star":
        return lambda edge: (np.full_like(edge, num_edges // 2), np.where(edge < num_edges // 2, edge, edge + 1))
    # edges 0, 1-2, 3-5, 6-9 of every ten: stars of 2, 3, 4 and 5 nodes
    star = np.repeat([0, 1, 2, 3], [1, 2, 3, 4])
    leaf = np.concatenate([np.arange(2, size + 1) - 1 for size in (2, 3, 4, 5)])

    def ends(edge: Index) -> tuple[Index, Index]:
        centre = 20 * (edge // 10) + 5 * star[edge % 10]
        return centre, centre + leaf[edge % 10]

    return ends


def to_ids(number: Index) -> Index:
    """Return the node ids of these numbers."""
    return (number.astype(np.uint64) * np.uint64(FACTOR)).view(np.int64)


def to_numbers(node_id: Index) -> Index:
    """Return the numbers of these node ids."""
    return (node_id.view(np.uint64) * np.uint64(pow(FACTOR, -1, 1 << 64))).view(np.int64)


def edges_of(spark: SparkSession, name: str, num_edges: int, partitions: int) -> DataFrame:
    """Return the graph's ``src, dst, distance``, made where they are needed."""
    ends = ends_of(name, num_edges)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            one, other = map(to_ids, ends(batch.column(0).to_numpy()))
            is_edge = one != other
            one, other = one[is_edge], other[is_edge]
            columns = [np.minimum(one, other), np.maximum(one, other), np.ones(len(one), np.int32)]
            yield pa.RecordBatch.from_arrays([pa.array(column) for column in columns], ["src", "dst", "distance"])

    return spark.range(0, num_edges, 1, partitions).mapInArrow(run, "src long, dst long, distance int")


def check(components: Path, name: str, num_edges: int) -> int:
    """Compare the components table with SciPy's, node by node and label by label; return how many there are."""
    nodes, labels = _expected(name, num_edges)
    found = np.zeros(len(nodes), np.bool_)
    for file in sorted(components.glob("*.parquet")):
        for batch in pq.ParquetFile(file).iter_batches(1_000_000):
            number = to_numbers(batch.column(0).to_numpy())
            place = np.searchsorted(nodes, number).clip(max=len(nodes) - 1)
            if not np.array_equal(nodes[place], number) or found[place].any() or len(np.unique(place)) < len(place):
                raise SystemExit(f"{name}: a node is there that should not be, or twice")
            if not np.array_equal(labels[place], batch.column(1).to_numpy()):
                raise SystemExit(f"{name}: a label is wrong")
            found[place] = True
    if not found.all():
        raise SystemExit(f"{name}: {np.count_nonzero(~found)} nodes have no label")
    return len(np.unique(labels))


def _expected(name: str, num_edges: int) -> tuple[Index, Index]:
    """Numbers of all nodes with an edge, ascending, and the smallest node id of the component of each."""
    ends = ends_of(name, num_edges)
    parts = [ends(np.arange(start, min(start + PART, num_edges))) for start in range(0, num_edges, PART)]
    one, other = (np.concatenate(column).astype(np.int32) for column in zip(*parts, strict=True))
    del parts
    one, other = one[one != other], other[one != other]
    size = int(max(one.max(), other.max())) + 1
    graph = coo_matrix((np.ones(len(one), np.int8), (one, other)), shape=(size, size))
    has_edge = np.zeros(size, np.bool_)
    has_edge[one] = has_edge[other] = True
    del one, other
    count, label = csgraph.connected_components(graph, directed=False)
    del graph
    nodes = np.flatnonzero(has_edge)
    label, ids = label[nodes], to_ids(nodes)
    smallest = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(smallest, label, ids)
    return nodes, smallest[label]


def _drawn(number: Index, seed: int) -> Index:
    """A number at random for each number, always the same one (SplitMix64)."""
    words = number.astype(np.uint64) * np.uint64(2) + np.uint64(seed)
    words *= np.uint64(FACTOR)
    words ^= words >> np.uint64(30)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return (words >> np.uint64(1)).astype(np.int64)
