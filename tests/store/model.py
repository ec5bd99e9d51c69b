"""What a store should hold, in plain Python, document by document: the oracle of its tests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise

import numpy as np

from simhash_udf.kernel.bits import node_ids


@dataclass(frozen=True)
class Doc:
    """A document; ``words`` is None without a fingerprint."""

    id: str
    words: tuple[int, ...] | None
    digest: int
    length: int = 10
    day: int | None = None
    run: str = ""

    @property
    def node(self) -> int:
        """Id of its node, or the digest of its text."""
        return self.digest if self.words is None else int(node_ids(np.array([self.words], np.uint64))[0])

    def distance(self, other: Doc) -> int:
        """Distance in the view where the two are nearest."""
        if self.words is None or other.words is None:
            return 0
        return min(bin(a ^ b).count("1") for a, b in zip(self.words, other.words, strict=True))

    def match(self, other: Doc) -> str:
        if (self.digest, self.length) == (other.digest, other.length):
            return "same_text"
        return "same_fingerprint" if self.words == other.words else "near"

    def is_near(self, other: Doc, k: int, total: int) -> bool:
        """Whether the two are an edge, or equal texts without a fingerprint."""
        if self.words is None or other.words is None:
            return self.words is other.words and self.digest == other.digest
        distances = [bin(a ^ b).count("1") for a, b in zip(self.words, other.words, strict=True)]
        return min(distances) <= k and sum(distances) <= total


@dataclass(frozen=True)
class Group:
    """A group: its id, the document that is kept, and the ids of its members."""

    id: int
    kept: str
    members: frozenset[str]


@dataclass
class Model:
    """A store as a list of documents and a list of groups; keep is by day, latest first, then by id."""

    k: int
    total: int
    docs: dict[str, Doc] = field(default_factory=dict)
    groups: dict[str, Group] = field(default_factory=dict)
    """Group of each document that has a duplicate."""

    def add(self, run: str, batch: Iterable[Doc]) -> tuple[dict[str, tuple[object, ...]], set[tuple[object, ...]]]:
        """Add a batch; return the answer for each of its documents, and the changes of older ones."""
        batch = [replace(doc, run=run) for doc in batch]
        known = {doc.id: self.docs[doc.id].run for doc in batch if doc.id in self.docs}
        new = {doc.id: doc for doc in batch if doc.id not in self.docs}
        old, before = dict(self.docs), dict(self.groups)
        self.docs |= new
        pairs = [
            (one, other.id)
            for one in new
            for other in self.docs.values()
            if one != other.id and new[one].is_near(other, self.k, self.total)
        ]
        inside = [pair for group in set(self.groups.values()) for pair in chain(sorted(group.members))]
        for component in components(self.docs, pairs + inside):
            if len(component) > 1 and component & new.keys():
                self._set(self._named(component, old, before))
        answers = {doc_id: self._answer(doc_id) for doc_id in new}
        answers |= {doc_id: ("known", doc_id, run_id, 0, "same_text", None) for doc_id, run_id in known.items()}
        return answers, {change for doc_id in old if (change := self._change(doc_id, before))}

    def forget(self, ids: set[str]) -> None:
        """Take documents out; what is left of a group stays together."""
        touched = {self.groups[doc_id] for doc_id in ids if doc_id in self.groups}
        self.docs = {doc_id: doc for doc_id, doc in self.docs.items() if doc_id not in ids}
        for group in touched:
            for doc_id in group.members:
                del self.groups[doc_id]
            left = group.members - ids
            if len(left) > 1:
                nodes = {self.docs[doc_id].node for doc_id in left}
                name = group.id if group.id in nodes else min(nodes)
                self._set(Group(name, group.kept if group.kept in left else self._first(left), left))

    def rebuild(self, k: int, total: int) -> None:
        """Make the groups anew."""
        self.k, self.total, self.groups = k, total, {}
        near = [
            (one.id, other.id) for one, other in combinations(self.docs.values(), 2) if one.is_near(other, k, total)
        ]
        for component in components(self.docs, near):
            if len(component) > 1:
                self._set(self._named(component, {}, {}))

    def partition(self) -> set[frozenset[str]]:
        return {group.members for group in self.groups.values()}

    def rows(self) -> set[tuple[object, ...]]:
        """The members of all groups as an export has them."""
        found = set()
        for doc_id, group in self.groups.items():
            doc, kept = self.docs[doc_id], self.docs[group.kept]
            size, is_kept = len(group.members), doc_id == group.kept
            node = None if doc.words is None else doc.node
            found.add((doc_id, group.id, size, is_kept, group.kept, doc.distance(kept), doc.match(kept), node, doc.run))
        return found

    def _named(self, component: frozenset[str], old: dict[str, Doc], before: dict[str, Group]) -> Group:
        """A component as a group: old groups first, then old documents, then new ones."""
        groups = {before[doc_id] for doc_id in component if doc_id in before}
        if groups:
            first = min(groups, key=lambda group: group.id)
            return Group(first.id, first.kept, component)
        singles = component & old.keys()
        return Group(min(self.docs[doc_id].node for doc_id in component), self._first(singles or component), component)

    def _first(self, ids: Iterable[str]) -> str:
        def order(doc_id: str) -> tuple[bool, int, str]:
            day = self.docs[doc_id].day
            return day is None, -(day or 0), doc_id

        return min(ids, key=order)

    def _set(self, group: Group) -> None:
        for doc_id in group.members:
            self.groups[doc_id] = group

    def _answer(self, doc_id: str) -> tuple[object, ...]:
        group, doc = self.groups.get(doc_id), self.docs[doc_id]
        if group is None or group.kept == doc_id:
            return ("new", None, None, None, None, group and group.id)
        kept = self.docs[group.kept]
        return ("duplicate", kept.id, kept.run, doc.distance(kept), doc.match(kept), group.id)

    def _change(self, doc_id: str, before: dict[str, Group]) -> tuple[object, ...] | None:
        old, new = before.get(doc_id), self.groups.get(doc_id)
        if new is None or (old is not None and old.id == new.id):
            return None
        return doc_id, "merged" if old else "first_duplicate", old and old.id, new.id, new.kept


def chain(ids: list[str]) -> list[tuple[str, str]]:
    return list(pairwise(ids))


def components(docs: Iterable[str], pairs: Iterable[tuple[str, str]]) -> set[frozenset[str]]:
    """Connected components, by plain merging of sets."""
    of = {doc_id: {doc_id} for doc_id in docs}
    for one, other in pairs:
        if of[one] is not of[other]:
            of[one] |= of[other]
            for doc_id in of[other]:
                of[doc_id] = of[one]
    return {frozenset(component) for component in of.values()}


def worlds(seed: int, *, count: int, views: int, k: int) -> list[Doc]:
    """Many small clusters that do not know one another: chains, stars, copies, texts without a fingerprint."""
    draw = np.random.default_rng(seed)
    docs = []
    for world in range(count):
        size = int(draw.integers(1, 7))
        if draw.random() < 0.12:
            digests = draw.integers(-(2**63), 2**63 - 1, 2)
            for number in range(size):
                docs.append(Doc(f"{world:03}-{number}", None, int(draw.choice(digests)), 0, _day(draw)))
            continue
        base = draw.integers(0, 2**64, views, dtype=np.uint64)
        made = [base]
        for number in range(size):
            words = made[-1 if draw.random() < 0.7 else int(draw.integers(0, len(made)))].copy()
            steps = k if draw.random() < 0.6 else int(draw.integers(0, k + 2))  # sometimes one step too far
            for bit in draw.choice(64, steps, replace=False):
                words ^= np.uint64(1) << np.uint64(bit)
            made.append(words)
            digest = int(draw.integers(0, 3)) + 10 * world
            docs.append(Doc(f"{world:03}-{number}", tuple(map(int, words)), digest, 10, _day(draw)))
    return docs


def _day(draw: np.random.Generator) -> int | None:
    return None if draw.random() < 0.3 else int(draw.integers(0, 3))
