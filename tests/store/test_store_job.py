"""``jobs/store.py`` as a user runs it, under spark-submit: every command, on one store of three nights."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from simhash_udf.store.manifest import open_store
from tests.store.nightly_batches import PLAIN, write_nights
from tests.store.test_killed_runs import rerun, state
from tests.submitting import Job

pytestmark = pytest.mark.processes

RUNS = ("monday", "tuesday", "wednesday")


class Store:
    """A store, the texts that went in, and the command line that looks after it."""

    def __init__(self, directory: Path, spark: SparkSession) -> None:
        self.place, self._log, self._spark = directory / "store", directory / "log", spark
        self.texts: dict[str, str] = {}
        for run_id, night in zip(RUNS, write_nights(directory, len(RUNS), documents=120), strict=True):
            rerun(spark, ["--store", self.place, "--run-id", run_id, "--input", night, *PLAIN])
            rows = pq.read_table(night).to_pylist()
            self.texts |= {row["id"]: row["text"] for row in rows if row["text"] is not None}

    def run(self, command: str, *arguments: object) -> tuple[int, list[str]]:
        words = [*command.split(), "--store", self.place, *arguments]
        with Job(self._log, "store.py", *words) as job:
            code, told = job.finish()
        return code, told.splitlines()

    def succeed(self, command: str, *arguments: object) -> list[str]:
        code, lines = self.run(command, *arguments)
        assert code == 0, lines
        return lines

    @property
    def state(self) -> dict[str, Any]:
        return state(self._spark, self.place)

    def near(self, doc_id: str, k: int) -> set[tuple[str, int]]:
        """Stored documents near to one, by comparison with every fingerprint."""
        words = self.words
        return {
            (other, distance)
            for other, word in words.items()
            if (distance := bin(word ^ words[doc_id]).count("1")) <= k
        }

    @property
    def words(self) -> dict[str, int]:
        """The fingerprints of the documents that have one."""
        return {row[0]: row[1] & (2**64 - 1) for row in self.state["documents"] if row[1] is not None}

    def partition(self) -> set[frozenset[str]]:
        members = defaultdict(set)
        for row in self.state["groups"]:
            members[row[1]].add(row[0])
        return {frozenset(ids) for ids in members.values()}


@pytest.fixture(scope="module")
def store(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("job"), spark)


def components(words: dict[str, int], k: int) -> set[frozenset[str]]:
    """Groups by comparing every pair."""
    ids = list(words)
    near = [[bin(words[one] ^ words[other]).count("1") <= k for one in ids] for other in ids]
    labels = connected_components(coo_array(near), directed=False)[1]
    groups = (frozenset(ids[place] for place in np.flatnonzero(labels == label)) for label in set(labels.tolist()))
    return {group for group in groups if len(group) > 1}


def test_ls_verify_and_query_answer(store: Store, tmp_path: Path) -> None:
    manifest = open_store(str(store.place))
    lines = store.succeed("ls")
    counts = "{documents:,} documents, {groups:,} groups with {members:,} members".format(**manifest.counts)
    assert any(f"3 runs, {counts}" in line for line in lines)
    assert [line.split()[0] for line in lines if line.startswith(RUNS)] == list(RUNS)
    assert any("is whole: 3 manifests" in line for line in store.succeed("verify"))
    twins = max(store.partition(), key=lambda group: (len(group), sorted(group)))
    asked = min(twins)
    told = store.succeed("query", "--text", store.texts[asked])
    found = [line.split("\t") for line in told if line.startswith("text\t")]
    assert {(doc_id, int(distance)) for _, doc_id, distance in found} == store.near(asked, 3)
    lines_of_text = tmp_path / "texts.txt"
    one, other = sorted(store.words)[:2]
    lines_of_text.write_text("".join(" ".join(store.texts[name].split()) + "\n" for name in (one, other)))
    said = store.succeed("query", "--input", lines_of_text, "--max-distance", 5, "--index", tmp_path / "index")
    for number, doc_id in enumerate((one, other), start=1):
        near = {tuple(line.split("\t")[1:]) for line in said if line.startswith(f"{number}\t")}
        assert near == {(name, str(distance)) for name, distance in store.near(doc_id, 5)}


def test_upkeep_keeps_to_what_the_fingerprints_say(store: Store, tmp_path: Path) -> None:
    before = store.state
    assert any("files became 5" in line for line in store.succeed("compact"))
    assert store.state == before
    # 1 a group's representative and a document without a duplicate are forgotten
    kept = next(row for row in before["groups"] if row[3])
    alone = next(doc_id for doc_id in sorted(store.texts) if doc_id not in {row[0] for row in before["groups"]})
    ids = tmp_path / "ids.txt"
    ids.write_text(f"{kept[0]}\n{alone}\n", encoding="utf-8")
    assert any("2 documents taken out, 0 ids unknown" in line for line in store.succeed("forget", "--ids", ids))
    assert {row[0] for row in store.state["documents"]} == store.texts.keys() - {kept[0], alone}
    others = {row[0] for row in before["groups"] if row[1] == kept[1]} - {kept[0]}
    assert {row[0] for row in store.state["changes"]} - {row[0] for row in before["changes"]} <= others
    assert all(kept[0] not in row for row in store.state["groups"])
    # 2 groups anew, for another distance and for the one before
    for k in (1, 4):
        store.succeed("rebuild", "--max-distance", k)
        assert store.partition() == components(store.words, k)
    # 3 the table that others read
    store.succeed("export groups", "--output", tmp_path / "out")
    files = sorted((tmp_path / "out" / "groups").glob("*.parquet"))
    rows = [tuple(row.values()) for file in files for row in pq.read_table(file).to_pylist()]
    assert sorted(rows, key=repr) == store.state["groups"]
    store.succeed("verify")


def test_a_wrong_command_is_exit_code_2_and_one_line(store: Store, tmp_path: Path) -> None:
    for command, arguments, message in (
        ("rebuild", ["--max-distance", 9], "max_distance"),
        ("forget", ["--ids", tmp_path / "none.parquet"], "cannot be read as parquet"),
        ("query", ["--input", tmp_path / "none.txt"], "cannot be read as UTF-8"),
    ):
        code, lines = store.run(command, *arguments)
        assert code == 2, lines
        (line,) = [line for line in lines if " ERROR " in line]
        assert message in line
