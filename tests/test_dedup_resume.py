"""Runs that end early go on where they were, and never with what belongs to other settings or another input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simhash_udf import dedup as whole
from simhash_udf.runtime import tables
from simhash_udf.runtime.output import OutputDirectory
from simhash_udf.sample import generate_documents

pytestmark = pytest.mark.processes  # a dozen whole runs

STAGES = ["repeated_ids", "survey", "calibrate", "fingerprints", "joined-0", "components", "edges", "groups"]
TABLES = ("groups", "edges", "rejected", "documents")


class KilledError(Exception):
    """Stands for the end of the process."""


@pytest.fixture(scope="module")
def documents() -> pa.Table:
    rows = [(document.id, document.text) for document in generate_documents(150, seed=5)]
    return pa.table({"id": [row[0] for row in rows], "text": [row[1] for row in rows]})


@pytest.fixture(scope="module")
def clean(dedup: Callable[..., Any], documents: pa.Table) -> Any:
    """The run that nothing disturbed; its stage tables are kept."""
    return dedup(documents, mode="filter")


def reused(results: Any) -> dict[str, bool]:
    return {stage["stage"]: stage["is_reused"] for stage in results.report["stages"]}


def same_results(one: Any, other: Any) -> bool:
    return all(one.rows(name) == other.rows(name) for name in TABLES)


def die_at(patch: pytest.MonkeyPatch, stage: str, *, after_manifest: bool) -> None:
    """Make the run end when a stage's table is written: before its manifest is there, or just after."""
    write = tables.write_json

    def write_and_die(path: str, value: dict[str, Any]) -> None:
        is_last = value.get("stage") == stage
        if not is_last or after_manifest:
            write(path, value)
        if is_last:
            raise KilledError

    patch.setattr(tables, "write_json", write_and_die)


def test_a_run_that_is_killed_at_every_stage_gives_the_same_results_and_repeats_no_finished_stage(
    dedup: Callable[..., Any], documents: pa.Table, clean: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list(reused(clean)) == STAGES
    place = tmp_path / "in.parquet"
    pq.write_table(documents, place)
    call = {"mode": "filter", "output": str(tmp_path / "out")}
    for number, stage in enumerate(STAGES):
        with monkeypatch.context() as patch:
            die_at(patch, stage, after_manifest=number % 2 == 0)
            with pytest.raises(KilledError):
                dedup(place, **call)
        finished = {path.parent.name.rpartition("-")[0] for path in (tmp_path / "out").glob("_work/*/manifest.json")}
        assert finished == set(STAGES[: number + (number % 2 == 0)])
    with monkeypatch.context() as patch:
        patch.setattr(OutputDirectory, "finish", lambda _: (_ for _ in ()).throw(KilledError))
        with pytest.raises(KilledError):
            dedup(place, **call)
    assert not (tmp_path / "out" / "_SUCCESS").exists()
    results = dedup(place, **call)
    assert set(reused(results).values()) == {True}
    assert same_results(results, clean)
    assert not (tmp_path / "out" / "_work").exists()


def test_other_settings_and_other_input_in_one_work_directory_give_what_a_clean_one_gives(
    dedup: Callable[..., Any], documents: pa.Table, clean: Any, tmp_path: Path
) -> None:
    place, work = tmp_path / "in.parquet", str(tmp_path / "work")
    pq.write_table(documents, place)
    assert same_results(dedup(place, mode="filter", work_dir=work), clean)
    # another k: fingerprints are those of before, what follows is not
    nearer = dedup(place, mode="filter", work_dir=work, max_distance=0)
    made_again = [stage for stage, is_reused in reused(nearer).items() if not is_reused]
    assert made_again == ["joined-0", "components", "edges", "groups"]
    assert nearer.groups() != clean.groups()
    # another representative: only the groups are made again
    longest = dedup(place, mode="filter", work_dir=work, keep=("longest",))
    assert [stage for stage, is_reused in reused(longest).items() if not is_reused] == ["groups"]
    # another input of the same name and size: nothing is taken over
    pq.write_table(documents.slice(0, 100), place)
    fewer = dedup(place, mode="filter", work_dir=work)
    assert not any(reused(fewer).values())
    assert fewer.report["counts"]["documents"] == 100


def test_no_resume_makes_everything_again(dedup: Callable[..., Any], documents: pa.Table, tmp_path: Path) -> None:
    place, work = tmp_path / "in.parquet", str(tmp_path / "work")
    pq.write_table(documents.slice(0, 20), place)
    call = {"work_dir": work, "calibration": "none"}
    first = dedup(place, **call)
    again = dedup(place, resume=False, **call)
    assert not any(reused(again).values())
    assert again.rows("groups") == first.rows("groups")


def test_a_run_without_calibration_has_no_thresholds_of_an_earlier_one(
    dedup: Callable[..., Any], documents: pa.Table, tmp_path: Path
) -> None:
    place = tmp_path / "in.parquet"
    pq.write_table(documents.slice(0, 70), place)
    first = dedup(place, output=str(tmp_path / "out"), mode="filter")
    assert (first.path / "thresholds.json").exists()
    second = dedup(place, output=str(tmp_path / "out"), overwrite=True, calibration="none")
    assert not (second.path / "thresholds.json").exists()
    assert not (second.path / "documents").exists()
    assert whole.WORK not in {path.name for path in second.path.iterdir()}
