"""Near-duplicates of each day, against all days before.

`dedup` runs `jobs/dedup.py` on the documents of one data interval and adds them to the store under the interval's first
day as run id. `figures` then pushes what `report.json` says (XCom key `figures`).

**Settings**: the Variable `simhash_dedup_daily`, a JSON object. `{day}` stands for the day of the run.

| key | |
|---|---|
| `job` | path of `jobs/dedup.py` on the worker |
| `input`, `output`, `store` | as in `/lake/pages/dt={day}`, `/lake/new/{day}`, `/lake/pages-store` |
| `config` | optional: TOML file with all other options of the job |
| `properties_file` | optional: Spark settings, such as `conf/spark-standalone.conf` |

The connection `spark_default` names the master. Params of a single run: `day`, in place of the interval's, and
`options`, such as `["--replace-run"]`.

**When it is red**

| task | what happened | what to do |
|---|---|---|
| `dedup`, at once | exit code 2: a setting or the input is wrong, the message says what | put it right, clear it |
| `dedup`, after its retries | anything else | look at the log, clear it: it goes on from its last whole stage |
| `figures` | exit code 3: all is written, and more removed than allowed | look; mark it a success to let it pass |

Allowed is what `fail_if_removed_over` in the TOML file says. A run with the same id and the same input adds nothing the
second time, so a retry or a cleared task is safe.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pendulum
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import DAG, CronDataIntervalTimetable, ObjectStoragePath, Param, Variable, get_current_context, task
from airflow.sdk.exceptions import AirflowException, AirflowFailException

NAME = "simhash_dedup_daily"
ZONE = "UTC"  # where a day begins and ends
REFUSED, ALARM = 2, 3  # exit codes of the job, beside 0 and 1

_EXIT_CODE = re.compile(r"(?:Error code|Kubernetes spark exit code) is: (\d+)")
_FIGURES = ("run", "counts", "store", "seconds")


class DedupOperator(SparkSubmitOperator):
    """Runs the job; one that is refused is not tried again, and one that is written with an alarm has done its work."""

    def execute(self, context: Any) -> dict[str, Any]:
        """Return the exit code, 0 or 3, and where the results are."""
        written = {"exit_code": 0, "output": place_of("output", context)}
        try:
            super().execute(context)
        except AirflowException as error:
            codes = {int(code) for code in _EXIT_CODE.findall(str(error))}
            if REFUSED in codes:
                raise AirflowFailException(_last_error(str(error))) from None
            if ALARM not in codes:
                raise
            written["exit_code"] = ALARM
        return written


def job_arguments(context: Any, jinja_env: Any) -> list[str]:
    """Return the command line of the job. Airflow calls this as it renders templates, and shows what came out."""
    config = _settings().get("config")
    arguments = ["--config", config] if config else []
    for name in ("input", "output", "store"):
        arguments += [f"--{name}", place_of(name, context)]
    return [*arguments, "--run-id", day_of(context), *context["params"]["options"]]


def place_of(name: str, context: Any) -> str:
    """Return a path of the settings for the day of this run."""
    settings = _settings()
    if not settings.get(name):
        raise AirflowFailException(f"the Variable {NAME} has no {name}; give a path in which {{day}} is the day")
    return str(settings[name]).replace("{day}", day_of(context))


def day_of(context: Any) -> str:
    """Return the day of this run, which is its id in the store: the param, or the first day of the data interval."""
    start = context.get("data_interval_start")
    if context["params"]["day"]:
        return str(context["params"]["day"])
    if start is None:
        raise AirflowFailException("this run has no data interval; give the param day, as in 2026-11-30")
    return str(start.in_timezone(ZONE).to_date_string())


def _settings() -> dict[str, Any]:
    settings: dict[str, Any] = Variable.get(NAME, deserialize_json=True)
    return settings


def _last_error(output: str) -> str:
    """The job's last line about an error, which says what to change."""
    lines = [line for line in output.splitlines() if " ERROR " in line]
    return lines[-1] if lines else output


with DAG(
    dag_id=NAME,
    doc_md=__doc__,
    schedule=CronDataIntervalTimetable("@daily", timezone=ZONE),
    start_date=pendulum.datetime(2026, 11, 1, tz=ZONE),
    catchup=True,  # a day without a run would be missing in the store
    max_active_runs=1,  # a store takes one run at a time
    default_args={"retries": 2},
    params={
        "day": Param(None, type=["null", "string"], format="date", description="Day, if not the data interval's."),
        "options": Param([], type="array", items={"type": "string"}, description="More options of the job."),
    },
    tags=["simhash"],
) as dag:
    dedup = DedupOperator(
        task_id="dedup",
        name=NAME,
        application=f"{{{{ var.json.{NAME}.job }}}}",
        properties_file=f"{{{{ var.json.{NAME}.get('properties_file', '') }}}}",
        application_args=job_arguments,
    )

    @task
    def figures(written: dict[str, Any]) -> None:
        """Push the figures of the report, then say whether the job raised an alarm."""
        place = ObjectStoragePath(re.sub("^s3a:", "s3:", written["output"]))
        report = json.loads((place / "report.json").read_text(encoding="utf-8"))
        found = {name: report[name] for name in _FIGURES} | {"large_groups": len(report["large_groups"])}
        get_current_context()["ti"].xcom_push("figures", found)
        if written["exit_code"] == ALARM:
            raise AirflowFailException(f"all is written, and more was removed than allowed; see {written['output']}")

    figures(dedup.output)
