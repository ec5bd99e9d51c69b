"""The written reference of options says what the code does."""

from __future__ import annotations

from pathlib import Path

from simhash_udf.config import Settings
from simhash_udf.runtime.options import load_settings
from simhash_udf.runtime.reference import options_markdown, options_toml

ROOT = Path(__file__).resolve().parents[2]


def test_the_settings_file_is_made_from_the_code() -> None:
    assert (ROOT / "conf" / "dedup.toml").read_text("utf-8") == options_toml()


def test_the_reference_page_is_made_from_the_code() -> None:
    assert (ROOT / "docs" / "options.md").read_text("utf-8") == options_markdown()


def test_the_settings_file_holds_the_defaults() -> None:
    arguments = ["--config", str(ROOT / "conf" / "dedup.toml")]
    assert load_settings(Settings, "test", arguments, {}) == Settings()
