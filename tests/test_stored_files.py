"""Files of a store read by tasks: the rows that Spark would have handed over, however they are dealt out; no Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from simhash_udf.kernel.batch_query import Batch
from simhash_udf.kernel.edge_rule import EdgeRule
from simhash_udf.udf.match_batches import match_batches
from simhash_udf.udf.stored_files import find_in_files, match_files

ROWS = 500


def open_file(path: str) -> pa.NativeFile:
    return pa.OSFile(path)


def stored(views: int) -> pa.Table:
    """Fingerprints near to one another by chance, some rows without one."""
    draw = np.random.default_rng(views)
    words = draw.integers(0, 64, (ROWS, views)).astype(np.uint64).view(np.int64)
    has_none = draw.random(ROWS) < 0.1
    columns = {
        "doc_id": pa.array([f"d{number}" for number in range(ROWS)]),
        "fingerprint": pa.array(words[:, 0], mask=has_none),
        "id_hash": pa.array(draw.integers(-(2**63), 2**63 - 1, ROWS)),
        "keep_day": pa.array(draw.integers(0, 9, ROWS), pa.int32()),
    }
    if views > 1:
        columns["fingerprints"] = pa.array(
            [None if none else row for none, row in zip(has_none, words.tolist(), strict=True)]
        )
        columns["node_id"] = pa.array(draw.permutation(ROWS), mask=has_none)
    return pa.table(columns)


def parts_of(places: list[Path], parts: int) -> pa.Table:
    rows = [(str(place), part, parts) for place in places for part in range(parts)]
    return pa.table([list(column) for column in zip(*rows, strict=True)], ["path", "part", "parts"])


def rows_of(run: Any, table: pa.Table) -> list[tuple[Any, ...]]:
    made = [tuple(row.values()) for batch in run(iter(table.to_batches())) for row in batch.to_pylist()]
    return sorted(made, key=repr)


@pytest.fixture(params=[1, 2], ids=["one view", "two views"])
def views(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def places(tmp_path: Path, views: int) -> list[Path]:
    table = stored(views)
    halves = [table.slice(0, 200), table.slice(200)]
    places = [tmp_path / "one.parquet", tmp_path / "with space.parquet"]
    for half, place in zip(halves, places, strict=True):
        pq.write_table(half, place, row_group_size=60, write_page_checksum=True)
    return places


@pytest.mark.parametrize("parts", [1, 3, 9])
def test_a_scan_of_files_finds_what_a_scan_of_rows_does(places: list[Path], views: int, parts: int) -> None:
    table = stored(views)
    words = np.random.default_rng(9).integers(0, 64, (30, views)).astype(np.uint64)
    batch = Batch(words, table["id_hash"].to_numpy()[::50].copy(), EdgeRule(1, 8), ROWS)
    columns = [table["fingerprint"]]
    if views > 1:
        columns = [pc.list_element(table["fingerprints"], view) for view in range(views)]
    given = pa.table([table["id_hash"], *columns], ["id_hash", *(f"word_{view}" for view in range(views))])
    found = rows_of(match_files(batch, open_file), parts_of(places, parts))
    assert found == rows_of(match_batches(batch), given.combine_chunks())
    assert sum(row[1] is None for row in found) == 10
    assert len(found) > 20


@pytest.mark.parametrize("parts", [1, 4])
def test_documents_are_found_by_their_nodes_and_not_those_without_one(
    places: list[Path], views: int, parts: int
) -> None:
    table = stored(views)
    column = "fingerprint" if views == 1 else "node_id"
    nodes = table[column].drop_null().to_numpy()[::7].copy()
    fields = table.schema
    found = rows_of(find_in_files(nodes, column, fields, open_file), parts_of(places, parts))
    wanted = table.filter(pc.is_in(table[column], value_set=pa.array(nodes)))
    assert found == sorted((tuple(row.values()) for row in wanted.to_pylist()), key=repr)
    assert not rows_of(find_in_files(np.array([-5]), column, fields, open_file), parts_of(places, parts))


def test_a_page_that_does_not_fit_its_checksum_is_an_error_with_the_name_of_the_file(
    places: list[Path], views: int
) -> None:
    content = places[1].read_bytes()
    group = pq.ParquetFile(places[1]).metadata.row_group(2)
    chunks = [group.column(number) for number in range(group.num_columns)]
    (chunk,) = (chunk for chunk in chunks if chunk.path_in_schema == "id_hash")
    at = (chunk.dictionary_page_offset or chunk.data_page_offset) + chunk.total_compressed_size - 9
    places[1].write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    batch = Batch(np.zeros((1, views), np.uint64), np.zeros(1, np.int64), EdgeRule(1, 8), ROWS)
    with pytest.raises(OSError, match=r"with space\.parquet cannot be read"):
        rows_of(match_files(batch, open_file), parts_of(places, 1))
