"""Files of a store that were changed, cut short or lost: verify names each, and no run makes a version of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from simhash_udf.errors import InputError
from simhash_udf.store.checking import verify_store
from simhash_udf.store.layout import FINGERPRINTS, GROUPS, MEMBERSHIPS, TABLES
from simhash_udf.store.manifest import open_store, versions
from tests.store.nightly_batches import PLAIN, write_nights
from tests.store.test_killed_runs import rerun

pytestmark = pytest.mark.processes


READ = {FINGERPRINTS: "fingerprint", MEMBERSHIPS: "node_id", GROUPS: "group_id"}
"""What every run reads of a table; answers and changes are written and not read again."""


def flipped(file: Path) -> bytes:
    """One bit turned in the last page of a column."""
    group = pq.ParquetFile(file).metadata.row_group(0)
    chunks = {group.column(number).path_in_schema: group.column(number) for number in range(group.num_columns)}
    chunk = chunks[READ.get(file.parent.name, "doc_id")]
    place = (chunk.dictionary_page_offset or chunk.data_page_offset) + chunk.total_compressed_size - 3
    return changed(file, place)


def flipped_in_the_footer(file: Path) -> bytes:
    """One bit turned in what a file says of itself."""
    return changed(file, file.stat().st_size - 12)


def changed(file: Path, place: int) -> bytes:
    content = file.read_bytes()
    return content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :]


def cut(file: Path) -> bytes:
    return file.read_bytes()[:-9]


def lost(file: Path) -> None:
    return None


@pytest.fixture(scope="module")
def world(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two nights, and the third."""
    directory = tmp_path_factory.mktemp("damage")
    nights = write_nights(directory, 3, documents=120)
    for run_id, night in zip(("one", "two"), nights, strict=False):
        rerun(spark, arguments(directory / "store", run_id, night))
    return directory


def arguments(store: Path, run_id: str, night: Path) -> list[object]:
    return ["--store", store, "--run-id", run_id, "--input", night, *PLAIN]


@pytest.mark.parametrize("damage", [flipped, flipped_in_the_footer, cut, lost], ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("table", TABLES)
def test_a_damaged_file_is_named_and_stops_a_run_that_reads_it(
    spark: SparkSession, world: Path, tmp_path: Path, table: str, damage: Callable[[Path], bytes | None]
) -> None:
    store = Path(shutil.copytree(world / "store", tmp_path / "store"))
    path = open_store(str(store)).tables[table][0].path
    content = damage(store / path)
    (store / path).unlink()
    if content is not None:
        (store / path).write_bytes(content)
    with pytest.raises(InputError, match=path):
        verify_store(str(store))
    if damage in {cut, lost} or (damage is flipped and table in READ):
        with pytest.raises(InputError, match=path):
            rerun(spark, arguments(store, "three", world / "night-2.parquet"))
        assert versions(str(store)) == [1, 2]


@pytest.mark.parametrize("place", ["recipes", "manifests"])
def test_a_damaged_recipe_or_manifest_is_named_and_stops_a_run(
    spark: SparkSession, world: Path, tmp_path: Path, place: str
) -> None:
    store = Path(shutil.copytree(world / "store", tmp_path / "store"))
    file = max((store / place).iterdir())
    file.write_bytes(changed(file, 40))
    for attempt in (
        lambda: verify_store(str(store)),
        lambda: rerun(spark, arguments(store, "three", world / "night-2.parquet")),
    ):
        with pytest.raises(InputError, match=file.name):
            attempt()
