"""Columns that several stages look up in the same way: the user's by name, a document's node and its words."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from simhash_udf import schema
from simhash_udf.errors import InputError

_LONGEST_NAME = 64
_MOST_NAMES = 50


def resolve_column(frame: DataFrame, name: str, *, option: str) -> Column:
    """Return the column of that exact name, or the nested field of that path.

    A flat column whose name has dots wins over a nested field.

    Raises
    ------
    InputError
        There is no such column, or another differs from it only in case.
    """
    alike = [column for column in frame.columns if column.lower() == name.lower()]
    if len(alike) > 1:
        raise InputError(
            f"{option}={name!r} fits the columns {' and '.join(alike)}, which differ only in case; rename one"
        )
    if alike == [name]:
        return F.col("`" + name.replace("`", "``") + "`")
    if "." in name and _has_path(frame.schema, name.split(".")):
        return F.col(".".join(f"`{part}`" for part in name.split(".")))
    raise InputError(f"{option}={name!r} is not in the input; its columns are {_listed(frame.columns)}")


def node_id(fingerprints: DataFrame) -> Column:
    """Return the column of the node a document belongs to: its fingerprint, or with several views its ``node_id``."""
    return F.col(schema.NODE_ID if schema.NODE_ID in fingerprints.columns else schema.FINGERPRINT)


def view_words(fingerprints: DataFrame, num_views: int) -> list[Column]:
    """Return one ``BIGINT`` column a view."""
    if num_views == 1:
        return [F.col(schema.FINGERPRINT)]
    return [F.element_at(schema.FINGERPRINTS, view + 1) for view in range(num_views)]


def _listed(names: list[str]) -> str:
    """The names, the first of many; a long one is a text, as where a CSV without a header was read as if it had one."""
    shown = [name if len(name) <= _LONGEST_NAME else f"(a name of {len(name)} characters)" for name in names]
    more = [f"and {len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES else []
    return ", ".join([*shown[:_MOST_NAMES], *more])


def _has_path(fields: T.StructType, path: list[str]) -> bool:
    if path[0] not in fields.names:
        return False
    inner = fields[path[0]].dataType
    return len(path) == 1 or (isinstance(inner, T.StructType) and _has_path(inner, path[1:]))
