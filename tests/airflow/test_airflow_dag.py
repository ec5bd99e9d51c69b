"""The DAG in a real Airflow, on a local Spark: two days, what is refused, an alarm, and a job that is killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest

from simhash_udf.sample import Document, generate_documents
from tests.environment import job_environment

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parents[2]
SPARK = Path(pyspark.__file__).parent
MONDAY, TUESDAY = "2026-11-02", "2026-11-03"
LIMIT_S = 500

Meanwhile = Callable[[Callable[[], bool]], object]


@dataclass
class Airflow:
    """An Airflow with its own database, whose DAG works in a directory of its own."""

    program: Path
    home: Path
    lake: Path

    def start(self, *days: str, **changed: object) -> subprocess.Popen[bytes]:
        """Begin to run the DAG for these days; ``changed`` are keys of its Variable."""
        with (self.lake / "log").open("ab") as log:
            return subprocess.Popen(
                [str(self.program), str(ROOT / "tests" / "airflow" / "dag_run.py"), str(self.result), *days],
                env=environment(self.program, self.home) | {"AIRFLOW_VAR_SIMHASH_DEDUP_DAILY": self._variable(changed)},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def run(self, *days: str, meanwhile: Meanwhile | None = None, **changed: object) -> dict[str, Any]:
        """What the runs came to; ``meanwhile`` is told how to ask whether they go on."""
        process = self.start(*days, **changed)
        try:
            if meanwhile is not None:
                meanwhile(lambda: process.poll() is None)
            assert process.wait(LIMIT_S) == 0, self.log()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return json.loads(self.result.read_text(encoding="utf-8"))

    def log(self) -> str:
        return (self.lake / "log").read_text(encoding="utf-8", errors="replace")

    def rows(self, day: str, table: str) -> list[dict[str, Any]]:
        files = (self.lake / "new" / day / table).glob("*.parquet")
        return sorted((row for file in files for row in pq.read_table(file).to_pylist()), key=repr)

    @property
    def result(self) -> Path:
        return self.lake / "result.json"

    def _variable(self, changed: dict[str, object]) -> str:
        config, spark = self.lake / "dedup.toml", self.lake / "spark.conf"
        config.write_text("max_distance = 4\nfail_if_removed_over = 0.9\n", encoding="utf-8")
        settings = {
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "4",
            "spark.sql.codegen.wholeStage": "false",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        }
        spark.write_text("".join(f"{name} {value}\n" for name, value in settings.items()), encoding="utf-8")
        places = {
            "job": str(ROOT / "jobs" / "dedup.py"),
            "input": f"{self.lake}/pages/dt={{day}}",
            "output": f"{self.lake}/new/{{day}}",
            "store": f"{self.lake}/store",
            "config": str(config),
            "properties_file": str(spark),
        }
        return json.dumps(places | changed)


def environment(program: Path, home: Path) -> dict[str, str]:
    """Of a worker: Spark's programs on the path, and the Python of the job, which is not Airflow's."""
    return job_environment("PYTHON") | {
        "PATH": f"{SPARK / 'bin'}:{program.parent}:{os.environ['PATH']}",
        "SPARK_HOME": str(SPARK),
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "conf" / "airflow"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__DEFAULT_TASK_RETRY_DELAY": "1",
        "AIRFLOW_CONN_SPARK_DEFAULT": json.dumps({"conn_type": "spark", "host": "local[2]"}),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@pytest.fixture(scope="module")
def program() -> Path:
    """Python of the environment with Airflow, made at the first time."""
    place = ROOT / ".airflow"
    subprocess.run([str(ROOT / "scripts" / "airflow-env"), str(place), sys.executable], check=True)
    return place / "bin" / "python"


@pytest.fixture(scope="module")
def home(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("airflow")
    made = subprocess.run(
        [str(program.with_name("airflow")), "db", "migrate"],
        env=environment(program, home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return home


@pytest.fixture(scope="module")
def days() -> dict[str, list[Document]]:
    """Two days of documents; the second begins with copies of the first one's, under other ids."""
    documents = [document for document in generate_documents(200, seed=3) if document.text is not None]
    return {MONDAY: documents[:120], TUESDAY: documents[120:]}


@pytest.fixture
def airflow(program: Path, home: Path, days: dict[str, list[Document]], tmp_path: Path) -> Airflow:
    for day, documents in days.items():
        write_day(tmp_path, day, [(document.id, document.text) for document in documents])
    again = [(f"again-{document.id}", document.text) for document in days[MONDAY][:10]]
    write_day(tmp_path, TUESDAY, again, part=1)
    return Airflow(program, home, tmp_path)


def write_day(lake: Path, day: str, rows: list[tuple[str, str | None]], part: int = 0) -> None:
    place = lake / "pages" / f"dt={day}"
    place.mkdir(parents=True, exist_ok=True)
    table = pa.table({"id": [row[0] for row in rows], "text": [row[1] for row in rows]})
    pq.write_table(table, place / f"part-{part}.parquet")


