"""The public index against a list of all documents, and against the index of the PyPI package."""

from __future__ import annotations

import subprocess
import sys
from datetime import date

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simhash import Simhash, SimhashIndex

from simhash_udf import FingerprintIndex, InputError, SettingError, distance
from simhash_udf.index import additions
from simhash_udf.sample.corpus import generate_documents

EDGES = [0, 1, 2**63 - 1, 2**63, 2**64 - 1, -1, -(2**63)]


class Everything:
    """The oracle: a list of (id, fingerprints), all of it compared with every query."""

    def __init__(self, documents, max_total_distance):
        self.documents = list(documents)
        self.max_total_distance = max_total_distance

    def remove(self, doc_id):
        before = len(self.documents)
        self.documents = [document for document in self.documents if document[0] != doc_id]
        return before - len(self.documents)

    def query(self, fingerprints, max_distance):
        nearest = {}
        for doc_id, theirs in self.documents:
            distances = [distance(a, b) for a, b in zip(fingerprints, theirs, strict=True)]
            if min(distances) <= max_distance and sum(distances) <= self.max_total_distance:
                nearest[doc_id] = min(*distances, nearest.get(doc_id, 64))
        return sorted(nearest.items(), key=lambda found: (found[1], found[0]))


# A few values and a few bits away from them: any two are near one another about as often as not.
near_values = st.builds(
    lambda base, bits: base ^ sum(1 << bit for bit in bits),
    st.sampled_from([0, 2**64 - 1, 0x0123456789ABCDEF]),
    st.sets(st.integers(0, 63), max_size=5),
)
values = st.one_of(
    near_values, near_values.map(lambda value: value - 2**64 if value >= 2**63 else value), st.sampled_from(EDGES)
)


@st.composite
def histories(draw):
    num_views, k = draw(st.integers(1, 2)), draw(st.integers(0, 6))
    id_type = draw(st.sampled_from([st.integers(-3, 12), st.text("ab", max_size=3)]))
    documents = st.lists(st.tuples(id_type, st.tuples(*[values] * num_views)), max_size=20)
    step = st.one_of(
        st.tuples(st.just("add"), documents),
        st.tuples(st.just("remove"), id_type),
        st.tuples(st.just("query"), st.tuples(st.tuples(*[values] * num_views), st.integers(0, k))),
        st.tuples(st.just("save"), st.none()),
    )
    return num_views, k, draw(documents), draw(st.lists(step, max_size=12)), draw(st.sampled_from([2, 1 << 13]))


@settings(max_examples=80, deadline=None)
@given(histories())
def test_every_answer_is_that_of_a_list_of_all_documents(tmp_path_factory, history):
    num_views, k, documents, steps, scanned = history
    place = tmp_path_factory.mktemp("index") / "saved"
    everything = Everything(documents, 8 * num_views)
    items = [item if num_views > 1 else item[0] for _, item in documents]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(additions, "_SCANNED", scanned)
        if not documents:
            items = np.empty((0, num_views), dtype=np.uint64)
        index = FingerprintIndex.build([doc_id for doc_id, _ in documents], items, max_distance=k)
        for action, given_ in steps:
            if action == "add":
                everything.documents += given_
                index.add_many([doc_id for doc_id, _ in given_], [item for _, item in given_])
            elif action == "remove":
                assert index.remove(given_) == everything.remove(given_)
            elif action == "save":
                index.save(place)
                index = FingerprintIndex.open(place)
            else:
                item, max_distance = given_
                expected = everything.query(item, max_distance)
                assert index.query(item if num_views > 1 else item[0], max_distance) == expected
                assert index.query_many([item], max_distance) == [expected]
            assert len(index) == len(everything.documents)
        everyone = [item for _, item in everything.documents]
        assert index.query_many(everyone) == [everything.query(item, k) for item in everyone]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.text(min_size=1, max_size=4), near_values), max_size=40), st.integers(0, 5), near_values)
