"""A preset sets what belongs together, and any option given beside it wins, from wherever it comes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from simhash_udf.config import FingerprintSettings, Settings, validated
from simhash_udf.config_presets import PRESET_KEYS, PRESETS
from simhash_udf.errors import SettingError
from simhash_udf.kernel.bands import build_bands
from simhash_udf.runtime.options import load_settings
from simhash_udf.runtime.recipes import make_recipe

OTHER: dict[str, tuple[str, Any]] = {
    "views": ("word,char", ("word", "char")),
    "weight": ("binary", "binary"),
    "max_distance": ("2", 2),
    "max_total_distance": ("7", 7),
    "verify": ("cosine:0.7", "cosine:0.7"),
}
"""Of each option that a preset sets, a value that none of them has: as it is written, and as it is read."""


def load(*arguments: str, **environment: str) -> Settings:
    settings = load_settings(Settings, "test", list(arguments), environment)
    assert isinstance(settings, Settings)
    return settings


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_alone_is_what_comes_out(name: str) -> None:
    effective = load("--preset", name).effective
    assert effective["preset"] == name
    assert effective["other_than_preset"] == []
    assert {key: effective[key] for key in PRESET_KEYS} == {key: getattr(PRESETS[name], key) for key in PRESET_KEYS}


@pytest.mark.parametrize("key", PRESET_KEYS)
@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("source", ["command line", "environment", "file"])
def test_an_option_beside_a_preset_wins_from_wherever_it_comes(
    tmp_path: Path, source: str, name: str, key: str
) -> None:
    written, value = OTHER[key]
    arguments, environment = ["--preset", name], {}
    if source == "command line":
        arguments += ["--" + key.replace("_", "-"), written]
    elif source == "environment":
        environment["SIMHASH_" + key.upper()] = written
    else:
        (tmp_path / "job.toml").write_text(f'{key} = "{written}"\n', encoding="utf-8")
        arguments += ["--config", str(tmp_path / "job.toml")]
    effective = load(*arguments, **environment).effective
    assert effective[key] == value
    assert key in effective["other_than_preset"]


def test_a_preset_of_the_file_or_of_the_environment_yields_too(tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text('preset = "thorough"\n', encoding="utf-8")
    settings = load("--config", str(tmp_path / "job.toml"), "--max-distance", "2")
    assert (settings.preset, settings.max_distance, settings.verify) == ("thorough", 2, "jaccard:0.5")
    settings = load("--weight", "tf", SIMHASH_PRESET="balanced")
    assert (settings.view_tokenizers, settings.weight) == (("jieba", "jieba"), "tf")


def test_the_settings_file_of_the_package_leaves_a_preset_as_it_is() -> None:
    place = Path(__file__).resolve().parent.parent / "conf" / "dedup.toml"
    for name in PRESETS:
        assert load("--config", str(place), "--preset", name).effective == load("--preset", name).effective


def test_a_tokenizer_takes_the_place_of_the_presets_in_all_views() -> None:
    assert load("--preset", "thorough", "--tokenizer", "word").views == ("word",) * 4
    assert load("--preset", "thorough", "--tokenizer", "word", "--views", "char").views == ("char",)


def test_the_second_look_of_a_preset_can_be_left_out() -> None:
    settings = load("--preset", "thorough", "--verify", "none")
    assert (settings.verify, settings.total_distance) == (None, 32)


@pytest.mark.parametrize("name", PRESETS)
def test_settings_of_a_report_read_back_are_the_same(name: str) -> None:
    settings = validated(Settings, {"preset": name, "max_distance": 3})
    assert validated(Settings, settings.model_dump(mode="json")) == settings


def test_fingerprints_made_ahead_are_those_of_the_preset() -> None:
    for name in PRESETS:
        ahead, job = (validated(model, {"preset": name}) for model in (FingerprintSettings, Settings))
        assert make_recipe(ahead) == make_recipe(job)


def test_no_preset_needs_more_than_60_bands() -> None:
    for preset in PRESETS.values():
        least_blocks = preset.max_distance + 2  # what the planner takes for 10^8 fingerprints
        assert len(build_bands(least_blocks, preset.max_distance, len(preset.views))) <= 60


@pytest.mark.parametrize("name", ["slow", "", "Fast"])
def test_an_unknown_preset_is_refused(name: str) -> None:
    with pytest.raises(SettingError, match="preset: Input should be 'fast', 'balanced' or 'thorough'"):
        load("--preset", name)


def test_a_preset_with_a_second_look_does_not_go_with_a_store() -> None:
    with pytest.raises(SettingError, match=r"verify=jaccard:0\.5 does not go with store, .*; set verify to none"):
        load("--preset", "thorough", "--store", "s", "--run-id", "1")
    assert load("--preset", "balanced", "--store", "s", "--run-id", "1").verify is None
