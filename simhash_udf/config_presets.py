"""Presets: settings that were measured together. Any option that is given beside a preset wins over it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

VIEW_TOTAL, CHECKED_VIEW_TOTAL = 8, 10
"""Sum of the distances that a pair may have for each view, without and with a second look at the texts. What a larger
sum would find and what it would cost is in docs/decisions/0014-presets.md."""


@dataclass(frozen=True)
class Preset:
    """What a preset sets.

    Attributes
    ----------
    views
        Tokenizers of the fingerprints.
    weight
        Weight of a feature.
    max_distance
        k.
    verify
        The second look, None without one.
    """

    views: tuple[str, ...]
    weight: str
    max_distance: int
    verify: str | None = None

    @property
    def max_total_distance(self) -> int:
        """Largest sum of the distances over the views."""
        return total_of(self.views, is_checked=self.verify is not None)

    def values(self, given: Collection[str]) -> dict[str, Any]:
        """Return the settings of the preset by name, but those that are given.

        A tokenizer that is given takes the place of the preset's in every view.
        """
        chosen = {"weight": self.weight, "max_distance": self.max_distance, "verify": self.verify}
        return {name: value for name, value in ({"views": self.views} | chosen).items() if name not in given}


PRESETS: dict[str, Preset] = {
    "fast": Preset(("jieba",), "log_tf", 4),
    "balanced": Preset(("jieba", "jieba"), "log_tf", 5),
    "thorough": Preset(("jieba", "jieba", "char", "char"), "tf", 4, "jaccard:0.5"),
}

PRESET_KEYS = ("views", "weight", "max_distance", "max_total_distance", "verify")
"""Options that a preset decides where they are not given."""


class PresetSettings(BaseModel):
    """Settings that go together; each option given beside the preset wins."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    preset: Literal["fast", "balanced", "thorough"] | None = Field(
        None,
        description="fast: one fingerprint, up to 10^9 documents. balanced: two, up to 10^8. thorough: four, and the "
        "texts of every edge are compared, up to 10^8. Sets views, weight, max_distance, max_total_distance, verify.",
    )

    of_preset: ClassVar[frozenset[str]] = frozenset(PRESET_KEYS)
    """Fields that the preset decides."""

    @model_validator(mode="before")
    @classmethod
    def _fill(cls, values: Any) -> Any:
        """Add what the preset sets and is not given; an unknown preset is refused by its field."""
        if not isinstance(values, Mapping) or str(values.get("preset")) not in PRESETS:
            return values
        filled = fill_preset(dict(values))
        decided = cls.of_preset & cls.model_fields.keys()
        return {name: value for name, value in filled.items() if name in values or name in decided}


def fill_preset(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values with those of their preset for every option that is not given.

    Examples
    --------
    >>> filled = fill_preset({"preset": "balanced", "tokenizer": "word", "weight": "tf"})
    >>> filled["views"], filled["weight"], filled["max_distance"]
    (('word', 'word'), 'tf', 5)
    """
    if values.get("preset") is None:
        return values
    chosen = PRESETS[values["preset"]].values(values.keys())
    if "tokenizer" in values and "views" in chosen:
        chosen["views"] = (values["tokenizer"],) * len(chosen["views"])
    return chosen | values


def total_of(views: Collection[str], *, is_checked: bool) -> int:
    """Return the largest sum of distances over these views, where none is given."""
    return len(views) * (CHECKED_VIEW_TOTAL if is_checked else VIEW_TOTAL)
