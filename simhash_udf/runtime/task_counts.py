"""How far Spark is with what it was asked for: tasks that are done, tasks there are, rows that were read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol, cast

from py4j.protocol import Py4JError  # type: ignore[import-untyped, unused-ignore]
from pyspark.sql import SparkSession


@dataclass(frozen=True)
class TaskCounts:
    """Tasks that are done, tasks that are known so far, and rows that these read; None where nobody tells."""

    done: int
    total: int
    rows: int | None = None


class TaskCounter(Protocol):
    """Counts the tasks of one stage of ours, which are those of some jobs of Spark."""

    def counts(self) -> TaskCounts:
        """Return the counts so far."""

    def close(self) -> None:
        """Stop counting."""


class JobGroupCounter(TaskCounter):
    """Tasks of the jobs of a job group, asked of Spark's status tracker.

    Parameters
    ----------
    spark
        A session in the process of the driver.
    group
        The job group.
    """

    def __init__(self, spark: SparkSession, group: str) -> None:
        self._context = spark.sparkContext
        self._tracker = self._context.statusTracker()
        self._group = group
        self._ended: dict[int, dict[int, TaskCounts]] = {}

    def counts(self) -> TaskCounts:
        """Return the counts so far; a job that ended is asked for once."""
        stages: dict[int, TaskCounts] = {}
        for job in self._tracker.getJobIdsForGroup(self._group):
            if job not in self._ended:
                info = self._tracker.getJobInfo(job)
                if info is None:
                    continue
                found = self._stages(info.stageIds, is_running=info.status == "RUNNING")
                if info.status == "RUNNING":
                    stages |= found
                    continue
                self._ended[job] = found
            stages |= self._ended[job]
        known = [stage.rows for stage in stages.values() if stage.rows is not None]
        done, total = (sum(getattr(stage, name) for stage in stages.values()) for name in ("done", "total"))
        return TaskCounts(done, total, sum(known) if known else None)

    def close(self) -> None:
        """Nothing is to be stopped."""

    def _stages(self, ids: Iterable[int], *, is_running: bool) -> dict[int, TaskCounts]:
        """Counts of stages; one of a job that ended and has no task done was skipped."""
        found = {}
        for number in ids:
            info = self._tracker.getStageInfo(number)
            if info is not None and (is_running or info.numCompletedTasks):
                found[number] = TaskCounts(info.numCompletedTasks, info.numTasks, self._rows(number))
        return found

    def _rows(self, stage: int) -> int | None:
        """Rows that a stage read, from what Spark's own pages are made of; the tracker does not tell."""
        try:
            attempt = self._context._jsc.sc().statusStore().lastStageAttempt(stage)
            return int(attempt.inputRecords()) + int(attempt.shuffleReadRecords())
        except (Py4JError, AttributeError):
            return None


class OperationCounter(TaskCounter):
    """Tasks of the operations of a Spark Connect session while it counts, told by its progress handler.

    Parameters
    ----------
    spark
        A session of Spark Connect.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._operations: dict[str, TaskCounts] = {}
        self._handler = cast("Any", self._told)  # Spark types handlers as a class of its own
        spark.registerProgressHandler(self._handler)

    def counts(self) -> TaskCounts:
        """Return the counts so far."""
        operations = list(self._operations.values())
        return TaskCounts(sum(one.done for one in operations), sum(one.total for one in operations))

    def close(self) -> None:
        """Take the handler away."""
        self._spark.removeProgressHandler(self._handler)

    def _told(self, stages: Iterable[Any] | None, inflight_tasks: int, operation_id: str | None, done: bool) -> None:
        known = list(stages or ())
        total = sum(stage.num_tasks for stage in known)
        completed = total if done else sum(stage.num_completed_tasks for stage in known)
        if known:
            self._operations[operation_id or ""] = TaskCounts(completed, total)
