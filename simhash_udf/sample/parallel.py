"""The sample corpus made by several processes: the same documents, as tables."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import count

import pyarrow as pa
import pyarrow.compute as pc

from simhash_udf.sample.corpus import write_family

FAMILIES_PER_TABLE = 1000
"""About 1,500 documents, 2.5 MB, a sixth of a second."""

COLUMNS = ("prefix", "text", "source", "published", "cluster", "kind")


def generate_tables(num_documents: int, *, seed: int = 0, processes: int) -> Iterator[pa.Table]:
    """Yield the documents of `generate_documents`, in the same order, as tables with a column for each field.

    Families do not depend on one another, so each process writes its own; numbers are given here, in order.
    """
    number = 0
    for table in _family_tables(seed, processes) if num_documents else ():
        rows = table.slice(0, num_documents - number)
        digits = pc.utf8_lpad(pa.array(range(number, number + rows.num_rows)).cast(pa.string()), 7, "0")
        ids = pc.binary_join_element_wise(rows["prefix"], digits, "")
        yield rows.set_column(0, "id", ids)
        number += rows.num_rows
        if number == num_documents:
            return


def _family_tables(seed: int, processes: int) -> Iterator[pa.Table]:
    """Tables of the families in order, without end; at most two for each process are waiting."""
    with ProcessPoolExecutor(processes) as pool:
        waiting: deque[Future[pa.Table]] = deque()
        try:
            for table in count(0):
                waiting.append(pool.submit(_write_families, seed, table * FAMILIES_PER_TABLE, FAMILIES_PER_TABLE))
                if len(waiting) == 2 * processes:
                    yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _write_families(seed: int, first: int, families: int) -> pa.Table:
    members = [member for family in range(first, first + families) for member in write_family(seed, family)]
    types = {"published": pa.date32()}
    columns = {name: [getattr(member, name) for member in members] for name in COLUMNS}
    return pa.table({name: pa.array(values, types.get(name, pa.string())) for name, values in columns.items()})
