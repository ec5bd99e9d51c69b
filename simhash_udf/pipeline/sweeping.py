"""The sweep of an evaluation: one set of fingerprints a recipe, one search a check, and a row of figures for each k."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from pyspark.sql import DataFrame

from simhash_udf.config import Settings
from simhash_udf.config_evaluation import EvaluateSettings
from simhash_udf.errors import SettingError
from simhash_udf.evaluation.labels import Labels
from simhash_udf.evaluation.limits import Limits
from simhash_udf.evaluation.scoring import Row, score_findings
from simhash_udf.kernel.plan import choose_plan
from simhash_udf.pipeline.fingerprinting import Fingerprinted, fingerprint_documents
from simhash_udf.pipeline.searching import Searched, find_labelled, search_pairs
from simhash_udf.pipeline.surveying import Survey, survey_pairs
from simhash_udf.runtime.inputs import Source
from simhash_udf.runtime.labels import keep_known, number_ids
from simhash_udf.runtime.recipes import make_recipe
from simhash_udf.runtime.tables import Tables

log = logging.getLogger("simhash_udf")

MAX_EDGES = 20_000_000
"""Edges that the driver holds at one time, at about 40 bytes; their components take it 13 s."""

MAX_COMPARED = 2_000_000
"""Edges whose texts are compared: with 500 features a text that is 16 GB through the network."""

BITS = 64


@dataclass(frozen=True)
class Recipes:
    """One set of fingerprints, the runs of the sweep that use it, the documents of the whole corpus, and the cores."""

    made: Fingerprinted
    survey: Survey
    runs: list[Settings]
    corpus_size: int
    cores: int


@dataclass(frozen=True)
class Reach:
    """How far one search goes, and why not farther."""

    max_distance: int
    reason: str


def sweep_labelled(
    source: Source, settings: EvaluateSettings, labels: Labels, tables: Tables
) -> tuple[list[Row], Labels]:
    """Return a row of figures for every run and k, and the labels of the documents that are there.

    Raises
    ------
    InputError
        The labels name no document that is there, or no pair of them.
    """
    numbers = number_ids(source.frame.sparkSession, labels)
    rows: list[Row] = []
    kept: Labels | None = None
    for recipe in make_recipes(source, settings, tables):
        for run in recipe.runs:
            reach = reach_of(run, recipe.survey)
            figures: list[Row] = []
            if reach.max_distance >= 0:
                searched = search_within(recipe, run, reach, source, tables)
                kept, figures = _score(searched, run, reach, numbers, (labels, kept, settings))
            beyond: Row = {"status": reach.reason}
            rows += described(run, recipe, figures + [beyond] * (settings.max_distance - reach.max_distance))
    if kept is None:
        raise SettingError(f"nothing can be evaluated: {rows[0]['status']}; calibrate, or evaluate fewer documents")
    return rows, kept


def make_recipes(source: Source, settings: EvaluateSettings, tables: Tables) -> Iterator[Recipes]:
    """Give the fingerprints of every recipe of the sweep, each made once."""
    by_recipe = groupby(settings.runs, key=lambda run: (run.view_tokenizers, run.weight, run.calibration))
    for _, runs in by_recipe:
        same = list(runs)
        made = fingerprint_documents(source, same[0], make_recipe(same[0]), tables)
        survey = survey_pairs(made)
        yield Recipes(made, survey, same, settings.corpus_size or survey.documents, source.cores)


def limits_of(run: Settings, max_distance: int) -> Limits:
    """Return the limits of a run at a smaller k."""
    measure, least = run.similarity_check or (None, None)
    return Limits(max_distance, run.total_distance, measure, least)


def reach_of(run: Settings, survey: Survey) -> Reach:
    """Return the largest k at which the pairs are few enough, -1 if there is none."""
    room = MAX_COMPARED if run.similarity_check else MAX_EDGES
    for k in range(run.max_distance, -1, -1):
        if survey.expected_edges(k, run.total_distance) <= room:
            beyond = survey.expected_edges(k + 1, run.total_distance)
            return Reach(k, f"left out: about {beyond:.1g} edges, more than {room:.0e}")
    return Reach(-1, f"left out: about {survey.expected_edges(0, run.total_distance):.1g} edges, more than {room:.0e}")


def search_within(recipe: Recipes, run: Settings, reach: Reach, source: Source, tables: Tables) -> Searched:
    """Search all pairs of a run as far as it reaches."""
    # with one view the sum is the distance, and runs with and without a check share a search
    total = BITS if len(recipe.made.recipe.views) == 1 else run.total_distance
    at = {"max_distance": reach.max_distance, "max_total_distance": total, "write_pairs": True}
    log.info("evaluate: views=%s k=%d verify=%s", ",".join(run.view_tokenizers), reach.max_distance, run.verify)
    return search_pairs(recipe.made, source, run.model_copy(update=at), tables)


def described(run: Settings, recipe: Recipes, figures: list[Row]) -> list[Row]:
    """Return a row for each k from 0: the setting and its figures; a ``status`` among these says why there are none."""
    setting: Row = {
        "views": ",".join(run.view_tokenizers),
        "weight": run.weight,
        "calibration": run.calibration if recipe.made.recipe.thresholds is not None else "none",
        "verify": run.verify,
    }
    limits: list[Row] = [
        {"max_distance": k, "max_total_distance": run.total_distance, **_cost(run, recipe, k), "status": "evaluated"}
        for k in range(len(figures))
    ]
    return [setting | limit | figure for limit, figure in zip(limits, figures, strict=True)]


def _cost(run: Settings, recipe: Recipes, k: int) -> Row:
    """What the join of the whole corpus is planned to cost: bands, and seconds on the cores at hand."""
    plan = choose_plan(
        np.unique(recipe.survey.words, axis=0),
        recipe.corpus_size,
        max_distance=k,
        max_total_distance=run.total_distance,
        cores=recipe.cores,
        max_shuffle_bytes=run.max_shuffle_bytes,
    )
    return {"bands": len(plan.bands), "join_seconds": plan.seconds}


def _score(
    searched: Searched,
    run: Settings,
    reach: Reach,
    numbers: DataFrame,
    known: tuple[Labels, Labels | None, EvaluateSettings],
) -> tuple[Labels, list[Row]]:
    """Labels of the documents that are there, and the figures of each k."""
    labels, kept, settings = known
    there, found = find_labelled(searched, numbers)
    kept = keep_known(labels, there, settings) if kept is None else kept
    figures = []
    for k in range(reach.max_distance + 1):
        limits = limits_of(run, k)
        figures.append(
            score_findings(
                found.within(k, limits.min_similarity), kept, resamples=settings.resamples, seed=settings.seed
            )
        )
    return kept, figures
