"""Options of what a person sees of a run: its progress, and the page about its results."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class ProgressSettings(BaseModel):
    """What is shown while a job runs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    progress: Literal["auto", "bar", "log", "off"] = Field(
        "auto",
        description="log: a line when a stage begins and one when it ends. bar: also a bar with tasks, rows and time "
        "left. auto: bar in a terminal, else log. off: neither.",
    )


class ReportSettings(BaseModel):
    """What stands on the page report.html."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    report_samples: int = Field(
        20, ge=0, le=200, description="Groups whose texts are read once more and stand side by side in report.html."
    )
    report_no_text: bool = Field(False, description="report.html has no texts, for private data; ids are there.")
