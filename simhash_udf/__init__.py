"""Near-duplicate text at data-lake scale: SimHash on Apache Spark, Chinese first.

The public names are loaded when they are first used, so that a Python worker that needs the kernel alone loads no more.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from simhash_udf.version import __version__

if TYPE_CHECKING:
    from simhash_udf.dedup import find_duplicates
    from simhash_udf.errors import AlarmError, InputError, SettingError, SimhashError
    from simhash_udf.explanation import Explanation, explain
    from simhash_udf.functions import simhash
    from simhash_udf.index import FingerprintIndex
    from simhash_udf.kernel.values import distance, simhash_value
    from simhash_udf.udf.columns import hamming_distance

__all__ = [
    "AlarmError",
    "Explanation",
    "FingerprintIndex",
    "InputError",
    "SettingError",
    "SimhashError",
    "__version__",
    "distance",
    "explain",
    "find_duplicates",
    "hamming_distance",
    "simhash",
    "simhash_value",
]

_HOMES = {
    "AlarmError": "errors",
    "Explanation": "explanation",
    "FingerprintIndex": "index",
    "InputError": "errors",
    "SettingError": "errors",
    "SimhashError": "errors",
    "distance": "kernel.values",
    "explain": "explanation",
    "find_duplicates": "dedup",
    "hamming_distance": "udf.columns",
    "simhash": "functions",
    "simhash_value": "kernel.values",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
