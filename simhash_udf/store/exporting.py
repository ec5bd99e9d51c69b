"""The current groups of a store as a plain Parquet table."""

from __future__ import annotations

from pyspark.sql import SparkSession

from simhash_udf.runtime.output import OutputDirectory
from simhash_udf.store.files import check_files
from simhash_udf.store.frames import StoreFrames
from simhash_udf.store.layout import GROUPS
from simhash_udf.store.manifest import open_store
from simhash_udf.store.views import members_of_store


def export_groups(spark: SparkSession, store: str, output: str, *, overwrite: bool) -> str:
    """Write ``OUTPUT/groups``, one row for each document that has a duplicate, and return one line on it.

    Raises
    ------
    SettingError, InputError
        There is no store, it is damaged, or the output holds other things.
    """
    manifest = open_store(store)
    check_files(store, manifest)
    place = OutputDirectory(output, inputs=[store], overwrite=overwrite)
    members = members_of_store(StoreFrames(spark, store, manifest))
    place.begin()
    place.write_table(GROUPS, members)
    place.write_json("specification.json", {"store": store, "version": manifest.version, **manifest.specification})
    place.finish()
    return f"{place.path}/{GROUPS}: {manifest.counts['members']:,} members of {manifest.counts['groups']:,} groups"
