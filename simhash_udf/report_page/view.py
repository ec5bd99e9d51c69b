"""What stands on the page: the report's figures in the order and the words in which they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simhash_udf import schema
from simhash_udf.kernel.recipe import Normalization
from simhash_udf.pages.figures import show_name
from simhash_udf.report_page.charts import Chart, draw_chart, size_buckets, whole_buckets
from simhash_udf.report_page.differences import Piece, first_part, mark_differences
from simhash_udf.report_page.samples import Group, Member

MATCHES = {
    schema.SAME_TEXT: ("Same text", "Equal after normalisation: letter case, width and punctuation do not count."),
    schema.SAME_FINGERPRINT: ("Same fingerprint", "Other texts with the same fingerprints: few words differ."),
    schema.NEAR: ("Near", "The fingerprints differ in few bits."),
}
ANSWERS = {
    "new": ("kept", "New", "Without a duplicate, or the first of its group."),
    "duplicate": ("near", "Duplicate", "Repeats a document of the store or of this run."),
    "known": ("same-text", "Known", "Was in the store already, under the same id and with the same text."),
    "other_text": (
        "rejected",
        "Other text",
        "Has the id of a stored one, not its text. Set aside in rejected/.",
    ),
}
"""What a store says of a document, by its name in the report's counts."""
REJECTED = {
    "null_ids": ("No id", "Rows without an id."),
    "repeated_ids": ("Repeated id", "Rows whose id other rows have too."),
    "null_texts": ("No text", "Rows without a text."),
}
MOST_SETTINGS = 60
MOST_STAGES = 200
_LONGEST_SETTING = 300


@dataclass(frozen=True)
class Part:
    """A share of all documents: the class of its colour, its name, what it is, and how many documents."""

    kind: str
    name: str
    says: str
    documents: int


@dataclass(frozen=True)
class Stage:
    """A stage of the run: rows it gave (None for a step that only writes), seconds, and whether it was re-used."""

    name: str
    rows: int | None
    seconds: float
    is_reused: bool


@dataclass(frozen=True)
class Comparison:
    """A member beside the document that is kept: pieces of both texts, None where one of them was not read."""

    member: Member
    kept_pieces: Sequence[Piece] | None
    pieces: Sequence[Piece] | None


@dataclass(frozen=True)
class ShownGroup:
    """A group with its comparisons; ``kept`` is None where it is not one of the samples."""

    group: Group
    kept: Member | None
    comparisons: Sequence[Comparison]


def parts_of(report: Mapping[str, Any]) -> list[Part]:
    """Return what became of the documents: kept, removed by kind, set aside by reason."""
    counts = report["counts"]
    if "run" in report:
        parts = [Part(kind, name, says, counts[count]) for count, (kind, name, says) in ANSWERS.items()]
    else:
        parts = [Part("kept", "Kept", "One of each group, and all without a duplicate.", counts["kept"])]
        for kind, (name, says) in MATCHES.items():
            parts.append(Part(kind.replace("_", "-"), name, says, report["matches"].get(kind, 0)))
    for reason, (name, says) in REJECTED.items():
        if counts.get(reason):
            parts.append(Part("rejected", name, f"{says} Set aside in rejected/.", counts[reason]))
    return parts


def charts_of(report: Mapping[str, Any]) -> list[Chart]:
    """Return the histograms of group sizes, distances, and similarities if texts were compared."""
    distances, similarities = report["distances"], report["similarities"]
    charts = [
        draw_chart("Groups", size_buckets(report["group_sizes"]), unit="number of documents"),
        draw_chart("Documents", whole_buckets(distances["to_representative"]), unit="distance to the kept one"),
        draw_chart("Edges", whole_buckets(distances.get("edges", {})), unit="distance"),
        draw_chart("Documents", similarities["to_representative"], unit="similarity to the kept one"),
        draw_chart("Edges", similarities.get("edges", {}), unit="similarity"),
    ]
    return [chart for chart in charts if chart.columns]


def warnings_of(report: Mapping[str, Any]) -> list[str]:
    """Return what a person should look at before anything is deleted."""
    warnings = []
    chains = report.get("chains")
    if chains and chains["groups"]:
        warnings.append(
            f"{chains['groups']:,} groups are stretched: a member is more than {chains['beyond']} bits from the "
            f"document that is kept. --grouping representative, or --verify, takes such groups apart."
        )
    if report.get("large_groups"):
        limit = report["settings"]["max_group_size"]
        warnings.append(f"There are groups of more than {limit:,} documents (max_group_size).")
    over = [f"{show_name(row['source'])} ({row['share']:.1%})" for row in report.get("sources_over_limit", ())]
    if over:
        limit = report["settings"]["fail_if_removed_over"]
        warnings.append(f"More than {limit:.1%} was removed of {', '.join(over[:10])} (fail_if_removed_over).")
    return warnings


def stages_of(report: Mapping[str, Any]) -> list[Stage]:
    """Return the stages and the steps after them, in the order in which they ran."""
    stages = [
        Stage(stage["stage"], stage["rows"], stage["seconds"], stage["is_reused"])
        for stage in report["stages"][:MOST_STAGES]
    ]
    return stages + [Stage(name, None, seconds, False) for name, seconds in report.get("steps", {}).items()]


def settings_of(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the settings that are given, as they would be written in a settings file."""
    shown = []
    for name, value in report["settings"].items():
        if value not in (None, [], "", False):
            text = ", ".join(map(str, value[:10])) if isinstance(value, list) else str(value)
            shown.append((name, text if len(text) <= _LONGEST_SETTING else f"{text[:_LONGEST_SETTING]}…"))
    return shown[:MOST_SETTINGS]


def compare_members(group: Group, options: Normalization) -> ShownGroup:
    """Return a group with the texts of its members beside that of the document that is kept."""
    if not group.members:
        return ShownGroup(group, None, ())
    kept, *others = group.members
    return ShownGroup(group, kept, [_comparison(kept, member, options) for member in others])


def _comparison(kept: Member, member: Member, options: Normalization) -> Comparison:
    if kept.text is None or member.text is None:
        alone = [None if text is None else first_part(text) for text in (kept.text, member.text)]
        return Comparison(member, *alone)
    return Comparison(member, *mark_differences(kept.text, member.text, options))


def language_of(text: str) -> str:
    """Return the language whose shapes of characters fit a text, empty if that cannot be told.

    Examples
    --------
    >>> [language_of(text) for text in ("图书馆", "図書館の", "도서관", "library")]
    ['zh', 'ja', 'ko', '']
    """
    for first, last, language in (("\u3040", "\u30ff", "ja"), ("\uac00", "\ud7a3", "ko"), ("\u4e00", "\u9fff", "zh")):
        if any(first <= character <= last for character in text):
            return language
    return ""
