"""The current state of a store as tables: memberships, groups, and the members of all groups."""

from __future__ import annotations

from pyspark.sql import DataFrame

from simhash_udf.stages.members import describe_members
from simhash_udf.stages.stored import current_groups, current_memberships, with_node_key
from simhash_udf.store.frames import StoreFrames
from simhash_udf.store.layout import FINGERPRINTS, GROUPS, MEMBERSHIPS


def num_views(frames: StoreFrames) -> int:
    """Return how many fingerprints a document of the store has."""
    return len(frames.manifest.specification["views"])


def members_of_store(frames: StoreFrames) -> DataFrame:
    """Return the members of all groups: the columns of table groups, then ``run_id``.

    Cost: one pass over the store, and a shuffle of the memberships and of the members.
    """
    return describe_members(
        with_node_key(frames.table(FINGERPRINTS)),
        current_memberships(frames.table(MEMBERSHIPS)),
        current_groups(frames.table(GROUPS)),
        num_views=num_views(frames),
    )
