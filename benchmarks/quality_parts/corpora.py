"""The labelled corpora: which files make each of them, and one Parquet file of it for those who want a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

COLUMNS = ["id", "text", "cluster"]


@dataclass(frozen=True)
class Corpus:
    """A labelled corpus.

    Parameters
    ----------
    name
        Its name in the tables.
    parts
        Files of which it is made, without ``.parquet``; equal clusters of two files are one cluster.
    kind
        ``short`` texts of some fifty characters, ``spaced`` words, or ``long``: peers cut these differently.
    """

    name: str
    parts: tuple[str, ...]
    kind: str = "long"

    def table(self, data: Path) -> pa.Table:
        """Return its rows ``id, text, cluster``."""
        tables = [pq.read_table(data / f"{part}.parquet", columns=COLUMNS) for part in self.parts]
        return pa.concat_tables(tables).combine_chunks()

    def write(self, data: Path, work: Path) -> Path:
        """Write its rows to a file of its name, if there is none, and return the file."""
        place = work / f"{self.name}.parquet"
        if not place.exists():
            work.mkdir(parents=True, exist_ok=True)
            pq.write_table(self.table(data), place)
        return place


def numbers_of(clusters: pa.ChunkedArray) -> NDArray[np.int64]:
    """Return a number for each cluster: ``int64`` ``(n,)``."""
    names = clusters.to_numpy(zero_copy_only=False)
    return np.unique(names, return_inverse=True)[1].reshape(-1).astype(np.int64)


_ENGLISH = ("en_peps_revisions", "en_opensource_articles")

CORPORA = {
    corpus.name: corpus
    for corpus in (
        Corpus("zh_lctt_ccbysa", ("zh_lctt_ccbysa",)),
        Corpus("zh_vsdocs_revisions", ("zh_vsdocs_revisions",)),
        Corpus("english", _ENGLISH, "spaced"),
        Corpus("zh_poem_variants", ("zh_poem_variants",), "short"),
        Corpus("zh_laws", ("zh_laws",)),
        Corpus("zh_leetcode_same", ("zh_leetcode_same",)),
        Corpus("zh_lctt_ccbysa with grey", ("zh_lctt_ccbysa", "zh_lctt_ccbysa_grey")),
        Corpus("zh_vsdocs_revisions with grey", ("zh_vsdocs_revisions", "zh_vsdocs_revisions_grey")),
        Corpus("english with grey", (*_ENGLISH, "en_peps_revisions_grey"), "spaced"),
    )
}
"""``with grey``: versions that were edited so heavily that people would differ count as duplicates."""
