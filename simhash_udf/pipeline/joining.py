"""The band join wave by wave, and how far off its plan was."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from pyspark.sql import DataFrame

from simhash_udf.config import Settings
from simhash_udf.errors import SimhashError
from simhash_udf.kernel.plan import BandPlan
from simhash_udf.pipeline.connecting import union_all
from simhash_udf.runtime.tables import StageTable, Tables
from simhash_udf.stages.edges import build_edges_sql, join_blocks, select_joined, sum_joined

log = logging.getLogger("simhash_udf")


@dataclass(frozen=True)
class JoinFigures:
    """What a join costs, as planned or as it came out; None where it was not counted.

    Attributes
    ----------
    records, shuffle_bytes
        Records in the shuffle, and the bytes of them.
    comparisons
        Pairs of records that are compared.
    seconds
        Wall time of all waves.
    """

    records: int | None
    shuffle_bytes: int | None
    comparisons: int | None
    seconds: float | None


@dataclass(frozen=True)
class JoinedEdges:
    """Edges as the join finds them, all waves together.

    Attributes
    ----------
    edges
        Table edges; a pair may be there twice unless all pairs are asked for.
    rows
        How many.
    digests
        Of the tables of the waves.
    measured
        What the join did.
    """

    edges: DataFrame
    rows: int
    digests: list[str]
    measured: JoinFigures


def join_nodes(
    nodes: DataFrame, plan: BandPlan, settings: Settings, tables: Tables, made_from: Mapping[str, Any]
) -> JoinedEdges:
    """Return the edges between the nodes, one stage table a wave.

    Parameters
    ----------
    nodes, plan
        As for `stages.edges.join_blocks`.
    settings
        Which join, and whether all pairs are kept.
    tables
        Where the tables go.
    made_from
        What names the nodes in the tables' digests.
    """
    key = dict(made_from) | {
        "num_blocks": plan.num_blocks,
        "max_distance": plan.max_distance,
        "max_total_distance": plan.max_total_distance,
        "band_join": settings.band_join,
        "all_pairs": settings.write_pairs,
    }
    if settings.band_join == "sql":
        pairs = tables.table("pairs", key, lambda: build_edges_sql(nodes, plan))
        seconds = _seconds_of([pairs], tables)
        return JoinedEdges(pairs.frame, pairs.rows, [pairs.digest], JoinFigures(None, None, None, seconds))
    waves = len(plan.waves)

    def build(wave: int) -> DataFrame:
        return join_blocks(nodes, plan, wave=wave, all_pairs=settings.write_pairs)

    joined = [
        tables.table(f"joined-{wave}", key | {"wave": [wave, waves]}, partial(build, wave)) for wave in range(waves)
    ]
    return _summed(joined, plan, tables)


def compare_with_plan(plan: BandPlan, measured: JoinFigures) -> dict[str, Any]:
    """Return planned and measured figures of a join and the second over the first, and log them in one line."""
    planned = JoinFigures(
        round(plan.records), round(plan.shuffle_bytes), round(plan.comparisons), round(plan.seconds, 1)
    )
    before, after = asdict(planned), asdict(measured)
    ratio = {name: _ratio(after[name], before[name]) for name in before}
    told = (f"{name}={before[name]:.3g}/{after[name]:.3g}" for name in before if after[name] is not None)
    log.info("join, planned/measured: %s", " ".join(told))
    return {"planned": before, "measured": after, "measured_over_planned": ratio}


def _summed(joined: list[StageTable], plan: BandPlan, tables: Tables) -> JoinedEdges:
    """All waves together, with what their tasks counted."""
    found = union_all([table.frame for table in joined])
    row = sum_joined(found).first()
    if row is None:
        raise SimhashError("the edges could not be counted")
    records, comparisons = row["records"] or 0, row["comparisons"] or 0
    figures = JoinFigures(records, 8 * plan.num_views * records, comparisons, _seconds_of(joined, tables))
    return JoinedEdges(select_joined(found), row["edges"], [table.digest for table in joined], figures)


def _seconds_of(stages: list[StageTable], tables: Tables) -> float | None:
    """Seconds that these stages took, None if one was re-used."""
    digests = {stage.digest for stage in stages}
    records = [record for record in tables.records if record.digest in digests]
    return None if any(record.is_reused for record in records) else round(sum(record.seconds for record in records), 1)


def _ratio(measured: float | None, planned: float) -> float | None:
    return None if measured is None or not planned else round(measured / planned, 3)
