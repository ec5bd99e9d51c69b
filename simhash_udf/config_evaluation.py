"""Options of the evaluation beside those of the main job: labels, what is varied, and what is asked of the result."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from simhash_udf.config import (
    CheckSettings,
    InputSettings,
    Names,
    PlaceSettings,
    Repeated,
    SearchSettings,
    Section,
    Settings,
    TextSettings,
    validated,
)
from simhash_udf.config_presets import PresetSettings
from simhash_udf.config_report import ProgressSettings

NO_CHECK = "none"


class LabelSettings(Section):
    """What is known to be true, or how to do without it."""

    labels: str | None = Field(
        None, description="Labelled pairs (id_1, id_2, is_duplicate) or clusters (id, cluster): csv, json or parquet."
    )
    labels_format: Literal["auto", "csv", "json", "parquet"] = Field(
        "auto", description="auto goes by the ending of the name; without one it is parquet."
    )
    label_columns: Names = Field(
        (), description="Names of these columns, if others: three of pairs or two of clusters, as id,cluster."
    )
    synthetic: bool = Field(
        False, description="Without labels: edit a sample of the documents, and see which edits are found."
    )
    synthetic_sample: int = Field(1000, ge=2, le=100_000, description="Documents that are edited.")
    corpus_size: int | None = Field(
        None,
        ge=2,
        description="Documents of the whole corpus, for the cost of the join and the false pairs; unset: of the input.",
    )

    @field_validator("label_columns")
    @classmethod
    def _two_or_three(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(value) not in {0, 2, 3} or len(set(value)) != len(value):
            raise ValueError(f"takes three names of pairs or two of clusters, all different, got {','.join(value)}")
        return value

    @model_validator(mode="after")
    def _one_way(self) -> LabelSettings:
        if (self.labels is None) != self.synthetic:
            given = "both" if self.synthetic else "neither"
            raise ValueError(f"give labels, or synthetic to do without; got {given}")
        return self


class SweepSettings(Section):
    """What is varied, each with each, and what is asked of the result; unset, the plain option holds."""

    sweep_views: Repeated = Field(
        (), description="Tokenizers of one choice of views, as char or jieba,jieba,char,char; repeatable."
    )
    sweep_weight: Names = Field((), description="Weights, as tf,log_tf.")
    sweep_calibration: Names = Field((), description="Calibrations, as none,sample.")
    sweep_verify: Names = Field((), description="Checks of texts, as none,cosine:0.9,jaccard:0.5.")
    target_precision: float = Field(
        0.99, gt=0, le=1, description="Precision of the groups that a recommended setting must reach."
    )
    resamples: int = Field(1000, ge=10, le=100_000, description="Samples that the intervals of 95 % are taken from.")
    seed: int = Field(0, ge=0, description="Of samples and edits: equal seeds give equal figures.")


class EvaluateSettings(
    PresetSettings,
    SweepSettings,
    LabelSettings,
    CheckSettings,
    SearchSettings,
    TextSettings,
    PlaceSettings,
    InputSettings,
    ProgressSettings,
):
    """All settings of the job that evaluates settings of the main job."""

    of_preset: ClassVar[frozenset[str]] = PresetSettings.of_preset - {"max_distance"}

    max_distance: int = Field(6, ge=0, le=8, description="Largest k; every k from 0 to it is evaluated.")

    @model_validator(mode="after")
    def _all_runs_are_possible(self) -> EvaluateSettings:
        list(self._runs())
        return self

    @property
    def runs(self) -> list[Settings]:
        """Settings of the main job at the largest k, one for each member of the sweep; those of a recipe together."""
        return list(self._runs())

    def _runs(self) -> Iterator[Settings]:
        views = [tuple(choice.split(",")) for choice in self.sweep_views] or [self.view_tokenizers]
        recipes = product(views, self.sweep_weight or (self.weight,), self.sweep_calibration or (self.calibration,))
        checks = self.sweep_verify or (self.verify or NO_CHECK,)
        for (tokenizers, weight, calibration), check in product(dict.fromkeys(recipes), dict.fromkeys(checks)):
            yield validated(
                Settings,
                self._shared()
                | {
                    "views": tuple(part.strip() for part in tokenizers),
                    "weight": weight,
                    "idf": self.idf if weight == "tf_idf" else None,
                    "calibration": calibration,
                    "verify": None if check == NO_CHECK else check,
                },
            )

    def _shared(self) -> dict[str, Any]:
        """The settings that the main job has, too; limits that are not given are its own to choose."""
        names = Settings.model_fields.keys() & type(self).model_fields.keys()
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}
