"""Options of the alarms: what is too large or too much."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class AlarmSettings(BaseModel):
    """When a run warns or fails because a group is too large or too much is removed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_group_size: int | None = Field(None, ge=1, description="Groups of more members are large.")
    on_large_group: Literal["warn", "fail"] = Field(
        "warn", description="warn: log large groups and list them in the report; fail: exit code 2, nothing is written."
    )
    source_column: str | None = Field(
        None, description="Column that says where a document is from: the report gives the share removed of each."
    )
    fail_if_removed_over: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Exit code 3, once all is written, if a larger share is removed: of all documents, or of a source "
        "with 100 or more.",
    )
