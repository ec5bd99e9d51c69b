"""Groups to show, read off the results: figures of many, and of a few the members with the beginning of each text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame

from simhash_udf import schema
from simhash_udf.stages import shown

MOST_GROUPS = 50
"""Groups that are listed of each kind: the largest, and the most stretched."""

MOST_MEMBERS = 3
"""Members of a group that stand beside the document that is kept."""

MOST_CHARS = 20_000
"""Characters that are read of a text; with 20 groups 1.6 million come to the driver at most."""


@dataclass(frozen=True)
class Member:
    """A document of a group, with its row of table groups.

    ``documents`` is how many of the group share its fingerprints. ``text`` is the beginning of its text, None if it was
    not read or is not in the input any more; ``length`` counts all of its characters.
    """

    doc_id: str
    match: str
    distance: int
    similarity: float | None
    documents: int
    text: str | None = None
    length: int = 0
    source: str | None = None


@dataclass(frozen=True)
class Group:
    """A group: its figures, and where it is one of the samples the document that is kept and some others."""

    group_id: int
    size: int
    kept_id: str
    largest_distance: int
    least_similarity: float | None
    matches: Mapping[str, int]
    members: tuple[Member, ...] = ()


def read_groups(groups: DataFrame, samples: int) -> list[Group]:
    """Return the largest and the most stretched groups, largest first; ``samples`` of them have members.

    Cost: two scans of the groups, one shuffle; at most ``2 * MOST_GROUPS`` rows and those of the samples come to the
    driver.
    """
    found = [
        Group(
            row[schema.GROUP_ID],
            row[schema.GROUP_SIZE],
            row[schema.REPRESENTATIVE_ID],
            row[shown.LARGEST_DISTANCE],
            row[shown.LEAST_SIMILARITY],
            {kind: row[kind] for kind in (schema.NEAR, schema.SAME_FINGERPRINT, schema.SAME_TEXT)},
        )
        for row in shown.shown_groups(groups, MOST_GROUPS).collect()
    ]
    found.sort(key=lambda group: (-group.size, group.group_id))
    chosen = choose_samples(found, samples)
    if not chosen:
        return found
    members: dict[int, list[Member]] = {group_id: [] for group_id in chosen}
    rows = shown.shown_members(groups, chosen, MOST_MEMBERS).drop(schema.DOC_ID).toArrow().to_pylist()
    for row in sorted(rows, key=lambda row: row[schema.PLACE]):
        members[row[schema.GROUP_ID]].append(_member(row))
    return [replace(group, members=tuple(members.get(group.group_id, ()))) for group in found]


def choose_samples(groups: Sequence[Group], samples: int) -> list[int]:
    """Return the ids of the groups to show: the largest and the most stretched by turns, those of equal texts last.

    A group whose members are all equal after normalisation has nothing to compare.
    """
    differing = [group for group in groups if group.matches[schema.SAME_TEXT] < group.size - 1]
    stretched = sorted(differing, key=lambda group: (-group.largest_distance, _similarity(group), group.group_id))
    by_turns = [group.group_id for pair in zip(differing, stretched, strict=True) for group in pair]
    return list(dict.fromkeys([*by_turns, *(group.group_id for group in groups)]))[:samples]


def with_texts(found: Sequence[Group], groups: DataFrame, documents: DataFrame) -> list[Group]:
    """Return the groups with the texts of their members.

    Parameters
    ----------
    found
        As `read_groups` gives them.
    groups
        The table of that name.
    documents
        ``doc_id, text`` and perhaps ``source`` of the whole input; one scan of them is what this costs.
    """
    ids = [group.group_id for group in found if group.members]
    if not ids:
        return list(found)
    members = shown.shown_members(groups, ids, MOST_MEMBERS)
    rows = {row[schema.DOC_ID]: row.asDict() for row in shown.shown_texts(documents, members, MOST_CHARS).collect()}
    return [
        replace(group, members=tuple(_with_text(member, rows.get(member.doc_id, {})) for member in group.members))
        for group in found
    ]


def _member(row: dict[str, Any]) -> Member:
    return Member(
        row[shown.DOC_TEXT],
        row[schema.MATCH],
        row[schema.DISTANCE],
        row[schema.SIMILARITY],
        row[shown.DOCUMENTS],
    )


def _with_text(member: Member, row: Mapping[str, Any]) -> Member:
    return replace(member, text=row.get(schema.TEXT), length=row.get(shown.LENGTH) or 0, source=row.get(shown.SOURCE))


def _similarity(group: Group) -> float:
    return 1.0 if group.least_similarity is None else group.least_similarity
