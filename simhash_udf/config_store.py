"""Options of the store: where it is, which run this is, and how long to wait for another one."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

_NOT_WITH_STORE: dict[str, tuple[Any, str]] = {
    "verify": (None, "none"),
    "grouping": ("component", "component"),
    "write_pairs": (False, "false"),
}
"""Options of the main job that a store cannot serve, with the value that is meant and how it is written: a store keeps
neither texts nor edges."""


class StoreSettings(BaseModel):
    """The incremental store: each run's documents against all that came before."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    store: str | None = Field(None, description="Directory of the store; the first run makes it. Needs run_id.")
    run_id: str | None = Field(
        None,
        min_length=1,
        description="Name of the run in the store, such as its date. The same run again changes nothing.",
    )
    replace_run: bool = Field(False, description="Replace the run of this name, if it was the last one.")
    claim_wait: int = Field(300, ge=0, description="Seconds to wait for another run that is at work in the store.")

    @model_validator(mode="after")
    def _store_has_runs(self) -> StoreSettings:
        if self.store is not None and self.run_id is None:
            raise ValueError(f"store={self.store} needs run_id, such as the date of the batch")
        if self.store is None and (self.run_id is not None or self.replace_run):
            raise ValueError("run_id and replace_run name a run of a store; give store too, or leave them out")
        return self

    @model_validator(mode="after")
    def _store_can_serve(self) -> StoreSettings:
        for name, (meant, written) in _NOT_WITH_STORE.items():
            given = getattr(self, name, meant)
            if self.store is not None and given != meant:
                raise ValueError(
                    f"{name}={given} does not go with store, which keeps fingerprints alone; set {name} to {written}"
                )
        return self
