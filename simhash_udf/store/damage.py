"""Damage that shows while a store is read: which file it is in, as a refusal and not as a failure of the job."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote

from py4j.protocol import Py4JError  # type: ignore[import-untyped, unused-ignore]
from pyspark.errors import PySparkException

from simhash_udf.errors import InputError
from simhash_udf.runtime.storage import normalized_path
from simhash_udf.store.layout import DATA

_SIGNS = ("FAILED_READ_FILE", "cannot be read")
"""What Spark says of a file that it cannot read, and what `udf.stored_files` does."""


@contextmanager
def naming_damage(store: str) -> Iterator[None]:
    """Turn an error of Spark about a file of the store into a refusal that names the file.

    Raises
    ------
    InputError
        A file cannot be read as it was written.
    """
    try:
        yield
    except (PySparkException, Py4JError) as error:
        path = _named_file(str(error), store)
        if path is None:
            raise
        raise InputError(
            f"store={store} is damaged: {path} is not as it was written; jobs/store.py verify names all such files, "
            f"restore them from a copy"
        ) from None


def _named_file(message: str, store: str) -> str | None:
    """The file of the store that an error is about, relative to the store."""
    if not any(sign in message for sign in _SIGNS):
        return None
    found = re.search(rf"{re.escape(normalized_path(store))}/({DATA}/[\w-]+/\w+/[\w.-]+\.parquet)", unquote(message))
    return found[1] if found else None