def test_answers_are_those_of_the_pypi_index(documents, k, query):
    theirs = SimhashIndex([(doc_id, Simhash(value)) for doc_id, value in documents], k=k)
    ours = FingerprintIndex.build(*([column[at] for column in documents] for at in (0, 1)), max_distance=k)
    for doc_id, value in documents[:5]:
        theirs.add(doc_id, Simhash(value ^ 1))
        ours.add(doc_id, value ^ 1)
    for doc_id, _ in documents[:3]:
        for other, value in {*documents, *((name, value ^ 1) for name, value in documents[:5])}:
            if other == doc_id:
                theirs.delete(doc_id, Simhash(value))
        ours.remove(doc_id)
    for value in [query, *(value for _, value in documents)]:
        assert {found.doc_id for found in ours.query(value)} == set(theirs.get_near_dups(Simhash(value)))


def test_texts_find_what_they_find_in_the_pypi_index():
    # A text without a letter or digit has no fingerprint here; there it has that of the empty text.
    documents = [(doc_id, text) for doc_id, text in sample(300) if any(map(str.isalnum, text))]
    theirs = SimhashIndex([(doc_id, Simhash(text)) for doc_id, text in documents], k=3)
    ours = FingerprintIndex.from_texts(
        *zip(*documents, strict=True), max_distance=3, tokenizer="pypi", calibration="none"
    )
    answers = ours.query_many([text for _, text in documents])
    for (_, text), answer in zip(documents, answers, strict=True):
        assert {found.doc_id for found in answer} == set(theirs.get_near_dups(Simhash(text)))
        assert ours.query(text) == answer
    assert sum(len(answer) > 1 for answer in answers) > 20


def test_views_calibration_and_dictionaries_are_kept_with_the_index(tmp_path):
    (tmp_path / "words.txt").write_text("图书馆新馆 1000 n\n", encoding="utf-8")
    documents = sample(80)
    index = FingerprintIndex.from_texts(
        *zip(*documents, strict=True), max_distance=4, views=("jieba", "char"), user_dict=str(tmp_path / "words.txt")
    )
    expected = index.query_many([text for _, text in documents])
    index.save(tmp_path / "index")
    (tmp_path / "words.txt").unlink()
    opened = FingerprintIndex.open(tmp_path / "index")
    assert (opened.num_views, opened.max_distance) == (2, 4)
    assert [opened.query(text) for _, text in documents] == expected
    assert opened.add("new", documents[0][1])
    assert opened.query(documents[0][1])[0] == (documents[0][0], 0)
    assert ("new", 0) in opened.query(documents[0][1])


def test_texts_are_calibrated_on_themselves_in_any_order():
    documents = sample(400)
    ours = FingerprintIndex.from_texts(*zip(*documents, strict=True))
    column = pa.chunked_array([[text for _, text in reversed(documents)], pa.array([None], pa.string())])
    again = FingerprintIndex.from_texts([*(doc_id for doc_id, _ in reversed(documents)), "none"], column)
    classic = FingerprintIndex.from_texts(*zip(*documents, strict=True), calibration="none")
    texts = [text for _, text in documents]
    assert again.query_many(texts) == ours.query_many(texts)
    assert 10 < sum(map(len, ours.query_many(texts))) < sum(map(len, classic.query_many(texts)))


def test_few_texts_get_classic_fingerprints():
    documents = sample(49)
    ours = FingerprintIndex.from_texts(*zip(*documents, strict=True))
    classic = FingerprintIndex.from_texts(*zip(*documents, strict=True), calibration="none")
    assert ours.query_table([text for _, text in documents]) == classic.query_table([text for _, text in documents])


def sample(num_documents):
    return [(document.id, document.text) for document in generate_documents(num_documents) if document.text is not None]


def test_a_text_without_features_is_neither_added_nor_found():
    index = FingerprintIndex.from_texts(["a", "b"], ["今天的天气很好", "。。。"])
    assert len(index) == 1
    assert not index.add("c", "")
    assert index.query("!") == []
    assert index.query_many(["", "今天的天气很好"]) == [[], [("a", 0)]]


