"""Settings from the command line, the environment and a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from simhash_udf.config import Settings
from simhash_udf.errors import SettingError
from simhash_udf.runtime.options import build_parser, load_settings


def load(*arguments: str, **environment: str) -> Settings:
    settings = load_settings(Settings, "test", list(arguments), environment)
    assert isinstance(settings, Settings)
    return settings


def test_every_setting_has_an_option() -> None:
    flags = {flag for action in build_parser(Settings, "test")._actions for flag in action.option_strings}
    assert {"--" + name.replace("_", "-") for name in Settings.model_fields} <= flags


def test_command_line_wins_over_environment_and_environment_over_file(tmp_path: Path) -> None:
    config = tmp_path / "job.toml"
    config.write_text('max_distance = 1\nnum_blocks = 7\ntokenizer = "char"\n', encoding="utf-8")
    settings = load("--config", str(config), "--max-distance", "3", SIMHASH_MAX_DISTANCE="2", SIMHASH_NUM_BLOCKS="8")
    assert (settings.max_distance, settings.num_blocks, settings.tokenizer) == (3, 8, "char")


def test_the_environment_can_name_the_file(tmp_path: Path) -> None:
    config = tmp_path / "job.toml"
    config.write_text("max_distance = 1\n", encoding="utf-8")
    assert load(SIMHASH_CONFIG=str(config)).max_distance == 1


def test_lists_are_repeated_or_split_at_commas() -> None:
    settings = load("--input", "a,b", "--input", "c", "--views", "jieba,char", "--ngram", "1,2", "--keep", "longest")
    assert (settings.input, settings.views, settings.ngram) == (("a,b", "c"), ("jieba", "char"), (1, 2))
    assert load(SIMHASH_INPUT="a,b").input == ("a,b",)
    assert load(SIMHASH_INPUT='["a", "b"]').input == ("a", "b")


def test_switches_have_both_forms() -> None:
    assert load("--overwrite").overwrite
    assert not load("--no-overwrite", SIMHASH_OVERWRITE="true").overwrite
    assert load().resume
    assert not load("--no-resume").resume


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--max-distance", "9"], "max_distance: Input should be less than or equal to 8, got '9'"),
        (["--max-distance", "3", "--num-blocks", "3"], "max_distance=3 needs num_blocks >= 4, got 3"),
        (["--tokenizer", "jeiba"], "tokenizer: takes jieba, "),
        (["--views", "jieba,jieba,char,char,char"], "views: takes 1 to 4 tokenizers, got 5"),
        (["--keep", "newest"], "keep: takes first, last, "),
        (["--keep", "min:"], "keep: takes first, last, "),
        (["--mode", "drop"], "mode: Input should be 'groups', 'annotate' or 'filter', got 'drop'"),
        (["--idf", "idf.parquet"], "idf=idf.parquet needs weight=tf_idf"),
        (["--max-distnace", "3"], "unrecognized arguments: --max-distnace 3"),
        (["--ngram", "0"], "ngram: takes different sizes from 1 to 32"),
        (["--config", "missing.toml"], "config missing.toml cannot be read"),
    ],
)
def test_a_wrong_option_is_refused_in_one_sentence(arguments: list[str], message: str) -> None:
    with pytest.raises(SettingError) as refused:
        load(*arguments)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_unknown_variable_is_refused() -> None:
    with pytest.raises(SettingError, match="SIMHASH_MAX_DISTNACE names no setting"):
        load(SIMHASH_MAX_DISTNACE="3")


def test_an_unknown_key_of_the_file_is_refused(tmp_path: Path) -> None:
    config = tmp_path / "job.toml"
    config.write_text("max_distnace = 1\n", encoding="utf-8")
    with pytest.raises(SettingError, match="there is no setting 'max_distnace'"):
        load("--config", str(config))
