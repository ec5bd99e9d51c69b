"""The results of a run, read back from the store: what a run wrote there can be written out again at any time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from simhash_udf import schema, store_schema
from simhash_udf.alarms import report_sources
from simhash_udf.config import Settings
from simhash_udf.runtime.inputs import Source, partition_columns
from simhash_udf.runtime.output import SUCCESS, OutputDirectory
from simhash_udf.runtime.storage import exists, read_json
from simhash_udf.stages.answered import annotate_answered, filter_new, with_other_texts
from simhash_udf.stages.documents import repeated_ids, select_documents, select_rejected, without_rejected
from simhash_udf.stages.members import describe_members
from simhash_udf.stages.stored import (
    GROUP_KEY,
    NODE_KEY,
    current_groups,
    current_memberships,
    rows_with,
    with_node_key,
)
from simhash_udf.store.frames import StoreFrames
from simhash_udf.store.layout import ANSWERS, CHANGES, FINGERPRINTS, GROUPS, MEMBERSHIPS
from simhash_udf.store.manifest import RunRecord
from simhash_udf.store.reading import find_documents


@dataclass(frozen=True)
class RunResults:
    """What a run of the store gave.

    Parameters
    ----------
    frames
        The store, at the run's version or a later one.
    run
        The run.
    num_views
        Fingerprints of a document.
    """

    frames: StoreFrames
    run: RunRecord
    num_views: int

    def answers(self) -> DataFrame:
        """Return the answers that the run gave."""
        return self.frames.table(ANSWERS).filter(F.col(store_schema.RUN_ID) == self.run.run_id)

    def changes(self) -> DataFrame:
        """Return the older documents that it changed."""
        return self.frames.table(CHANGES).filter(F.col(store_schema.VERSION) == self.run.version)

    def groups(self) -> DataFrame:
        """Return the members of the groups that have documents of the run, as they are now."""
        stored = self.frames.table(FINGERPRINTS)
        mine = with_node_key(stored.filter(F.col(store_schema.RUN_ID) == self.run.run_id))
        few, members = self.run.counts["admitted"], self.run.counts["members"]
        # 1 their nodes, 2 the groups of these, 3 all nodes of those, 4 all documents
        memberships = self.frames.table(MEMBERSHIPS)
        of_nodes = current_memberships(rows_with(memberships, mine, NODE_KEY, num_wanted=few))
        of_groups = rows_with(memberships, of_nodes, GROUP_KEY, num_wanted=few).drop(store_schema.VERSION).distinct()
        groups = current_groups(rows_with(self.frames.table(GROUPS), of_nodes, GROUP_KEY, num_wanted=few))
        documents = find_documents(self.frames, of_groups, num_wanted=members)
        return describe_members(documents, of_groups, groups, num_views=self.num_views)


def is_written(settings: Settings) -> bool:
    """Say whether the output holds the whole results of this very run."""
    place = settings.output.rstrip("/")
    report = read_json(f"{place}/report.json") if place and exists(f"{place}/{SUCCESS}") else None
    told = (report or {}).get("settings", {})
    return bool(told) and (told.get("store"), told.get("run_id")) == (settings.store, settings.run_id)


def write_results(output: OutputDirectory, results: RunResults, source: Source, settings: Settings) -> dict[str, Any]:
    """Write the tables of a run, and return what the report says of its sources."""
    columns = {"id_column": settings.id_column, "text_column": settings.text_column}
    repeated = repeated_ids(select_documents(source.frame, **columns))
    answers = results.answers()
    rows = without_rejected(source.frame, repeated, **columns)
    rejected = select_rejected(source.frame, repeated, **columns)
    output.begin()
    output.write_table("answers", answers)
    output.write_table("changes", results.changes())
    output.write_table("groups", results.groups())
    output.write_table("rejected", with_other_texts(rejected, rows, answers, id_column=settings.id_column))
    if settings.mode != "groups":
        choose = annotate_answered if settings.mode == "annotate" else filter_new
        partitions = partition_columns(source.frame.sparkSession, settings)
        documents = choose(rows, answers, id_column=settings.id_column)
        output.write_table("documents", documents, partition_by=partitions)
    is_new = (F.col(store_schema.ANSWER) == store_schema.NEW).alias(schema.IS_REPRESENTATIVE)
    came_in = answers.filter(F.col(store_schema.ANSWER) != store_schema.KNOWN)
    return report_sources(rows, came_in.select(schema.DOC_ID, is_new), settings)
