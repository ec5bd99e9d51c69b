"""The one specification of a store: all that decides which fingerprint a text has, and which documents are kept.

It is fixed by the first run. A run that differs is refused with the keys that do, as fingerprints of two specifications
look alike and mean nothing to each other. k is not in it: it may differ from run to run, and is recorded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from simhash_udf.errors import SettingError
from simhash_udf.kernel.fingerprint import fingerprinter
from simhash_udf.kernel.recipe import BITS, Recipe

FEATURE_HASH = "md5"

PROBE = (
    "今天下午,市图书馆的新馆正式开放,第一天就来了三千多名读者!",
    "ＮＦＫＣ：①㈱ﬁ Ａｐｐｌｅ 公司發佈了３款新產品",
    "The quick brown fox: 12 jumps — naïve café, ΣΊΣΥΦΟΣ, Straße.",
    "研究生命的起源 https://example.org/a?b=1 <p>&amp;</p>",
)
"""Texts whose fingerprints are part of the specification: packages that normalise or segment otherwise show in them."""


def specify(recipe: Recipe, *, id_type: str, keep: Sequence[str], keep_types: Mapping[str, str]) -> dict[str, Any]:
    """Return the specification as plain JSON.

    Parameters
    ----------
    recipe
        With the thresholds of the store, if it has any.
    id_type
        Type of document ids as Spark names it.
    keep, keep_types
        Policies of which document of a group is kept, and the types of the columns that they read.
    """
    probe = fingerprinter(recipe)(pa.array(PROBE)).values
    return {
        **recipe.specification(),
        "bits": BITS,
        "hash": FEATURE_HASH,
        "calibration": "none" if recipe.thresholds is None else "thresholds",
        "probe": hashlib.sha256(probe.astype(">u8").tobytes()).hexdigest(),
        "id_type": id_type,
        "keep": list(keep),
        "keep_types": dict(keep_types),
    }


def calibrated_as(recipe: Recipe, stored: Recipe, calibration: str) -> Recipe:
    """Return a run's recipe with the thresholds of the store's, where the run does not bring its own.

    Raises
    ------
    SettingError
        The store is not calibrated, and the run asks for it.
    """
    if calibration != "sample":
        return recipe
    if stored.thresholds is None:
        raise SettingError(
            "the store is of another specification: calibration was 'none', is 'sample'; "
            "give --calibration none, or begin a new store"
        )
    return replace(recipe, thresholds=stored.thresholds)


def check_specification(store: str, stored: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Refuse a run whose specification differs from the store's.

    Raises
    ------
    SettingError
        It does; the message has every key that differs, with the old value and the new one.
    """
    found = [f"{key} was {old!r}, is {new!r}" for key, old, new in differences(stored, given)]
    if found:
        raise SettingError(
            f"store={store} is of another specification: {'; '.join(found)}; use the old values, or begin a new store"
        )


def differences(stored: Mapping[str, Any], given: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return ``(key, old, new)`` of every key that differs; keys inside keys are joined by a dot."""
    old, new = dict(_flat(stored)), dict(_flat(given))
    keys = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    if keys == ["probe"]:
        return [("probe", "of other package versions", "of those installed: equal settings give other fingerprints")]
    return [(key, old.get(key), new.get(key)) for key in keys if key != "probe"]


def _flat(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, inner in value.items():
        if isinstance(inner, Mapping):
            yield from _flat(inner, f"{prefix}{key}.")
        else:
            yield prefix + key, inner
