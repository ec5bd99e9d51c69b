from __future__ import annotations

from collections import Counter, defaultdict

import pyarrow as pa
import pytest

from simhash_udf.kernel.normalize import normalize
from simhash_udf.kernel.recipe import Normalization
from simhash_udf.sample import KINDS, Document, generate_documents

COUNT = 4000


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return list(generate_documents(COUNT, seed=7))


@pytest.fixture(scope="module")
def normalized(documents: list[Document]) -> dict[str, str | None]:
    texts = normalize(pa.array([document.text for document in documents]), Normalization())
    return dict(zip([document.id for document in documents], texts.to_pylist(), strict=True))


def test_there_are_as_many_documents_as_asked_for_and_their_ids_differ(documents: list[Document]) -> None:
    assert len(documents) == len({document.id for document in documents}) == COUNT
    assert list(generate_documents(0)) == []


def test_the_same_seed_gives_the_same_corpus_and_another_seed_another(documents: list[Document]) -> None:
    assert list(generate_documents(100, seed=7)) == documents[:100]
    assert list(generate_documents(100, seed=8)) != documents[:100]


def test_every_kind_is_planted(documents: list[Document]) -> None:
    assert Counter(document.kind for document in documents).keys() == KINDS.keys()


def test_a_null_text_has_no_cluster_and_every_other_document_has_one(documents: list[Document]) -> None:
    for document in documents:
        assert (document.kind == "null") == (document.text is None) == (document.cluster is None)


def test_an_article_has_300_to_1500_characters(documents: list[Document]) -> None:
    lengths = [len(document.text) for document in documents if document.kind == "original" and document.text]
    assert min(lengths) >= 300
    assert max(lengths) <= 1500


def test_texts_that_normalise_alike_are_in_one_cluster(
    documents: list[Document], normalized: dict[str, str | None]
) -> None:
    clusters = defaultdict(set)
    for document in documents:
        if normalized[document.id]:  # symbols and blanks have nothing left
            clusters[normalized[document.id]].add(document.cluster)
    assert [text for text, found in clusters.items() if len(found) > 1] == []


def test_copies_normalise_like_their_original_and_edits_do_not(
    documents: list[Document], normalized: dict[str, str | None]
) -> None:
    originals = {d.cluster: d for d in documents if d.kind == "original"}
    for document in documents:
        original = originals.get(document.cluster)
        if original is None or document is original:
            continue
        is_same_text = normalized[document.id] == normalized[original.id]
        assert is_same_text == (document.kind in {"exact_copy", "other_form"})
        assert (document.text == original.text) == (document.kind == "exact_copy")


def test_every_template_page_is_a_cluster_of_its_own(documents: list[Document]) -> None:
    pages = [document.cluster for document in documents if document.kind == "template"]
    assert len(set(pages)) == len(pages) > 0
