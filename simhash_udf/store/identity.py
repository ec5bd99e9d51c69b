"""Whether a run is in the store already, and what it starts from.

A run is known by its id. The same id with the same input changes nothing; with another input it is refused, unless it
was the last one and is to be replaced: then it starts from the version before.
"""

from __future__ import annotations

from typing import NoReturn

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema
from simhash_udf.config import Settings
from simhash_udf.errors import InputError, SimhashError
from simhash_udf.runtime.digests import digest_of
from simhash_udf.store.manifest import FENCE, RUN, Manifest, RunRecord, read_manifest


def input_digest(listing: str, settings: Settings) -> str:
    """Return the digest of an input: its listing, and the settings that say what is read of it."""
    options = [settings.input_format, sorted(settings.input_option), settings.id_column, settings.text_column]
    return digest_of([listing, options])


def content_digest(fingerprints: DataFrame) -> str:
    """Return a digest of ids and normalised texts, in any order. Cost: one pass over the table."""
    entry = F.xxhash64(schema.DOC_ID, schema.TEXT_DIGEST, schema.TEXT_LENGTH).cast("decimal(38,0)")
    row = fingerprints.agg(F.count("*"), F.coalesce(F.sum(entry), F.lit(0))).first()
    if row is None:
        raise SimhashError("the fingerprints could not be counted")
    return f"{row[0]}-{row[1]}"


def find_same_run(manifest: Manifest, settings: Settings) -> RunRecord | None:
    """Return the record of a run of this id that is not to be replaced, None where there is none.

    Raises
    ------
    InputError
        There is one, and it was made with another k.
    """
    run = manifest.find_run(settings.run_id or "")
    if run is None or settings.replace_run:
        return None
    made, asked = (run.max_distance, run.max_total_distance), (settings.max_distance, settings.total_distance)
    if made != asked:
        raise _refusal(
            settings, f"with max_distance={made[0]} and max_total_distance={made[1]}, not {asked[0]} and {asked[1]}"
        )
    return run


def refuse_other_input(settings: Settings) -> NoReturn:
    """Refuse a run whose id is in the store with other documents.

    Raises
    ------
    InputError
        Always.
    """
    raise _refusal(settings, "with other documents or texts")


def base_of(store: str, manifest: Manifest, settings: Settings) -> Manifest:
    """Return the version that a run adds to: the newest, or the one before the run that is replaced.

    Raises
    ------
    InputError
        The run that is to be replaced was not the last change of the store.
    """
    run_id = settings.run_id or ""
    if manifest.find_run(run_id) is None:
        return manifest
    last = manifest
    while last.action == FENCE:
        last = read_manifest(store, last.base)
    if last.action != RUN or last.run_id != run_id:
        done = f"run {last.run_id}" if last.action == RUN else last.action
        raise InputError(
            f"run_id={run_id} is in store={store}, and {done} came after it; only the last run can be replaced: take "
            f"its documents out with jobs/store.py forget, and give the batch a new run_id"
        )
    return read_manifest(store, last.base)


def _refusal(settings: Settings, how: str) -> InputError:
    return InputError(
        f"run_id={settings.run_id} is in store={settings.store} already, {how}; choose another run_id, or replace the "
        f"run with --replace-run if it was the last one"
    )