def processes_with(word: str) -> Iterator[int]:
    """Processes of the job, by a word of their command line."""
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (place / "cmdline").read_bytes()
            if word.encode() in words and b"dedup.py" in words:
                yield int(place.name)


def wait_for(pattern: str, place: Path, is_alive: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT_S
    while not any(place.glob(pattern)):
        assert is_alive(), f"ended without {pattern}"
        assert time.monotonic() < end, f"no {pattern} in {LIMIT_S} s"
        time.sleep(0.05)


def test_the_dag_is_imported_without_errors_and_warnings(airflow: Airflow) -> None:
    found = airflow.run()
    assert (found["errors"], found["warnings"]) == ({}, {})
    assert found["dags"] == ["simhash_dedup_daily"]
    assert "exit code 2" in found["doc"]


def test_the_second_day_finds_duplicates_of_the_first(airflow: Airflow, days: dict[str, list[Document]]) -> None:
    monday, tuesday = airflow.run(MONDAY, TUESDAY)["runs"]
    for run in (monday, tuesday):
        assert run["state"] == "success", airflow.log()
        assert {task["tries"] for task in run["tasks"].values()} == {1}
    assert monday["figures"]["run"]["run_id"] == MONDAY
    assert monday["figures"]["counts"]["documents"] == len(days[MONDAY])
    assert tuesday["figures"]["counts"]["documents"] == len(days[TUESDAY]) + 10
    assert tuesday["figures"]["store"]["documents"] == len(days[MONDAY]) + len(days[TUESDAY]) + 10
    answers = {row["doc_id"]: row for row in airflow.rows(TUESDAY, "answers")}
    of_monday = [answers[f"again-{document.id}"] for document in days[MONDAY][:10]]
    assert {(row["answer"], row["duplicate_of_run"]) for row in of_monday} == {("duplicate", MONDAY)}
    assert tuesday["figures"]["counts"]["duplicate"] >= 10


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"input": "/nowhere/dt={day}"}, "/nowhere/dt=2026-11-02"),
        ({"config": "/nowhere/dedup.toml"}, "/nowhere/dedup.toml"),
    ],
    ids=["input", "setting"],
)
def test_what_is_refused_fails_at_once(airflow: Airflow, changed: dict[str, object], message: str) -> None:
    (run,) = airflow.run(MONDAY, **changed)["runs"]
    assert run["state"] == "failed"
    assert run["tasks"]["dedup"] == {"state": "failed", "tries": 1}
    assert run["tasks"]["figures"]["state"] == "upstream_failed"
    assert message in airflow.log()
    assert not (airflow.lake / "new").exists()


def test_a_column_that_is_not_there_fails_at_once(airflow: Airflow) -> None:
    place = airflow.lake / "pages" / f"dt={MONDAY}" / "part-0.parquet"
    pq.write_table(pq.read_table(place).rename_columns(["id", "body"]), place)
    (run,) = airflow.run(MONDAY)["runs"]
    assert run["tasks"]["dedup"] == {"state": "failed", "tries": 1}
    assert "text_column='text' is not in the input" in airflow.log()


def test_an_alarm_is_red_after_the_figures_are_pushed(airflow: Airflow) -> None:
    write_day(airflow.lake, MONDAY, [(f"copy-{number}", "同一段文字，一字不差。" * 9) for number in range(150)])
    (run,) = airflow.run(MONDAY)["runs"]
    assert run["written"] == {"exit_code": 3, "output": f"{airflow.lake}/new/{MONDAY}"}
    assert run["tasks"]["dedup"] == {"state": "success", "tries": 1}
    assert run["tasks"]["figures"] == {"state": "failed", "tries": 1}
    assert run["figures"]["counts"]["removed"] == 149


def test_a_job_that_is_killed_succeeds_on_retry_with_the_same_result(airflow: Airflow, tmp_path: Path) -> None:
    killed: list[int] = []

    def kill(is_alive: Callable[[], bool]) -> None:
        wait_for("store/work/fingerprints-*/manifest.json", tmp_path, is_alive)
        killed.extend(processes_with(str(tmp_path)))
        for number in killed:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)

    (run,) = airflow.run(MONDAY, meanwhile=kill)["runs"]
    assert killed
    assert run["state"] == "success", airflow.log()
    assert run["tasks"]["dedup"] == {"state": "success", "tries": 2}
    tables = {name: airflow.rows(MONDAY, name) for name in ("answers", "changes", "groups")}
    (clean,) = airflow.run(MONDAY, store=f"{tmp_path}/other", output=f"{tmp_path}/new/{{day}}-clean")["runs"]
    assert clean["state"] == "success"
    assert tables == {name: airflow.rows(f"{MONDAY}-clean", name) for name in tables}
    assert run["figures"]["counts"] == clean["figures"]["counts"]
