"""The evaluation as one call: settings of the main job judged on the user's own documents, with labels or without."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from importlib.util import find_spec

from pyspark.sql import SparkSession

from simhash_udf.config import NO_CHECK, CheckSettings, SearchSettings, TextSettings
from simhash_udf.config_evaluation import EvaluateSettings
from simhash_udf.errors import SettingError
from simhash_udf.evaluation.evaluated import Evaluated, Recommended
from simhash_udf.evaluation.recommendation import Advice, Figures, recommend
from simhash_udf.pipeline.sweeping import sweep_labelled
from simhash_udf.pipeline.trying import sweep_edits
from simhash_udf.runtime.inputs import Source, input_places, read_source
from simhash_udf.runtime.labels import read_labels
from simhash_udf.runtime.options import as_arguments
from simhash_udf.runtime.output import WORK, OutputDirectory, check_place
from simhash_udf.runtime.storage import delete
from simhash_udf.runtime.tables import Tables, WorkTables

PACKAGES = {"matplotlib": "matplotlib", "sklearn": "scikit-learn"}

log = logging.getLogger("simhash_udf")


def run_evaluate(spark: SparkSession, settings: EvaluateSettings) -> None:
    """Evaluate the sweep of the settings, write its tables, picture and page, and print a recommendation.

    The output has ``evaluation.parquet``, ``evaluation.csv``, ``curve.png``, ``evaluation.html``,
    ``recommendation.json``, without labels ``edits.csv`` besides, and ``_SUCCESS`` last.

    Raises
    ------
    SettingError, InputError
        A setting, the input or the labels are wrong.
    """
    _require_packages()
    from simhash_udf.evaluation.report import build_files  # noqa: PLC0415 (optional packages, checked just now)

    places = [*input_places(settings), *([settings.labels] if settings.labels else [])]
    output = OutputDirectory(settings.output, inputs=places, overwrite=settings.overwrite)
    check_place("work_dir", settings.work_dir, places)
    source = read_source(spark, settings)
    tables = WorkTables(spark, settings.work_dir or f"{output.path}/{WORK}", resume=settings.resume)
    found = _evaluate_edits(source, settings, tables) if settings.synthetic else _evaluate(source, settings, tables)
    output.begin()
    for name, content in build_files(found).items():
        output.write_file(name, content)
    output.write_json("recommendation.json", _summary(found, settings))
    output.finish()
    if settings.work_dir is None:
        delete(f"{output.path}/{WORK}")
    for recommended in found.recommended:
        print("\n".join(filter(None, [recommended.sentence, recommended.options])))
    log.info("done: %s", " ".join(f"{name}={value}" for name, value in found.counts.items()))


def _evaluate(source: Source, settings: EvaluateSettings, tables: Tables) -> Evaluated:
    labels = read_labels(source.frame.sparkSession, settings)
    rows, kept = sweep_labelled(source, settings, labels, tables)
    advice = recommend(rows, settings.target_precision, Figures("groups_precision", "groups_recall", "pairs"))
    return Evaluated(rows, [], kept.counts, _recommended(advice, settings), settings.target_precision)


def _evaluate_edits(source: Source, settings: EvaluateSettings, tables: Tables) -> Evaluated:
    sweep = sweep_edits(source, settings, tables)
    advice = recommend(sweep.rows, settings.target_precision, Figures("estimated_precision", "recall", "edits"))
    counts = {"documents": sweep.documents, "corpus_size": sweep.corpus_size, "edited_documents": sweep.edited}
    return Evaluated(sweep.rows, sweep.edits, counts, _recommended(advice, settings), settings.target_precision)


def _recommended(advice: Sequence[Advice], settings: EvaluateSettings) -> list[Recommended]:
    return [
        Recommended(one.row, one.sentence, "" if one.row is None else options_of(one.row, settings)) for one in advice
    ]


def options_of(row: int, settings: EvaluateSettings) -> str:
    """Return the command-line options of the main job for a row of the table, those at their defaults left out.

    What a preset decides is always there, so that they mean the same beside any preset.
    """
    run = settings.runs[row // (settings.max_distance + 1)]
    chosen = run.model_copy(update={"max_distance": row % (settings.max_distance + 1)})
    names = [name for section in (TextSettings, SearchSettings, CheckSettings) for name in section.model_fields]
    names.remove("tokenizer")  # views are named
    arguments = as_arguments(chosen, names, always=("views", "weight", "max_distance", "verify"))
    return " ".join(arguments + (["--verify", NO_CHECK] if chosen.verify is None else []))


def _summary(found: Evaluated, settings: EvaluateSettings) -> dict[str, object]:
    return {
        "target_precision": found.target,
        "recommended": [
            {
                "sentence": one.sentence,
                "options": one.options,
                "figures": None if one.row is None else found.rows[one.row],
            }
            for one in found.recommended
        ],
        "counts": found.counts,
        "settings": json.loads(settings.model_dump_json()),
    }


def _require_packages() -> None:
    missing = [package for module, package in PACKAGES.items() if find_spec(module) is None]
    if missing:
        raise SettingError(
            f"the evaluation needs {', '.join(missing)} on the driver; run `pip install simhash-dedup[report]`"
        )
