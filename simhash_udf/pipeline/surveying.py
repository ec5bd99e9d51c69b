"""How far apart any two documents are, from a sample: what a join will find, and how much of it is wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.config import DEFAULT_SIMILARITY, Settings
from simhash_udf.evaluation.false_pairs import DistanceModel
from simhash_udf.evaluation.random_pairs import Counts, NearPairs, count_distances, near_pairs, without_duplicates
from simhash_udf.kernel.similarity import recipe_of_check
from simhash_udf.pipeline.fingerprinting import Fingerprinted
from simhash_udf.runtime.inputs import Source
from simhash_udf.stages.documents import select_documents
from simhash_udf.stages.samples import sample_fingerprints
from simhash_udf.stages.verify import build_vectors, compare_texts

SAMPLE = 10_000
"""Documents of which all pairs are looked at: 50 million, in two seconds a view."""

PER_DISTANCE = 200
"""Near pairs of each distance whose texts are compared: the share of duplicates is then within 7 %."""

JUDGE = "jaccard"


@dataclass(frozen=True)
class Survey:
    """A sample of the documents and the distances of all its pairs.

    Attributes
    ----------
    sample
        ``doc_id, text_digest, words``, in the order of the sample.
    words
        ``uint64`` ``(m, r)``: their fingerprints.
    counts
        As `evaluation.random_pairs.count_distances` gives them.
    documents
        Documents of the input with a fingerprint.
    """

    sample: pa.Table
    words: NDArray[np.uint64]
    counts: Counts
    documents: int

    def expected_edges(self, max_distance: int, max_total_distance: int) -> float:
        """Return about how many pairs of different fingerprints the join will find."""
        found = self.counts[: max_distance + 1, : max_total_distance + 1].sum() - self.counts[0, 0]
        m = max(len(self.words), 2)
        return float(found) * self.documents * (self.documents - 1) / (m * (m - 1))


def survey_pairs(made: Fingerprinted) -> Survey:
    """Return the distances of all pairs in a sample of the fingerprints."""
    sample = sample_fingerprints(made.table.frame, SAMPLE, num_views=len(made.recipe.views)).toArrow()
    flat = sample["words"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    words = flat.view(np.uint64).reshape(len(sample), len(made.recipe.views))
    documents = made.table.rows - made.counts["without_fingerprint"]
    return Survey(sample, words, count_distances(words), documents)


def model_of_different(survey: Survey, made: Fingerprinted, source: Source, run: Settings) -> DistanceModel:
    """Return how likely two different documents are within a distance.

    Near pairs of the sample are told apart by their texts: those that are alike, by the Jaccard similarity of token
    n-grams at the main job's default limit, are duplicates and are left out.
    """
    near = near_pairs(survey.words, survey.counts, per_distance=PER_DISTANCE, seed=0)
    if not len(near):
        return DistanceModel(survey.counts)
    similarity = _compare(survey, near, made, source, run)
    return DistanceModel(without_duplicates(survey.counts, near, similarity >= DEFAULT_SIMILARITY[JUDGE]))


def _compare(
    survey: Survey, near: NearPairs, made: Fingerprinted, source: Source, run: Settings
) -> NDArray[np.float64]:
    """Similarity of the texts of each pair."""
    spark = source.frame.sparkSession
    rows = survey.sample.select([schema.DOC_ID, schema.TEXT_DIGEST])
    used = np.unique(np.concatenate([near.left, near.right]))
    texts = rows.take(pa.array(used)).append_column(schema.TEXT_ID, pa.array(used, pa.int64()))
    documents = select_documents(source.frame, id_column=run.id_column, text_column=run.text_column)
    recipe = recipe_of_check(made.recipe, JUDGE, run.verify_ngram, run.verify_weight)
    vectors = build_vectors(documents, spark.createDataFrame(texts), recipe, are_few=True)
    pairs = pa.table(
        {
            schema.SRC: near.left,
            schema.DST: near.right,
            schema.DISTANCE: near.distance.astype(np.int32),
            schema.COMPONENT_ID: np.arange(len(near)),
        }
    )
    checks = compare_texts(spark.createDataFrame(pairs), vectors, measure=JUDGE)
    found = checks.select(F.col(schema.COMPONENT_ID).alias("at"), schema.SIMILARITY).toArrow()
    similarity = np.zeros(len(near))
    similarity[found["at"].to_numpy()] = found[schema.SIMILARITY].to_numpy()
    return similarity
