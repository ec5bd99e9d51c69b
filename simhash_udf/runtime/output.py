"""The output directory: refused early if it is not ours to write, marked as whole by ``_SUCCESS`` at the very end.

While results are being written the directory has a file ``_STARTED``; a reader looks for ``_SUCCESS``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame

from simhash_udf.errors import InputError, SettingError
from simhash_udf.runtime.session import num_cores
from simhash_udf.runtime.storage import (
    delete,
    exists,
    list_names,
    overlaps,
    why_not_writable,
    write_bytes,
    write_json,
    write_text,
)

STARTED = "_STARTED"
SUCCESS = "_SUCCESS"
WORK = "_work"
RESULTS = (
    "groups",
    "edges",
    "documents",
    "fingerprints",
    "rejected",
    "answers",
    "changes",
    "report.json",
    "report.html",
    "specification.json",
    "thresholds.json",
    "evaluation.parquet",
    "evaluation.csv",
    "evaluation.html",
    "edits.csv",
    "curve.png",
    "recommendation.json",
)
"""Everything that a run writes beside its marks; ``overwrite`` replaces these and touches nothing else."""


def check_place(option: str, path: str | None, inputs: Sequence[str]) -> None:
    """Refuse a place to write, if one is given, that cannot be written, or is, holds or lies in an input.

    Raises
    ------
    SettingError
        It does; the message names the option and both places.
    """
    for place in inputs if path else ():
        if overlaps(str(path), place):
            raise SettingError(
                f"{option}={path} is, holds or lies in the input {place}; choose a directory apart from it"
            )
    reason = why_not_writable(path) if path else None
    if reason:
        raise SettingError(f"{option}={path} cannot be written: {reason}; choose a directory that can be made")


class OutputDirectory:
    """Where the results of a run go.

    Parameters
    ----------
    path
        Directory; made if it is not there.
    inputs
        Places that are read; the output must lie apart from them.
    overwrite
        Whether results that are there may be replaced.

    Raises
    ------
    SettingError
        The path is missing, cannot be written, or is, holds or lies in an input.
    InputError
        The directory holds results, or files of somebody else.
    """

    def __init__(self, path: str, *, inputs: Sequence[str], overwrite: bool) -> None:
        if not path:
            raise SettingError("output is required; give --output DIR")
        self.path = path.rstrip("/") or "/"
        check_place("output", path, inputs)
        self._check_content(overwrite=overwrite)

    def begin(self) -> None:
        """Mark the directory as being written and take earlier results away. Call it when all else is computed."""
        # in this order a run that ends between the two is known as ours
        write_text(f"{self.path}/{STARTED}", "results are being written here\n")
        delete(f"{self.path}/{SUCCESS}")
        for name in RESULTS:
            delete(f"{self.path}/{name}")

    def write_table(self, name: str, frame: DataFrame, *, partition_by: Sequence[str] = ()) -> None:
        """Write a table of the results in few files: of even size, or one a core where adaptive execution is off."""
        spark = frame.sparkSession
        is_adaptive = spark.conf.get("spark.sql.adaptive.enabled") == "true"
        few_files = frame.hint("rebalance", *partition_by) if is_adaptive else frame.coalesce(num_cores(spark))
        few_files.write.mode("overwrite").partitionBy(*partition_by).parquet(f"{self.path}/{name}")

    def write_json(self, name: str, value: dict[str, Any]) -> None:
        """Write a JSON file of the results."""
        write_json(f"{self.path}/{name}", value)

    def write_file(self, name: str, content: bytes) -> None:
        """Write a small file of the results."""
        write_bytes(f"{self.path}/{name}", content)

    def finish(self) -> None:
        """Mark the results as whole."""
        write_text(f"{self.path}/{SUCCESS}", "")
        delete(f"{self.path}/{STARTED}")

    def _check_content(self, *, overwrite: bool) -> None:
        names = list_names(self.path)
        if not names or names == [WORK] or STARTED in names:
            return  # nothing there, or a run of ours that did not end
        if SUCCESS not in names:
            raise InputError(
                f"output={self.path} holds other files ({', '.join(names[:3])}); choose an empty directory"
            )
        if not overwrite:
            raise InputError(f"output={self.path} holds results already; choose another directory, or --overwrite")

    def has_results(self) -> bool:
        """Say whether whole results are there."""
        return exists(f"{self.path}/{SUCCESS}")
