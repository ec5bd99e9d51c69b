from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow.dataset as ds
import pytest

from simhash_udf.errors import SettingError
from simhash_udf.sample import generate_documents, generate_tables, parallel, write_corpus, write_tables


def test_the_files_hold_every_document_with_its_source_in_the_folder_name(tmp_path: Path) -> None:
    documents = list(generate_documents(700))
    counts = write_corpus(documents, tmp_path / "corpus", rows_per_file=100)
    rows = ds.dataset(tmp_path / "corpus", partitioning="hive").to_table().to_pylist()
    by_id = sorted(rows, key=lambda row: row["id"])
    assert by_id == sorted((vars(document) for document in documents), key=lambda row: row["id"])
    assert counts == Counter(document.kind for document in documents)


@pytest.mark.parametrize("processes", [1, 2])
def test_several_processes_write_the_same_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    monkeypatch.setattr(parallel, "FAMILIES_PER_TABLE", 70)
    counts = write_corpus(generate_documents(701, seed=4), tmp_path / "one", rows_per_file=100)
    tables = generate_tables(701, seed=4, processes=processes)
    assert write_tables(tables, tmp_path / "many", rows_per_file=100) == counts
    one, many = (
        {file.relative_to(place): file.read_bytes() for file in place.rglob("*.parquet")}
        for place in (tmp_path / "one", tmp_path / "many")
    )
    assert many == one


def test_no_document_is_no_table() -> None:
    assert list(generate_tables(0, processes=1)) == []


def test_a_file_has_no_more_rows_than_asked_for(tmp_path: Path) -> None:
    write_corpus(generate_documents(700), tmp_path, rows_per_file=100)
    fragments = list(ds.dataset(tmp_path, partitioning="hive").get_fragments())
    assert len(fragments) >= 7
    assert max(fragment.count_rows() for fragment in fragments) == 100


def test_a_directory_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(SettingError, match="is not empty"):
        write_corpus(generate_documents(5), tmp_path)
    assert (tmp_path / "notes").read_text() == "mine"
