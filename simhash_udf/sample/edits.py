"""What happens to a text that is published again: another form, a few other words, or a thorough rewriting."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from simhash_udf.sample.article import Article, cut_paragraphs
from simhash_udf.sample.grammar import Draft, compile_template
from simhash_udf.sample.topics import shared_words

SYNONYMS: tuple[tuple[str, str], ...] = (
    ("表示", "指出"),
    ("目前", "眼下"),
    ("预计", "估计"),
    ("计划", "打算"),
    ("大约", "差不多"),
    ("已经", "早已"),
    ("许多", "很多"),
    ("需要", "得"),
    ("以后", "之后"),
    ("因为", "由于"),
    ("但是", "不过"),
    ("认为", "觉得"),
    ("开始", "着手"),
    ("建议", "提议"),
    ("减少", "降低"),
    ("增加", "提高"),
    ("提醒", "提示"),
    ("过去", "以往"),
    ("如果", "要是"),
    ("可以", "能够"),
    ("全部", "统统"),
    ("最后", "最终"),
    ("每天", "天天"),
    ("统一", "一律"),
    ("发现", "看到"),
)
FILLERS: tuple[str, ...] = ("其实", "据了解，", "应当说，", "总的来看，", "众所周知，", "换句话说，")
TAILS = tuple(
    compile_template(line)
    for line in ("（本文转自网络，版权归原作者）", "责任编辑：{person}", "来源：{city}日报", "更多内容请关注我们")
)
FORM_CHANGES = str.maketrans({"，": ", ", "。": ". ", "：": ": ", "；": "; ", "“": '"', "”": '"', "！": "!", "？": "?"})
FULL_WIDTH = str.maketrans({chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)})  # U+0021 → U+FF01, and so on


def change_form(rng: Random, text: str) -> str:
    """Return the same words in another form: punctuation, width, letter case and spacing differ.

    Normalisation (NFKC, lower case, punctuation to one space) takes both forms to the same text.
    """
    changed = rng.choice((str.upper, str.lower, str))(text).translate(FORM_CHANGES)
    if rng.random() < 0.5:
        changed = re.sub(r"[A-Za-z0-9]+", lambda run: run[0].translate(FULL_WIDTH), changed)
    gap = rng.choice(("\n", "\n\n", " \n　　"))
    return rng.choice(("", "　　", "【")) + changed.replace("\n", gap) + rng.choice((" ", "！！", "……", "\n"))


def edit_lightly(rng: Random, text: str) -> str:
    """Return the text with two to four small changes: a word, a number, a slip of the pen, a filler, a last line."""
    edits = (_swap_synonym, _change_number, _drop_character, _insert_filler, _append_tail)
    edited = text
    for edit in rng.sample(edits, rng.randint(2, 4)):
        edited = edit(rng, edited)
    return edited if edited != text else _drop_character(rng, text)


def edit_heavily(rng: Random, article: Article, draft: Draft) -> Article:
    """Return the article as an editor leaves it: a tenth dropped, a tenth written anew, some moved, another title."""
    sentences = [sentence for sentence in article.sentences if rng.random() > 0.1]
    for at in range(len(sentences)):
        chance = rng.random()
        if chance < 0.1:
            sentences[at] = draft.fill(rng.choice(article.topic.body))
        elif chance < 0.4:
            sentences[at] = _swap_synonym(rng, sentences[at])
    for _ in range(len(sentences) // 6):
        sentences.insert(rng.randrange(len(sentences)), sentences.pop(rng.randrange(len(sentences))))
    title = draft.fill(rng.choice(article.topic.titles))
    return replace(article, title=title, sentences=tuple(sentences), paragraph_ends=cut_paragraphs(rng, len(sentences)))


def _swap_synonym(rng: Random, text: str) -> str:
    pairs = [pair for pair in SYNONYMS if pair[0] in text]
    return text.replace(*rng.choice(pairs), 1) if pairs else text


def _change_number(rng: Random, text: str) -> str:
    digits = [match.start() for match in re.finditer(r"[1-9]", text)]
    if not digits:
        return text
    at = rng.choice(digits)
    return text[:at] + str(int(text[at]) % 9 + 1) + text[at + 1 :]  # another digit, never 0 and never the same


def _drop_character(rng: Random, text: str) -> str:
    letters = [at for at, character in enumerate(text) if character.isalpha()]
    at = rng.choice(letters)
    return text[:at] + text[at + 1 :]


def _insert_filler(rng: Random, text: str) -> str:
    starts = [match.end() for match in re.finditer("。(?=.)", text)] or [0]  # not at the end of a line
    at = rng.choice(starts)
    return text[:at] + rng.choice(FILLERS) + text[at:]


def _append_tail(rng: Random, text: str) -> str:
    return f"{text}\n{Draft(rng, shared_words()).fill(rng.choice(TAILS))}"
