"""An evaluation without labels: which edits of the user's own documents are found, and how many pairs are false."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.config import Settings
from simhash_udf.config_evaluation import EvaluateSettings
from simhash_udf.errors import InputError
from simhash_udf.evaluation.edit_recall import EditDistances, read_trials, recall_by_edit, recall_of_edits
from simhash_udf.evaluation.false_pairs import DistanceModel
from simhash_udf.evaluation.limits import Limits
from simhash_udf.evaluation.scoring import Row
from simhash_udf.evaluation.trial import EditTrial
from simhash_udf.kernel.similarity import recipe_of_check
from simhash_udf.pipeline.surveying import model_of_different
from simhash_udf.pipeline.sweeping import Reach, Recipes, described, limits_of, make_recipes, reach_of, search_within
from simhash_udf.runtime.inputs import Source
from simhash_udf.runtime.tables import Tables
from simhash_udf.stages.documents import select_documents
from simhash_udf.stages.samples import NUMBER, build_trials, count_found_pairs, sample_texts

MAX_CHARACTERS = 2_000_000
"""Characters of the documents that are edited: their 24 copies take a core 10 to 60 s, by the number of views."""


@dataclass(frozen=True)
class Tried:
    """What is known of a recipe without labels.

    Attributes
    ----------
    trials
        How far edited copies are from their originals.
    model
        How likely two different documents are within a distance.
    documents, corpus_size
        Documents of the input, and of the whole corpus.
    """

    trials: EditDistances
    model: DistanceModel
    documents: int
    corpus_size: int


@dataclass(frozen=True)
class EditedSweep:
    """Rows of figures, one a run and k, rows of recall by edit and share, and numbers of documents."""

    rows: list[Row]
    edits: list[Row]
    documents: int
    corpus_size: int
    edited: int


def sweep_edits(source: Source, settings: EvaluateSettings, tables: Tables) -> EditedSweep:
    """Return what a run finds of edited documents, and how many false pairs are to be expected.

    Raises
    ------
    InputError
        There are fewer than two documents to edit.
    """
    rows: list[Row] = []
    edits: list[Row] = []
    texts: tuple[str, ...] = ()
    for recipe in make_recipes(source, settings, tables):
        texts = texts or _texts(recipe, source, settings)
        tried = Tried(
            trials=_try(recipe, texts, source, settings, tables),
            model=model_of_different(recipe.survey, recipe.made, source, recipe.runs[0]),
            documents=recipe.survey.documents,
            corpus_size=recipe.corpus_size,
        )
        for run in recipe.runs:
            reach = reach_of(run, recipe.survey)
            found = _found_pairs(recipe, run, reach, source, tables) if reach.max_distance >= 0 else []
            limits = [limits_of(run, k) for k in range(settings.max_distance + 1)]
            figures = [_figures(tried, limit, found, settings) for limit in limits]
            of_run = described(run, recipe, [_with_status(figure, reach) for figure in figures])
            rows += of_run
            for row, limit in zip(of_run, limits, strict=True):
                edits += _by_edit(tried, limit, row, settings)
    return EditedSweep(rows, edits, tried.documents, tried.corpus_size, len(texts))


def _texts(recipe: Recipes, source: Source, settings: EvaluateSettings) -> tuple[str, ...]:
    """The documents that are edited: as many as asked for, or as have room."""
    documents = select_documents(source.frame, id_column=settings.id_column, text_column=settings.text_column)
    sample = sample_texts(documents, recipe.made.table.frame, settings.synthetic_sample)
    texts = sample.toArrow().column(0).to_pylist()
    characters = np.cumsum([len(text) for text in texts])
    chosen = tuple(texts[: max(int(np.searchsorted(characters, MAX_CHARACTERS, side="right")), 2)])
    if len(chosen) < 2:
        raise InputError(f"synthetic needs two documents with words at least, there are {len(chosen)}; give more input")
    return chosen


def _try(
    recipe: Recipes, texts: tuple[str, ...], source: Source, settings: EvaluateSettings, tables: Tables
) -> EditDistances:
    """Edit the documents and measure them, in as many tasks as there are cores."""
    measures = {run.similarity_check[0] for run in recipe.runs if run.similarity_check}
    made = recipe.made.recipe
    of_check = settings.verify_ngram, settings.verify_weight
    checks = {measure: recipe_of_check(made, measure, *of_check) for measure in sorted(measures)}
    trial = EditTrial(made, checks, texts, settings.seed)
    numbers = source.frame.sparkSession.range(len(texts), numPartitions=2 * source.cores)
    key = {
        "fingerprints": recipe.made.table.digest,
        "documents": len(texts),
        "seed": settings.seed,
        "checks": {name: check.specification() for name, check in checks.items()},
    }
    table = tables.table("edit_trials", key, lambda: build_trials(numbers.withColumnRenamed("id", NUMBER), trial))
    return read_trials(table.frame.toArrow())


def _found_pairs(recipe: Recipes, run: Settings, reach: Reach, source: Source, tables: Tables) -> list[int]:
    """Pairs of documents of the input that are found at each k from 0 on."""
    searched = search_within(recipe, run, reach, source, tables)
    edges = searched.edges
    if run.similarity_check is not None:
        edges = edges.filter(F.col(schema.SIMILARITY) >= run.similarity_check[1])
    counts = dict.fromkeys(range(reach.max_distance + 1), 0)
    rows = count_found_pairs(searched.fingerprints, edges.select(*schema.EDGES.names)).collect()
    counts |= {row[schema.DISTANCE]: row["pairs"] for row in rows}
    return [int(count) for count in np.cumsum([counts[k] for k in sorted(counts)])]


def _figures(tried: Tried, limits: Limits, found: list[int], settings: EvaluateSettings) -> Row:
    """Recall of edits; and where fingerprints decide, the false pairs to expect and what precision that makes.

    Pairs of different documents grow with the square of the corpus, pairs of duplicates with the corpus.
    """
    at = limits.max_distance
    row = recall_of_edits(tried.trials.are_found(limits), resamples=settings.resamples, seed=settings.seed)
    row["found_pairs"] = found[at] if at < len(found) else None
    if limits.measure is not None:
        return row
    false = tried.model.false_pairs(at, limits.max_total_distance)
    expected = false.expected(tried.corpus_size)
    row |= {
        "false_pairs_seen": false.seen,
        "false_pairs": expected,
        "false_pairs_per_1000": 1000 * expected / max(tried.corpus_size, 1),
    }
    if at < len(found):
        right = max(found[at] - false.expected(tried.documents), 0.0) * tried.corpus_size / tried.documents
        row["estimated_precision"] = right / (right + expected) if right + expected else 1.0
    return row


def _with_status(figure: Row, reach: Reach) -> Row:
    return figure if figure["found_pairs"] is not None else figure | {"status": reach.reason}


def _by_edit(tried: Tried, limits: Limits, row: Row, settings: EvaluateSettings) -> list[Row]:
    setting = {name: row[name] for name in ("views", "weight", "calibration", "verify", "max_distance")}
    found = tried.trials.are_found(limits)
    ones = recall_by_edit(found, tried.trials.shares, resamples=settings.resamples, seed=settings.seed)
    return [setting | one for one in ones]
