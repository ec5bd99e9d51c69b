"""What a person sees while a job runs: lines when a stage begins and ends, a bar in a terminal, names in Spark's UI."""

from __future__ import annotations

import logging
import os
import stat
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TextIO

from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from tqdm import tqdm

from simhash_udf.runtime.task_counts import JobGroupCounter, OperationCounter, TaskCounter

PACKAGE = logging.getLogger("simhash_udf")
log = logging.getLogger("simhash_udf.stages")

_EVERY_S = 0.25
_FORMAT = "{desc} {percentage:3.0f}% |{bar}| {n_fmt}/{total_fmt} tasks{postfix}, {elapsed}, {remaining} left"
_NAMES = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")

_bars_go_to: ContextVar[TextIO | None] = ContextVar("bars_go_to", default=None)


@contextmanager
def shown_progress(mode: str) -> Iterator[None]:
    """Show the stages within as a mode of the option ``progress`` says: auto, bar, log or off."""
    stream = find_terminal() if mode in {"auto", "bar"} else None
    if mode == "bar":
        stream = stream or sys.stderr
    token, handlers, level = _bars_go_to.set(stream), PACKAGE.handlers, log.level
    log.setLevel(logging.WARNING if mode == "off" else logging.NOTSET)
    if stream is not None:
        PACKAGE.handlers = [_above_bars(handler, stream) for handler in handlers]
    try:
        yield
    finally:
        PACKAGE.handlers = handlers
        log.setLevel(level)
        _bars_go_to.reset(token)
        if stream is not None and stream is not sys.stderr:
            stream.close()


def find_terminal() -> TextIO | None:
    """Return the terminal that standard error goes to, None if it goes elsewhere.

    Under spark-submit it goes to the JVM that started this process, which copies it to its own output.
    """
    if sys.stderr.isatty():
        return sys.stderr
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return None
    place = f"/proc/{os.getppid()}/fd/2"
    try:
        if not stat.S_ISCHR(os.stat(place).st_mode):  # a log file, say: opened for writing it would be emptied
            return None
        handle = os.open(place, os.O_WRONLY | os.O_NOCTTY)
    except OSError:
        return None
    if os.isatty(handle):
        return os.fdopen(handle, "w", encoding="utf-8")
    os.close(handle)
    return None


@contextmanager
def running_stage(spark: SparkSession, name: str) -> Iterator[None]:
    """Run a stage: a line says that it begins, Spark's jobs within have its name, and a bar shows them if asked for."""
    log.info("stage=%s state=running", name)
    stream = _bars_go_to.get()
    group = f"{name}-{uuid.uuid4().hex[:8]}"
    with _named_jobs(spark, name, group):
        if stream is None:
            yield
            return
        is_here = _context(spark) is not None
        with _bar(name, JobGroupCounter(spark, group) if is_here else OperationCounter(spark), stream):
            yield


@contextmanager
def running_step(spark: SparkSession, name: str, took: dict[str, float]) -> Iterator[None]:
    """Run a part of a job that leaves no stage table, with its lines and its bar; ``took`` gets its seconds."""
    start = time.monotonic()
    with running_stage(spark, name):
        yield
    seconds = time.monotonic() - start
    log_stage(name, rows=None, seconds=seconds, is_reused=False)
    took[name] = round(seconds, 3)


def log_stage(name: str, *, rows: int | None, seconds: float, is_reused: bool) -> None:
    """Log the figures of a stage that ended, one line of keys and values for a machine to read."""
    counted = "" if rows is None else f" rows={rows}"
    log.info("stage=%s state=done%s seconds=%.3f reused=%s", name, counted, seconds, str(is_reused).lower())


def _context(spark: SparkSession) -> SparkContext | None:
    """The driver's context, None for Spark Connect, whose driver is elsewhere."""
    try:
        return spark.sparkContext
    except (PySparkException, AttributeError):
        return None


@contextmanager
def _named_jobs(spark: SparkSession, name: str, group: str) -> Iterator[None]:
    """Give the jobs within a group and the stage's name, afterwards what they had before; Connect has no such names."""
    context = _context(spark)
    if context is None:
        yield
        return
    before = {key: context.getLocalProperty(key) for key in _NAMES}
    context.setJobGroup(group, name)
    try:
        yield
    finally:
        for key, value in before.items():
            context.setLocalProperty(key, value)  # type: ignore[arg-type, unused-ignore]


def _above_bars(handler: logging.Handler, stream: TextIO) -> logging.Handler:
    """A handler whose lines stand above the bars, in place of one that writes to standard error."""
    if type(handler) is not logging.StreamHandler:
        return handler
    above = _AboveBars(stream)
    above.setFormatter(handler.formatter)
    return above


class _AboveBars(logging.StreamHandler):  # type: ignore[type-arg]  # takes no argument in Python 3.10
    """Takes the bars away, writes a line, and draws them again."""

    def emit(self, record: logging.LogRecord) -> None:
        with tqdm.external_write_mode(file=self.stream):
            super().emit(record)


@contextmanager
def _bar(name: str, counter: TaskCounter, stream: TextIO) -> Iterator[None]:
    """A bar that follows the counter and goes when the stage ends."""
    ended = threading.Event()
    with tqdm(desc=name, total=0, bar_format=_FORMAT, file=stream, leave=False, dynamic_ncols=True) as bar:
        thread = threading.Thread(target=_follow, args=(bar, counter, ended), name=f"progress of {name}", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            counter.close()


def _follow(bar: tqdm[None], counter: TaskCounter, ended: threading.Event) -> None:
    while not ended.wait(_EVERY_S):
        try:
            found = counter.counts()
        except Exception:  # the session is ending; a bar must not stop the job
            return
        bar.total, bar.n = max(found.total, 1), found.done
        bar.set_postfix_str("" if found.rows is None else f"{found.rows:,} rows", refresh=False)
        bar.refresh()
