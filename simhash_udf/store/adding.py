"""Adding a batch: from its fingerprints to the version of the store that has them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, StructType

from simhash_udf import schema, store_schema
from simhash_udf.alarms import check_group_sizes
from simhash_udf.config import Settings
from simhash_udf.errors import SimhashError
from simhash_udf.pipeline.fingerprinting import Fingerprinted
from simhash_udf.runtime.tables import Tables
from simhash_udf.stages.answers import count_assigned, group_rows
from simhash_udf.store import layout
from simhash_udf.store.admission import Admitted, admit
from simhash_udf.store.batch import Assigned, assign_batch, store_columns, stored_schema
from simhash_udf.store.claim import Claim
from simhash_udf.store.committing import Writer
from simhash_udf.store.damage import naming_damage
from simhash_udf.store.frames import StoreFrames
from simhash_udf.store.manifest import RUN, Manifest, RunRecord
from simhash_udf.store.matching import Matcher
from simhash_udf.store.publishing import now, publish
from simhash_udf.store.recipes import write_recipe

NO_GROUPS = {
    store_schema.NEW: 0,
    store_schema.DUPLICATE: 0,
    store_schema.FIRST_DUPLICATE: 0,
    store_schema.MERGED: 0,
    "new_members": 0,
    "changed_groups": 0,
    "members": 0,
    "new_groups": 0,
}
"""What `count_assigned` gives for a batch of which nothing came in."""


@dataclass(frozen=True)
class Addition:
    """What a run adds to, and how.

    Parameters
    ----------
    base
        The store that the run adds to; its manifest is empty for the first run.
    newest
        Number of the newest version, which is another one if a run is replaced.
    claim
        The right to write.
    settings
        Of the run.
    tables, cores
        Where results between go, and the cluster's cores.
    """

    base: StoreFrames
    newest: int
    claim: Claim
    settings: Settings
    tables: Tables
    cores: int


@dataclass(frozen=True)
class Batch:
    """What comes.

    Parameters
    ----------
    made
        Its fingerprints.
    keep_values
        ``doc_id`` and the columns that the keep policies read, None if they read none.
    specification
        As `specification.specify` gives it.
    input, content
        Digests of the input and of what was read of it.
    """

    made: Fingerprinted
    keep_values: DataFrame | None
    specification: dict[str, Any]
    input: str
    content: str


def add_batch(addition: Addition, batch: Batch) -> tuple[Manifest, list[dict[str, Any]]]:
    """Add a batch to a store, and return the version that has it, with the groups that are large.

    Raises
    ------
    InputError
        Ids are in the store with other texts, a group is larger than the settings allow, or a file of the store is
        damaged; nothing becomes visible.
    SimhashError
        The claim was lost; nothing becomes visible.
    """
    with naming_damage(addition.base.store):
        return _add(addition, batch)


def _add(addition: Addition, batch: Batch) -> tuple[Manifest, list[dict[str, Any]]]:
    settings, tables = addition.settings, addition.tables
    num_views = len(batch.made.recipe.views)
    # 1 documents in the columns of the store
    documents = store_columns(batch.made, batch.keep_values, settings, tables)
    columns = stored_schema(documents.frame, num_views)
    base = _with_schemas(addition.base, columns)
    # 2 those that come in, 3 their groups
    matcher = Matcher(base, settings, num_views, tables, addition.cores)
    admitted = admit(documents, matcher, settings, tables)
    assigned = assign_batch(admitted, matcher, settings, tables) if admitted.batch.rows else None
    counts = _counts(assigned)
    large = [] if assigned is None else check_group_sizes(_as_groups(assigned), settings)
    # 4 files, 5 manifest
    writer = Writer(base, addition.newest + 1, settings.run_id or "", addition.claim, tables)
    added = writer.write_documents(admitted, columns) | writer.write_answers(admitted, assigned)
    if assigned is not None and counts["changed_groups"]:
        added |= writer.write_groups(assigned, counts)
    manifest = _manifest(addition, batch, base.manifest, _record(addition, batch, admitted, counts))
    manifest = replace(manifest, tables=base.manifest.with_files(added))
    publish(base.store, manifest, addition.claim)
    return manifest, large


def schemas_of(columns: StructType) -> dict[str, Any]:
    """Return the schemas of all tables of a store with such fingerprints, as JSON."""
    id_type: DataType = columns[schema.DOC_ID].dataType
    schemas = {
        layout.FINGERPRINTS: columns,
        layout.MEMBERSHIPS: store_schema.MEMBERSHIPS,
        layout.GROUPS: store_schema.groups(id_type),
        layout.ANSWERS: store_schema.answers(id_type),
        layout.CHANGES: store_schema.changes(id_type),
    }
    return {name: table.jsonValue() for name, table in schemas.items()}


def _with_schemas(base: StoreFrames, columns: StructType) -> StoreFrames:
    """The store, with the schemas that its first run gives it."""
    if not base.manifest.is_empty:
        return base
    return replace(base, manifest=replace(base.manifest, schemas=schemas_of(columns)))


def _counts(assigned: Assigned | None) -> dict[str, int]:
    """What became of the documents that came in."""
    if assigned is None:
        return NO_GROUPS
    row = count_assigned(assigned.table.frame).first()
    if row is None:
        raise SimhashError("the groups could not be counted")
    return {name: int(row[name]) for name in NO_GROUPS}


def _as_groups(assigned: Assigned) -> DataFrame:
    """The changed groups as rows of their representatives."""
    rows = group_rows(assigned.table.frame, version=0).filter(F.col(schema.GROUP_SIZE) > 0)
    kept = F.col(schema.REPRESENTATIVE_ID).alias(schema.DOC_ID)
    return rows.select(schema.GROUP_ID, schema.GROUP_SIZE, kept, F.lit(True).alias(schema.IS_REPRESENTATIVE))


def _record(addition: Addition, batch: Batch, admitted: Admitted, counts: dict[str, int]) -> RunRecord:
    """What the manifest says of the run."""
    settings = addition.settings
    told = {
        **batch.made.counts,
        "known": admitted.num_known,
        "other_text": admitted.num_other_text,
        "admitted": admitted.batch.rows,
        **counts,
    }
    return RunRecord(
        settings.run_id or "",
        addition.newest + 1,
        now(),
        batch.input,
        batch.content,
        settings.max_distance,
        settings.total_distance,
        told,
    )


def _manifest(addition: Addition, batch: Batch, base: Manifest, run: RunRecord) -> Manifest:
    """The next version without its files."""
    gained = {
        "documents": run.counts["admitted"],
        "groups": run.counts["new_groups"] - run.counts[store_schema.MERGED],
        "members": run.counts["new_members"],
    }
    return replace(
        base,
        version=run.version,
        action=RUN,
        run_id=run.run_id,
        created=run.created,
        base=base.version,
        specification=batch.specification,
        recipe=write_recipe(addition.base.store, batch.made.recipe),
        max_distance=min(base.max_distance, run.max_distance),
        max_total_distance=min(base.max_total_distance, run.max_total_distance),
        runs=(*base.runs, run),
        counts={name: base.counts.get(name, 0) + count for name, count in gained.items()},
    )