@pytest.mark.parametrize(
    "ids",
    [
        [3, 1, 2],
        np.array([3, 1, 2], dtype=np.int32),
        ["丙", "", "a"],
        [b"\xff", b"", b"a"],
        [date(2026, 1, 3), date(1969, 1, 1), date(2026, 1, 2)],
        pa.array(["x", "y", "z"]).dictionary_encode(),
        pa.chunked_array([["x"], ["y", "z"]]),
    ],
)
def test_ids_of_any_type_come_back_as_they_were(ids, tmp_path):
    index = FingerprintIndex.build(ids, [5, 5, 5], max_distance=1)
    wanted = ids.to_pylist() if isinstance(ids, pa.Array | pa.ChunkedArray) else list(ids)
    index.save(tmp_path)
    opened = FingerprintIndex.open(tmp_path)
    assert opened.query(4) == [(doc_id, 1) for doc_id in sorted(wanted)]
    assert opened.query_many([4]) == [opened.query(4)]
    assert opened.remove(wanted[0]) == 1
    assert len(opened) == 2


@pytest.mark.parametrize(
    ("items", "num_views"),
    [
        (np.array([5, -1], dtype=np.int64), 1),
        (np.array([5, 2**64 - 1], dtype=np.uint64), 1),
        (np.array([[5, 0], [-1, 0]], dtype=np.int64), 2),
        (pa.array([5, -1], pa.int64()), 1),
        (pa.chunked_array([[[5, 0]], [[-1, 0]]], pa.list_(pa.int64())), 2),
        ([5, -1], 1),
        ([np.int64(5), np.uint64(2**64 - 1)], 1),
        ([(5, 0), np.array([-1, 0])], 2),
        ((value for value in (5, -1)), 1),
    ],
)
def test_fingerprints_may_come_in_any_form(items, num_views):
    index = FingerprintIndex.build([1, 2], items, max_distance=2)
    assert index.num_views == num_views
    assert index.query(-1 if num_views == 1 else (2**64 - 1, 0)) == [(2, 0)]


def test_nulls_are_left_out_and_asked_in_vain():
    for items in (pa.array([7, None, 6]), [7, None, 6]):
        index = FingerprintIndex.build([1, 2, 3], items)
        assert len(index) == 2
        assert index.query(None) == []
        assert index.query_many(pa.array([None, 7])) == index.query_many([None, 7]) == [[], [(1, 0), (3, 1)]]


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda index: index.query(5, 4), SettingError, "max_distance=4 is outside 0 to 3"),
        (lambda index: index.query("text"), SettingError, "made of fingerprints alone"),
        (lambda index: index.query_many(["text"]), SettingError, "made of fingerprints alone"),
        (lambda index: index.query(2**64), InputError, "does not fit in the 64 bits"),
        (lambda index: index.query(True), InputError, "True is no fingerprint"),
        (lambda index: index.query(1.5), InputError, "1.5 is no fingerprint"),
        (lambda index: index.query((5, 5)), InputError, "a fingerprint has 2 views, those of the index 1"),
        (lambda index: index.query_many(np.zeros((1, 2), dtype=np.int64)), InputError, r"shape \(1, 2\)"),
        (lambda index: index.query_many(pa.array([0.5])), InputError, "holds no fingerprints"),
        (lambda index: index.add("a", 5), InputError, "all of the type int64"),
        (lambda index: index.add(None, 5), InputError, "1 document ids are null"),
        (lambda index: index.add_many([1, 2], [5]), InputError, "2 ids for 1 fingerprints"),
        (lambda index: index.remove("a"), InputError, "all of the type int64"),
        (lambda index: FingerprintIndex.build([[1]], [5]), InputError, "have no order"),
        (lambda index: FingerprintIndex.build([1, "a"], [5, 5]), InputError, "must be of one type"),
        (lambda index: FingerprintIndex.build([1], [5], max_distance=9), SettingError, "max_distance=9"),
        (lambda index: FingerprintIndex.build([1], [5], num_blocks=3), SettingError, "num_blocks >= 4"),
        (lambda index: FingerprintIndex.build([1], [5], tokenizer="nonsense"), SettingError, "nonsense"),
        (lambda index: FingerprintIndex.build([1], [5], calibration="sample"), SettingError, "learns from texts"),
    ],
)
def test_what_cannot_be_meant_is_refused(action, error, message):
    index = FingerprintIndex.build([1, 2], [5, 6])
    with pytest.raises(error, match=message):
        action(index)
    assert index.query(5) == [(1, 0), (2, 2)]


def test_the_index_needs_no_spark():
    code = (
        "import sys; from simhash_udf import FingerprintIndex; "
        "FingerprintIndex.from_texts([1], ['天气']).query('天气'); sys.exit('pyspark' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
