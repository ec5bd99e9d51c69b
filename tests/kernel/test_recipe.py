"""A recipe says in one digest everything that determines a fingerprint."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from dataclasses import fields, replace
from importlib.metadata import PackageNotFoundError, version

import pytest

from simhash_udf.errors import SettingError
from simhash_udf.kernel import recipe as recipe_module
from simhash_udf.kernel.recipe import MAX_FREQUENCY, DictEntry, Idf, Normalization, Recipe, View

RICH = Recipe(
    normalization=Normalization(keep_punctuation=True, fold_digits=True),
    views=(View("jieba+char"), View("jieba_full", bits=1)),
    engine="jieba",
    ngram=(1, 2),
    weight="tf_idf",
    top_k=50,
    stop_words=frozenset({"的", "了", "the"}),
    user_dict=(DictEntry("灵犀指纹库", 1000, "n"), DictEntry("云计算")),
    synonyms=(("电脑", "计算机"), ("wifi", "无线网络")),
    min_token_length=2,
    idf=Idf(("数据", "清洗"), (1.5, 2.25), 8.0),
    max_chars=100_000,
    min_features=3,
    thresholds=((0.25,) * 64, (-0.125,) * 64),
)
OTHER_VALUES: dict[str, object] = {
    "normalization": Normalization(),
    "views": (View("jieba+char"), View("jieba_full", bits=2)),
    "engine": "rjieba",
    "ngram": (1, 3),
    "weight": "log_tf",
    "top_k": None,
    "stop_words": frozenset({"的", "了"}),
    "user_dict": (DictEntry("灵犀指纹库", 1001, "n"), DictEntry("云计算")),
    "synonyms": (("电脑", "计算机"), ("wifi", "网络")),
    "min_token_length": 1,
    "idf": Idf(("数据", "清洗"), (1.5, 2.25), 8.5),
    "max_chars": None,
    "min_features": 1,
    "thresholds": ((0.25,) * 64, (-0.125,) * 63 + (0.5,)),
}


@pytest.mark.parametrize("name", [each.name for each in fields(Recipe)])
def test_every_field_changes_the_digest_and_shows_in_the_specification(name: str) -> None:
    changed = replace(RICH, **{name: OTHER_VALUES[name]})  # type: ignore[arg-type]
    assert changed.digest() != RICH.digest()
    before, after = RICH.specification(), changed.specification()
    assert name in {key for key in before if before[key] != after[key]}


def test_the_specification_is_json_and_short_whatever_the_lists() -> None:
    long = replace(RICH, stop_words=frozenset(map(str, range(50_000))))
    written = json.dumps(long.specification())
    assert json.loads(written) == long.specification()
    assert len(written) < 3_000
    assert json.loads(written)["stop_words"]["count"] == 50_000


def test_the_order_of_sets_does_not_count_and_that_of_dictionary_entries_does() -> None:
    assert replace(RICH, stop_words=frozenset(["the", "了", "的"])).digest() == RICH.digest()
    assert replace(RICH, synonyms=RICH.synonyms[::-1]).digest() == RICH.digest()
    assert replace(RICH, user_dict=RICH.user_dict[::-1]).digest() != RICH.digest()


@pytest.mark.parametrize("hash_seed", ["0", "1", "4242"])
def test_another_process_finds_the_same_digest(hash_seed: str) -> None:
    code = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read()).digest())"
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    fresh = pickle.dumps(RICH)
    done = subprocess.run([sys.executable, "-c", code], input=fresh, env=environment, capture_output=True, check=True)
    assert done.stdout.decode().strip() == RICH.digest()


def test_a_recipe_survives_the_closure_it_travels_in() -> None:
    RICH.digest()
    copy = pickle.loads(pickle.dumps(RICH))
    assert copy == RICH
    assert copy.specification() == RICH.specification()


@pytest.mark.parametrize(
    ("recipe", "packages"),
    [
        (Recipe(), {"rjieba"}),
        (Recipe(engine="jieba"), {"jieba"}),
        (Recipe(views=(View("char"), View("word"))), set()),
        (Recipe(views=(View("char"), View("word+jieba_search"))), {"rjieba"}),
        (Recipe(user_dict=(DictEntry("灵犀"),)), {"jieba", "rjieba"}),
        (Recipe(views=(View("word"),), weight="tf_idf"), {"jieba"}),
        (Recipe(views=(View("word"),), weight="tf_idf", idf=Idf((), (), 1.0)), set()),
        (
            Recipe(Normalization(to_simplified=True), views=(View("char"),)),
            {"opencc-python-reimplemented"},
        ),
    ],
)
def test_only_packages_that_can_change_the_features_are_named_with_their_versions(
    recipe: Recipe, packages: set[str]
) -> None:
    assert recipe.specification()["packages"] == {name: version(name) for name in packages}


def test_another_version_of_the_engine_is_another_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Recipe().digest()
    monkeypatch.setattr(recipe_module, "version", lambda package: "9.9")
    assert Recipe().digest() != before


def test_a_missing_package_is_no_error_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr(recipe_module, "version", missing)
    assert Recipe().specification()["packages"] == {"rjieba": None}


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: View("jeiba"), "jeiba"),
        (lambda: View("jieba+"), "''"),
        (lambda: View("jieba+jieba"), "twice"),
        (lambda: View("pypi+char"), "raw text"),
        (lambda: View(bits=4), "0 to 3"),
        (lambda: View(bits=-1), "0 to 3"),
        (lambda: Recipe(engine="cppjieba"), "rjieba, jieba"),
        (lambda: Recipe(weight="bm25"), "log_tf"),
        (lambda: Recipe(views=()), "at least one"),
        (lambda: Recipe(ngram=()), "ngram=()"),
        (lambda: Recipe(ngram=(0,)), "1 or more"),
        (lambda: Recipe(ngram=(2, 2)), "different"),
        (lambda: Recipe(top_k=0), "top_k=0"),
        (lambda: Recipe(max_chars=0), "max_chars=0"),
        (lambda: Recipe(min_features=0), "min_features=0"),
        (lambda: Recipe(min_token_length=0), "min_token_length=0"),
        (lambda: Recipe(thresholds=((0.0,) * 63,)), "64"),
        (lambda: Recipe(views=(View(), View("char")), thresholds=((0.0,) * 64,)), "2 views"),
        (lambda: Recipe(views=(View("pypi"),), ngram=(2,)), "leave them out"),
        (lambda: Recipe(views=(View("pypi"),), stop_words=frozenset({"a"})), "leave them out"),
        (lambda: Idf(("a",), (), 1.0), "one value a term"),
        (lambda: Idf(("a",), (float("nan"),), 1.0), "nan"),
        (lambda: DictEntry(""), "empty"),
        (lambda: DictEntry("a b"), "blank"),
        (lambda: DictEntry("a", -1), "-1"),
        (lambda: DictEntry("a", MAX_FREQUENCY + 1), str(MAX_FREQUENCY)),
    ],
)
def test_wrong_values_are_refused_with_what_is_allowed(make: object, named: str) -> None:
    with pytest.raises(SettingError, match=named.replace("(", r"\(").replace(")", r"\)")):
        make()  # type: ignore[operator]
