"""rjieba with our corrections against jieba itself, on real documents.

Tokens must be equal, except where two readings of a run of unknown words are as likely as each other to six digits:
rjieba adds up likelihoods in single precision. Such runs are met once in a hundred megabytes, and the test proves each
to be one.

By default the small cuts and 25 documents of every corpus (fixed seed); ``SIMHASH_PARITY=all`` compares every document.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from jieba.finalseg import emit_P, start_P, trans_P

from simhash_udf.kernel.jieba_dictionary import load_dictionary
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
HAN = re.compile("[\u4e00-\u9fd5]")
SAME_LIKELIHOOD = 2e-5  # of logarithms near -20 to -100, which single precision gives to about 5e-6

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


def _differing_pieces(texts: list[str], mode: str, ours: Tokenizer, reference: Tokenizer) -> list[str]:
    differing = [text for text in texts if ours(text) != reference(text)]
    pieces = {piece for text in differing for piece in text.split(" ") if ours(piece) != reference(piece)}
    assert bool(differing) == bool(pieces)
    assert mode != "jieba_full" or not pieces, f"{len(pieces)} pieces differ, {min(pieces)[:200]!r} is one"
    return sorted(pieces)


def _likelihoods_differ_by(piece: str, first: list[str], second: list[str]) -> float:
    """How far apart jieba's model puts two readings of a piece, which must agree outside its runs of unknown words."""
    route = load_dictionary().cut(piece, HMM=False)
    unknown = "".join("1" if HAN.fullmatch(word) else "0" * len(word) for word in route)
    roles = [_roles(first), _roles(second)]
    gaps = []
    for run in re.finditer("1+|0+", unknown):
        part, one, other = (text[slice(*run.span())] for text in (piece, *roles))
        if one != other:
            assert run.group().startswith("1"), f"{one} is not {other} in {part!r}"
            gaps.append(abs(_likelihood(part, one) - _likelihood(part, other)))
    return max(gaps)


def _roles(words: list[str]) -> str:
    """B and E for the begin and the end of a word, M for what is within, S for a single character."""
    return "".join("S" if len(word) == 1 else "B" + "M" * (len(word) - 2) + "E" for word in words)


def _likelihood(run: str, roles: str) -> float:
    steps = sum(trans_P[before][after] for before, after in pairwise(roles))
    characters = sum(emit_P[role].get(character, -1e9) for role, character in zip(roles, run, strict=True))
    return float(start_P[roles[0]] + steps + characters)


@pytest.mark.parametrize("name", MINI + LARGE)
@pytest.mark.parametrize("keep_punctuation", [False, True], ids=["words", "punctuation"])
def test_both_engines_give_the_same_tokens_in_all_modes(
    name: str, keep_punctuation: bool, shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    normalization = Normalization(keep_punctuation=keep_punctuation)
    references = {mode: build_tokenizer(View(mode), Recipe(normalization, engine="jieba")) for mode in MODES}
    if EVERYTHING:
        references = {mode: _remembering(reference) for mode, reference in references.items()}
    ours = {mode: build_tokenizer(View(mode), Recipe(normalization)) for mode in MODES}
    compared, as_likely = 0, set[str]()
    everything = EVERYTHING or (name in MINI and not keep_punctuation)
    for raw in _texts(shared_data / f"{name}.parquet", everything=everything):
        texts = normalize(pa.array(raw), normalization).to_pylist()
        for mode, reference in references.items():
            for piece in _differing_pieces(texts, mode, ours[mode], reference):
                assert _likelihoods_differ_by(piece, ours["jieba"](piece), references["jieba"](piece)) < SAME_LIKELIHOOD
                as_likely.add(piece)
        compared += len(texts)
    with capsys.disabled():
        print(
            f"\n{name}: {compared} documents in {len(MODES)} modes, as likely either way: {sorted(as_likely)}", end=""
        )
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
