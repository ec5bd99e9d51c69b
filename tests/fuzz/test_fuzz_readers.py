"""Whatever stands in a file that a setting names, it is read, or refused by an error of our own."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_udf.config import FingerprintSettings, IdfSettings, Settings, TextSettings, validated
from simhash_udf.config_evaluation import EvaluateSettings
from simhash_udf.errors import InputError, SettingError
from simhash_udf.evaluation.labels import parse_clusters, parse_pairs
from simhash_udf.index import FingerprintIndex
from simhash_udf.kernel.recipe import Recipe
from simhash_udf.kernel.resources import parse_stop_words, parse_synonyms, parse_user_dict
from simhash_udf.runtime.options import load_settings
from simhash_udf.runtime.recipes import DEFAULT_IDF_KEY, make_recipe, read_idf, read_thresholds, thresholds_of
from simhash_udf.store.claim import acquire
from simhash_udf.store.manifest import parse_manifest
from tests.fuzz.examples import ANY_CHARACTER, BYTES, HAN, JSON, TEXT, tried

MODELS = (Settings, FingerprintSettings, IdfSettings, EvaluateSettings)


@contextmanager
def refused_or_read() -> Iterator[None]:
    """Let errors of our own pass; any other fails the test."""
    with suppress(SettingError, InputError):
        yield


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "file"


# --- settings ----------------------------------------------------------------------------------------------------

KEYS = st.sampled_from(sorted({name for model in MODELS for name in model.model_fields}))
WORDS = st.sampled_from(
    ["none", "auto", "true", "3", "-1", "1e400", "nan", "jieba", "cosine:x", "max:", "[", '["a"', "[1]"]
)
VALUES = WORDS | st.text(ANY_CHARACTER, max_size=8) | st.integers() | st.floats() | st.booleans()
TOML = st.recursive(
    VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=2), max_leaves=4
)


def as_toml(values: dict[str, Any]) -> str:
    def shown(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key} = {shown(inner)}" for key, inner in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(shown, value)) + "]"
        if isinstance(value, float):
            return str(value)
        return json.dumps(value)

    return "\n".join(f"{key} = {shown(value)}" for key, value in values.items())


DEEP = st.tuples(st.sampled_from([b"[", b'{"a":', b"input=["]), st.integers(1, 10**5)).map(
    lambda made: made[0] + made[0][-1:] * made[1]
)
"""Nested deeper than any reader goes."""


@tried(2)
@given(st.sampled_from(MODELS), st.dictionaries(KEYS, TOML, max_size=4))
def test_settings_of_any_type_are_taken_or_refused(model: type, values: dict[str, Any]) -> None:
    with refused_or_read():
        validated(model, values)


@tried(2)
@given(st.sampled_from(MODELS), st.dictionaries(KEYS, TOML, max_size=3).map(as_toml).map(str.encode) | BYTES | DEEP)
def test_a_settings_file_is_read_or_refused(place: Path, model: type, content: bytes) -> None:
    place.write_bytes(content)
    with refused_or_read():
        load_settings(model, "fuzz", ["--config", str(place)], {})


@tried(2)
@given(st.sampled_from(MODELS), st.lists(st.tuples(KEYS, VALUES.map(str)), max_size=4), st.booleans())
def test_a_command_line_and_an_environment_are_read_or_refused(
    model: type, pairs: list[tuple[str, str]], from_environment: bool
) -> None:
    arguments = [word for name, value in pairs for word in ("--" + name.replace("_", "-"), value)]
    environment = {"SIMHASH_" + name.upper(): value for name, value in pairs}
    with refused_or_read():
        load_settings(model, "fuzz", *(([], environment) if from_environment else (arguments, {})))


@tried()
@given(st.sampled_from(["config", "user_dict", "stop_words", "synonyms", "idf", "calibration"]), st.text(ANY_CHARACTER))
def test_a_path_of_any_characters_is_read_or_refused(option: str, path: str) -> None:
    with refused_or_read():
        if option == "config":
            load_settings(Settings, "fuzz", ["--config", path], {})
        weight = {"weight": "tf_idf"} if option == "idf" else {}
        make_recipe(validated(TextSettings, {option: path, **weight} if option != "config" else {}))


# --- word lists --------------------------------------------------------------------------------------------------

FIELDS = st.sampled_from(
    ["10", "0", "1.5", "n", "NZ", "=>", ",", "，", "#", "\t", " ", "\ufeff", "99999999999999999999"]
)
LINES = st.lists(st.lists(st.text(HAN, max_size=4) | FIELDS | TEXT, max_size=5).map(" ".join), max_size=6).map(
    "\n".join
)


@tried(2)
@pytest.mark.parametrize("parse", [parse_user_dict, parse_stop_words, parse_synonyms])
@given(text=LINES)
def test_a_word_list_is_read_or_refused(parse: Callable[..., Any], text: str) -> None:
    with refused_or_read():
        parse(text.encode("utf-8", "replace").decode("utf-8"), name="list.txt")  # a file holds whole characters


@tried()
@pytest.mark.parametrize("option", ["user_dict", "stop_words", "synonyms"])
@given(content=BYTES | LINES.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_a_file_of_words_makes_a_recipe_or_is_refused(place: Path, option: str, content: bytes) -> None:
    place.write_bytes(content)
    with refused_or_read():
        make_recipe(validated(TextSettings, {option: str(place)})).digest()


# --- tables ------------------------------------------------------------------------------------------------------

COLUMN = (
    st.lists(st.none() | st.text(max_size=5), max_size=6).map(lambda values: pa.array(values, pa.string()))
    | st.lists(st.none() | st.floats(), max_size=6).map(lambda values: pa.array(values, pa.float64()))
    | st.lists(st.none() | st.integers(-5, 5), max_size=6).map(lambda values: pa.array(values, pa.int64()))
    | st.lists(st.none() | st.binary(max_size=3), max_size=6).map(lambda values: pa.array(values, pa.binary()))
    | st.lists(st.lists(st.floats(), max_size=2), max_size=6).map(
        lambda values: pa.array(values, pa.list_(pa.float64()))
    )
)


@st.composite
def idf_files(draw: Any) -> bytes:
    terms, values = draw(COLUMN), draw(COLUMN)
    rows = min(len(terms), len(values))
    names = draw(st.sampled_from([("term", "idf"), ("term", "IDF"), ("idf", "term")]))
    table = pa.table([terms[:rows], values[:rows]], names=list(names))
    default = draw(st.none() | st.binary(max_size=4) | st.floats().map(lambda value: str(value).encode()))
    if default is not None:
        table = table.replace_schema_metadata({DEFAULT_IDF_KEY: default})
    sink = io.BytesIO()
    pq.write_table(table, sink)
    content = sink.getvalue()
    at, size = draw(st.integers(0, len(content))), draw(st.integers(0, 4))
    return content if draw(st.booleans()) else content[:at] + draw(st.binary(max_size=4)) + content[at + size :]


@tried()
@given(idf_files() | BYTES)
def test_a_table_of_idf_is_read_or_refused(place: Path, content: bytes) -> None:
    place.write_bytes(content)
    with refused_or_read():
        found = read_idf(str(place))
        assert all(isinstance(term, str) for term in found.terms)
        assert all(math.isfinite(value) for value in (*found.values, found.default))


LEARNED = {"recipe": thresholds_of(Recipe())["recipe"]}
ROWS = st.lists(JSON | st.lists(JSON | st.floats(), min_size=64, max_size=64), max_size=2) | JSON
THRESHOLDS = ROWS.map(lambda rows: LEARNED | {"thresholds": rows}) | st.fixed_dictionaries({"recipe": JSON}) | JSON


@tried(2)
@given(THRESHOLDS.map(json.dumps).map(str.encode) | BYTES | st.integers(1, 10**5).map(lambda n: b"[" * n))
def test_a_file_of_thresholds_is_read_or_refused(place: Path, content: bytes) -> None:
    place.write_bytes(content)
    with refused_or_read():
        recipe = read_thresholds(str(place), Recipe())
        assert all(math.isfinite(value) for row in recipe.thresholds or () for value in row)
        recipe.digest()


LABEL = st.none() | st.sampled_from(["1", "0", "yes", "", "-1", "perhaps", "a", "b", "c"]) | st.text(max_size=3)


@tried(2)
@given(st.lists(st.tuples(LABEL, LABEL, LABEL), max_size=8))
def test_labels_are_read_or_refused(rows: list[tuple[str | None, ...]]) -> None:
    columns = [pa.array([row[at] for row in rows], pa.string()) for at in range(3)]
    for parse, width in ((parse_pairs, 3), (parse_clusters, 2)):
        with refused_or_read():
            labels = parse(pa.table(columns[:width], names=list("abc")[:width]), "labels").check("labels")
            assert labels.counts["label_rows"] == len(rows)


# --- manifests ---------------------------------------------------------------------------------------------------


@tried(2)
@given(JSON.map(json.dumps).map(str.encode) | BYTES | st.integers(1, 10**5).map(lambda n: b'{"a":' * n))
def test_a_manifest_of_a_store_is_read_or_refused(content: bytes) -> None:
    with refused_or_read():
        parse_manifest(content, "00000001.json")


@tried()
@given(JSON.map(json.dumps).map(str.encode) | BYTES | st.integers(1, 10**5).map(lambda n: b"[" * n))
def test_a_manifest_of_an_index_is_read_or_refused(place: Path, content: bytes) -> None:
    directory = place.parent / "index"
    directory.mkdir(exist_ok=True)
    (directory / "manifest.json").write_bytes(content)
    with refused_or_read():
        FingerprintIndex.open(str(directory))


@tried(0.5)
@given(JSON.map(json.dumps).map(str.encode) | BYTES)
def test_a_claim_of_a_store_is_waited_for_or_taken(place: Path, content: bytes) -> None:
    store = place.parent / "store"
    (store / "claims").mkdir(parents=True, exist_ok=True)
    (store / "claims" / "00000001.json").write_bytes(content)
    with refused_or_read():
        acquire(str(store), "fuzz", wait_s=0).release()
