"""Which documents of a batch come into the store: those whose ids are not in it yet."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema, store_schema
from simhash_udf.config import Settings
from simhash_udf.errors import InputError
from simhash_udf.runtime.tables import StageTable, Tables
from simhash_udf.stages.stored import rows_with
from simhash_udf.store.frames import StoreFrames
from simhash_udf.store.layout import FINGERPRINTS
from simhash_udf.store.matching import Matcher, known_hashes

_IS_SAME = "is_same_text"


@dataclass(frozen=True)
class Admitted:
    """A batch, and what became of the rest of it.

    Parameters
    ----------
    batch
        Documents that come in.
    scan
        Their scan of the store; None where there is nothing to look for, or one join is to find all.
    known
        ``doc_id, run_id`` of those that are in the store with the same text, and the run in which they came.
    num_known, num_other_text
        How many they are, and how many have an id of the store with another text.
    is_joined
        Whether one join of batch and store is cheaper than scans.
    """

    batch: StageTable
    scan: StageTable | None
    known: DataFrame
    num_known: int = 0
    num_other_text: int = 0
    is_joined: bool = False


def admit(documents: StageTable, matcher: Matcher, settings: Settings, tables: Tables) -> Admitted:
    """Return the documents of a batch that are not in the store.

    Parameters
    ----------
    documents
        Fingerprints of the whole batch, in the columns of the store.
    matcher
        Of the store before the batch.
    settings
        ``on_bad_rows`` is read.
    tables
        Where results go.

    Raises
    ------
    InputError
        An id is in the store with another text, where the policy is to fail; the message counts them.
    """
    nobody = documents.frame.select(schema.DOC_ID, store_schema.RUN_ID).limit(0)
    if not documents.rows or not matcher.frames.rows(FINGERPRINTS):
        return Admitted(documents, None, nobody)
    joins = matcher.prefers_join(documents)
    scan = matcher.scan_ids(documents) if joins else matcher.scan("scan", documents)
    hashes = known_hashes(scan.frame)
    if hashes.isEmpty():
        return Admitted(documents, None if joins else scan, nobody, is_joined=joins)
    key = {"scan": scan.digest, "documents": documents.digest}
    known = tables.table("known", key, lambda: _known(documents.frame, matcher.frames, hashes, documents.rows))
    same = known.frame.filter(_IS_SAME).select(schema.DOC_ID, store_schema.RUN_ID)
    num_same = same.count()
    num_other = known.rows - num_same
    if num_other and settings.on_bad_rows != "set_aside":
        raise InputError(
            f"{num_other} rows have an id that is in store={matcher.frames.store} with another text; give changed "
            f"documents new ids, take the old ones out with jobs/store.py forget, or set the rows aside with "
            f"on_bad_rows=set_aside"
        )
    ids = known.frame.select(schema.DOC_ID)
    batch = tables.table("admitted", key, lambda: documents.frame.join(ids, on=schema.DOC_ID, how="left_anti"))
    # a second pass over the store, so that no edge is one of a document that does not come in
    again = None if joins or not batch.rows else matcher.scan("scan_admitted", batch)
    return Admitted(batch, again, same, num_same, num_other, is_joined=joins)


def _known(batch: DataFrame, frames: StoreFrames, hashes: DataFrame, rows: int) -> DataFrame:
    """``doc_id, run_id, is_same_text`` of the ids that batch and store have both."""
    columns = [schema.DOC_ID, store_schema.ID_HASH, schema.TEXT_DIGEST, schema.TEXT_LENGTH]
    mine = batch.select(*columns).join(hashes, on=store_schema.ID_HASH, how="left_semi")
    stored = rows_with(frames.table(FINGERPRINTS), hashes, [store_schema.ID_HASH], num_wanted=rows).select(
        schema.DOC_ID,
        store_schema.RUN_ID,
        F.col(schema.TEXT_DIGEST).alias("stored_digest"),
        F.col(schema.TEXT_LENGTH).alias("stored_length"),
    )
    same_digest = F.col(schema.TEXT_DIGEST) == F.col("stored_digest")
    is_same = same_digest & (F.col(schema.TEXT_LENGTH) == F.col("stored_length"))
    both = mine.join(stored, on=schema.DOC_ID, how="inner")
    return both.select(schema.DOC_ID, store_schema.RUN_ID, is_same.alias(_IS_SAME))
