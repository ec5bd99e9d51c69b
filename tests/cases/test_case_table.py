"""The table of faults: every line has tests that exist, and every published case has a line and its right values."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from simhash_udf.kernel.normalize import normalize
from simhash_udf.kernel.recipe import Normalization, Recipe
from simhash_udf.kernel.tokenize import build_tokenizer
from simhash_udf.kernel.values import simhash_value
from tests.cases.table import CASES, Case

TESTS = Path(__file__).resolve().parent.parent
PLAIN = Recipe(normalization=Normalization(keep_punctuation=True))


@cache
def names_in(file: str) -> frozenset[str]:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.number)
def test_every_kind_of_fault_has_tests_that_exist(case: Case) -> None:
    assert case.tests
    assert [test for test in case.tests if test.split("::")[1] not in names_in(test.split("::")[0])] == []


def test_no_case_comes_twice() -> None:
    assert len({case.number for case in CASES}) == len({case.kind for case in CASES}) == len(CASES)


@pytest.fixture(scope="module")
def published(shared_data: Path) -> list[dict[str, Any]]:
    lines = (shared_data.parent / "cases" / "cases_public.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.shared
def test_every_published_case_has_a_line(published: list[dict[str, Any]]) -> None:
    assert {case["id"] for case in published} - {case.number for case in CASES} == set()


TOKENS_OF = {"C03": "tokens", "C06": "values", "D05": "tokens", "D07": "tokens", "E05": "tokens", "B03": "tokens"}
"""Cases that state the tokens of texts, and under which name."""


def texts_and_tokens(case: dict[str, Any]) -> list[tuple[str, list[str]]]:
    given, expected = case["input"], case["expected"][TOKENS_OF[case["id"]]]
    if case["id"] == "C06":
        return [(pair[side], pair[f"tokens_{side}"]) for pair in expected for side in "ab"]
    if case["id"] == "E05":
        return [(given["text"], expected)]
    texts = {row["id"]: row["text"] for row in given.get("docs", given.get("rows", ()))}
    return [(texts.get(key, key), tokens) for key, tokens in expected.items()]


def folded(tokens: list[str]) -> list[str]:
    return [normalize(pa.array([token]), PLAIN.normalization)[0].as_py() for token in tokens]


@pytest.mark.shared
@pytest.mark.parametrize("number", TOKENS_OF)
def test_tokens_are_the_published_ones_with_width_and_case_folded(published: list[dict[str, Any]], number: str) -> None:
    """The job folds width and case first, which the published values do not; a comma becomes its half-width form."""
    (case,) = (case for case in published if case["id"] == number)
    cut = build_tokenizer(PLAIN.views[0], PLAIN)
    for text, tokens in texts_and_tokens(case):
        (normal,) = normalize(pa.array([text]), PLAIN.normalization).to_pylist()
        assert cut(normal) == folded(tokens)


@pytest.mark.shared
@pytest.mark.parametrize("number", ["B03", "C03", "C06", "D07", "E05"])
def test_published_tokens_make_the_published_bits(published: list[dict[str, Any]], number: str) -> None:
    (case,) = (case for case in published if case["id"] == number)
    found = {simhash_value(tokens) for _, tokens in texts_and_tokens(case)}
    stated = case["expected"].get("fingerprint")
    values = [value for row in case["expected"].get("values", ()) for value in row["fingerprint_jieba"]]
    if stated is not None:
        values += [stated] if "u64" in stated else [value for value in stated.values() if value]
    assert found
    assert found <= {int(value["u64"]) for value in values}


@pytest.mark.shared
def test_published_weights_distances_and_ties_come_out(published: list[dict[str, Any]]) -> None:
    cases = {case["id"]: case for case in published}
    heavy, tie, order = cases["A01"], cases["A05"], cases["A07"]
    assert simhash_value([tuple(f) for f in heavy["input"]["features"]]) == value_of(heavy, "fingerprint_features")
    word, times = re.fullmatch(r"'(.)' \* (\d+)", heavy["input"]["text_char4"]["generate"]).groups()
    assert simhash_value(word * int(times)) == value_of(heavy, "fingerprint_text_char4")
    assert simhash_value([tuple(f) for f in tie["input"]["features"]]) == value_of(tie, "fingerprint")
    exact = order["expected"]["float"]["exact_value_weights_x10"]["u64"]
    assert simhash_value(list(order["input"]["float_weights"].items())) == int(exact)
    assert simhash_value(order["input"]["unigram_a"]) == simhash_value(order["input"]["unigram_b"])


def value_of(case: dict[str, Any], name: str) -> int:
    return int(case["expected"][name]["u64"])
