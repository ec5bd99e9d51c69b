"""Run by Airflow's Python: look at the DAG, or run it for some days, and write what came of it as JSON.

``dag_run.py RESULT`` imports the DAG; ``dag_run.py RESULT DAY…`` runs it for each day, by `dag.test()`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pendulum
from airflow.dag_processing.dagbag import DagBag

NAME = "simhash_dedup_daily"
FOLDER = Path(__file__).resolve().parents[2] / "conf" / "airflow"


def main() -> None:
    result, *days = sys.argv[1:]
    bag = DagBag(str(FOLDER))
    faults = {"errors": bag.import_errors, "warnings": {k: list(v) for k, v in bag.captured_warnings.items()}}
    found: dict[str, Any] = faults | {"dags": sorted(bag.dags), "runs": [run(bag.dags[NAME], day) for day in days]}
    found["doc"] = bag.dags[NAME].doc_md if NAME in bag.dags else None
    Path(result).write_text(json.dumps(found, default=str), encoding="utf-8")


def run(dag: Any, day: str) -> dict[str, Any]:
    """The day's interval ends, and its run begins, at the midnight after it."""
    finished = dag.test(logical_date=pendulum.parse(day).add(days=1))
    tasks = {task.task_id: task for task in finished.get_task_instances()}
    figures = tasks["figures"].xcom_pull(task_ids="figures", key="figures")
    return {
        "state": finished.state,
        "tasks": {name: {"state": task.state, "tries": task.try_number} for name, task in tasks.items()},
        "written": tasks["figures"].xcom_pull(task_ids="dedup"),
        "figures": figures,
    }


if __name__ == "__main__":
    main()
