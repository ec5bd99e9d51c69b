"""The options of the evaluation, and the runs of the main job that they stand for."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from simhash_udf.config import CheckSettings, SearchSettings, Settings, TextSettings, validated
from simhash_udf.config_evaluation import EvaluateSettings
from simhash_udf.errors import SettingError
from simhash_udf.evaluate import options_of, run_evaluate
from simhash_udf.runtime.entry import EXIT_REFUSED, run_job
from simhash_udf.runtime.options import as_arguments, load_settings


def load(*arguments: str) -> EvaluateSettings:
    settings = load_settings(EvaluateSettings, "test", ["--labels", "x", *arguments], {})
    assert isinstance(settings, EvaluateSettings)
    return settings


def test_without_a_sweep_there_is_one_run_as_the_main_job_would_do_it() -> None:
    (run,) = load("--tokenizer", "char", "--weight", "log_tf", "--verify", "cosine", "--max-distance", "4").runs
    expected = {"tokenizer": "char", "weight": "log_tf", "verify": "cosine:0.9", "max_distance": 4}
    same = validated(Settings, expected)
    names = ("view_tokenizers", "weight", "verify", "max_distance", "total_distance", "calibration")
    assert [getattr(run, name) for name in names] == [getattr(same, name) for name in names]


def test_a_sweep_is_each_with_each_and_runs_of_one_recipe_stand_together() -> None:
    settings = load(
        "--sweep-views", "char", "--sweep-views", "jieba,jieba", "--sweep-weight", "tf,log_tf",
        "--sweep-calibration", "none,sample", "--sweep-verify", "none,jaccard:0.6",
    )  # fmt: skip
    runs = [(run.view_tokenizers, run.weight, run.calibration, run.verify) for run in settings.runs]
    assert len(runs) == len(set(runs)) == 16
    recipes = [run[:3] for run in runs]
    assert recipes[::2] == recipes[1::2]
    assert runs[:2] == [(("char",), "tf", "none", None), (("char",), "tf", "none", "jaccard:0.6")]


def test_what_is_named_twice_is_evaluated_once() -> None:
    assert len(load("--sweep-views", "char", "--sweep-views", "char", "--sweep-weight", "tf,tf").runs) == 1


def test_an_idf_table_is_for_its_weight_alone() -> None:
    runs = load("--weight", "tf_idf", "--idf", "t.parquet", "--sweep-weight", "tf,tf_idf").runs
    assert [run.idf for run in runs] == [None, "t.parquet"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sweep-views", "jeiba"], "views: takes jieba, "),
        (["--sweep-views", "jieba,jeiba"], "views: takes jieba, "),
        (["--sweep-weight", "tfidf"], "weight: Input should be 'tf'"),
        (["--sweep-verify", "none,cosinus"], "verify: takes none, cosine:LIMIT or jaccard:LIMIT, got 'cosinus'"),
        (["--max-distance", "9"], "max_distance: Input should be less than or equal to 8"),
        (["--label-columns", "a"], "label_columns: takes three names of pairs or two of clusters, all "),
        (["--target-precision", "99"], "target_precision: Input should be less than or equal to 1"),
        (["--synthetic"], "give labels, or synthetic to do without; got both"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_before_spark_starts(arguments: list[str], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        load(*arguments)


def test_neither_labels_nor_synthetic_is_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_job(EvaluateSettings, run_evaluate, description="test", arguments=["--input", "x"]) == EXIT_REFUSED
    assert "give labels, or synthetic to do without; got neither" in capsys.readouterr().err


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"views": ("jieba", "char"), "max_distance": 5, "verify": "jaccard:0.7", "verify_ngram": 2},
        {"tokenizer": "word", "ngram": (1, 2), "strip_html": True, "user_dict": "my words.txt", "weight": "binary"},
        {"calibration": "it's here.json", "max_total_distance": 9, "top_k": 20},
    ],
)
def test_options_read_back_are_the_same_settings(given: dict[str, Any]) -> None:
    settings = validated(Settings, given)
    names = [name for section in (TextSettings, SearchSettings, CheckSettings) for name in section.model_fields]
    arguments = as_arguments(settings, names, always=("max_distance",))
    assert load_settings(Settings, "test", shlex.split(" ".join(arguments)), {}) == settings
    assert "--max-distance" in arguments
    assert given or len(arguments) == 2


def test_repeated_options_and_switches_read_back_too() -> None:
    settings = validated(Settings, {"input": ("a b", "c"), "resume": False, "overwrite": True})
    arguments = as_arguments(settings, ["input", "resume", "overwrite", "output"])
    assert arguments == ["--input", "'a b'", "--input", "c", "--no-resume", "--overwrite"]


def test_a_row_of_the_table_has_its_options() -> None:
    sweep = ("--sweep-views", "jieba", "--sweep-views", "jieba,char", "--sweep-verify", "none,cosine:0.9")
    settings = load("--weight", "log_tf", "--max-distance", "6", *sweep)
    assert options_of(0, settings) == "--weight log_tf --views jieba --max-distance 0 --verify none"
    assert options_of(7 + 4, settings) == "--weight log_tf --views jieba --max-distance 4 --verify cosine:0.9"
    assert options_of(14 + 3, settings) == "--weight log_tf --views jieba,char --max-distance 3 --verify none"
