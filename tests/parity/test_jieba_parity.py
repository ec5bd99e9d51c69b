"""rjieba with our corrections against jieba itself, on real documents.

By default the small cuts and 25 documents of every corpus (fixed seed); ``SIMHASH_PARITY=all`` compares every document.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simhash_udf.kernel.normalize import normalize
from simhash_udf.kernel.recipe import DictEntry, Normalization, Recipe, View
from simhash_udf.kernel.tokenize import build_tokenizer

pytestmark = pytest.mark.shared

MODES = ("jieba", "jieba_full", "jieba_search")
MINI = (
    "mini/en_peps_revisions",
    "mini/zh_laws",
    "mini/zh_lctt_ccbysa",
    "mini/zh_leetcode_same",
    "mini/zh_poem_variants",
    "mini/zh_vsdocs_revisions",
)
LARGE = (
    "en_opensource_articles",
    "en_peps_revisions",
    "en_peps_revisions_grey",
    "zh_laws",
    "zh_lctt_ccbysa",
    "zh_lctt_ccbysa_grey",
    "zh_leetcode_same",
    "zh_pawsx_pairs",
    "zh_poem_variants",
    "zh_vsdocs_allversions",
    "zh_vsdocs_revisions",
    "zh_vsdocs_revisions_grey",
)
SAMPLE_DOCUMENTS = 25
EVERYTHING = os.environ.get("SIMHASH_PARITY") == "all"
MAX_REMEMBERED = 200_000

Tokenizer = Callable[[str], list[str]]


def _texts(path: Path, *, everything: bool) -> Iterator[list[str]]:
    """The texts of a corpus in batches, or a sample of them in one."""
    columns = [name for name in pq.read_schema(path).names if name.startswith("text")]
    if everything:
        for batch in pq.ParquetFile(path).iter_batches(2_000, columns=columns):
            yield [text for column in batch.columns for text in column.to_pylist() if text]
    else:
        texts = [text for column in pq.read_table(path, columns=columns).columns for text in column.to_pylist() if text]
        yield random.Random(20260101).sample(texts, min(SAMPLE_DOCUMENTS, len(texts)))


def _remembering(tokenize: Tokenizer) -> Tokenizer:
    """The same function, faster on corpora that repeat themselves: jieba segments between blanks independently."""
    known: dict[str, list[str]] = {}

    def tokens(text: str) -> list[str]:
        found: list[str] = []
        for piece in text.split(" "):
            if piece not in known:
                if len(known) >= MAX_REMEMBERED:
                    known.clear()
                known[piece] = tokenize(piece)
            found += known[piece]
        return found

    return tokens


def _differences(texts: list[str], normalization: Normalization, mode: str, reference: Tokenizer) -> list[str]:
    ours = build_tokenizer(View(mode), Recipe(normalization=normalization))
    return [text for text in texts if ours(text) != reference(text)]


@pytest.mark.parametrize("name", MINI + LARGE)
@pytest.mark.parametrize("keep_punctuation", [False, True], ids=["words", "punctuation"])
def test_both_engines_give_the_same_tokens_in_all_modes(
    name: str, keep_punctuation: bool, shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    normalization = Normalization(keep_punctuation=keep_punctuation)
    references = {mode: build_tokenizer(View(mode), Recipe(normalization, engine="jieba")) for mode in MODES}
    if EVERYTHING:
        references = {mode: _remembering(reference) for mode, reference in references.items()}
    compared = 0
    for raw in _texts(shared_data / f"{name}.parquet", everything=EVERYTHING or name in MINI):
        texts = normalize(pa.array(raw), normalization).to_pylist()
        for mode, reference in references.items():
            differing = _differences(texts, normalization, mode, reference)
            assert not differing, f"{mode}: {len(differing)} texts differ, the first begins {differing[0][:200]!r}"
        compared += len(texts)
    with capsys.disabled():
        print(f"\n{name}: {compared} documents equal in {len(MODES)} modes", end="")
    assert compared


def test_both_engines_give_the_same_tokens_with_a_user_dictionary(shared_data: Path) -> None:
    entries = (
        DictEntry("人民法院", 0),
        DictEntry("人民", 5),
        DictEntry("共和国刑法"),
        DictEntry("的规定"),
        DictEntry("ubuntu系统"),
        DictEntry("linux"),
        DictEntry("应当依法", 100_000),
        DictEntry("不得"),
    )
    for name in ("mini/zh_laws", "mini/zh_lctt_ccbysa"):
        (raw,) = _texts(shared_data / f"{name}.parquet", everything=False)
        texts = normalize(pa.array(raw), Normalization()).to_pylist()
        for mode in MODES:
            ours, reference = (
                build_tokenizer(View(mode), Recipe(engine=engine, user_dict=entries)) for engine in ("rjieba", "jieba")
            )
            assert [ours(text) for text in texts] == [reference(text) for text in texts]
