"""The public index: exact answers to "which documents are within k of this one", from memory or from disk."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from simhash_udf.errors import InputError
from simhash_udf.index.content import Content, Rules, build_content, read_entries
from simhash_udf.index.directory import Generation, check_digests, read_generation, write_generation
from simhash_udf.index.entries import DISTANCE, DOC_ID, QUERY, Entries
from simhash_udf.index.ids import as_ids
from simhash_udf.index.items import Item, Items, read_items, row_of
from simhash_udf.index.saving import read_content, write_content
from simhash_udf.index.sources import Paths, read_fingerprints, recipe_of, recipe_of_output, recipe_of_texts
from simhash_udf.index.text_reader import TextReader
from simhash_udf.kernel.recipe import Recipe

Ids: TypeAlias = Iterable[Any] | pa.Array | pa.ChunkedArray


class Neighbor(NamedTuple):
    """A document near a query, and the Hamming distance; with several views, in the view where they are nearest."""

    doc_id: Any
    distance: int


class FingerprintIndex:
    """Documents by their fingerprints: every one within a distance of a query is found, up to the k it was built for.

    Make one with `build`, `from_texts`, `from_parquet` or `open`. A document may have several fingerprints; it is found
    if one of them is near, with the smallest distance. Ids are of any type that has an order, the same for all.

    Notes
    -----
    About 60 bytes a fingerprint for k = 3, on disk and mapped when opened, so that processes on one machine share it.
    What was added since the last `save` is in memory. Several threads may ask with fingerprints at once, but not with
    texts, nor while the index is changed.

    Examples
    --------
    >>> index = FingerprintIndex.build(["a", "b", "c"], [0b1111, 0b1000, -1], max_distance=3)
    >>> index.query(0b1011)
    [Neighbor(doc_id='a', distance=1), Neighbor(doc_id='b', distance=2)]
    >>> index.query(2**64 - 2, 1)
    [Neighbor(doc_id='c', distance=1)]
    """

    def __init__(self, content: Content, origin: Generation | None = None) -> None:
        self._entries = Entries(content)
        self._origin = origin

    @classmethod
    def build(  # noqa: PLR0913  one request, all but its data by keyword
        cls,
        ids: Ids,
        items: Items,
        *,
        max_distance: int = 3,
        max_total_distance: int | None = None,
        num_blocks: int | None = None,
        recipe: Recipe | None = None,
        **options: Any,
    ) -> FingerprintIndex:
        """Index fingerprints, or texts if there are settings for them.

        Parameters
        ----------
        ids
            One for each item.
        items
            Fingerprints: integers, unsigned or as ``BIGINT`` holds them, with several views sequences of them; in a
            NumPy array, an Arrow array or any other. Or texts. A null, and a text without features, is left out.
        max_distance
            k, 0 to 8: the largest distance that can be asked for.
        max_total_distance
            Largest sum of the distances over all views; 8 a view unless given.
        num_blocks
            Into how many blocks the bits are cut; unless given, as suits some 100,000 queries.
        recipe
            How texts are read, as a job made it; or as options:
        **options
            Any text setting of the job by its name, as ``tokenizer="jieba"``. Classic fingerprints, unless
            ``calibration`` names the ``thresholds.json`` of a run.

        Raises
        ------
        SettingError, InputError
            A setting cannot be right; an item is no fingerprint; ids are not one for each item, or of several types.
        """
        recipe = recipe or (recipe_of(options) if options else None)
        reader = TextReader(recipe, recipe.specification() if recipe else None, "this index")
        return cls(build_content(ids, items, Rules(max_distance, max_total_distance, num_blocks), reader))

    @classmethod
    def from_texts(cls, ids: Ids, texts: Items, *, max_distance: int = 3, **options: Any) -> FingerprintIndex:
        """Index texts; parameters and errors are those of `build`.

        Fingerprints are calibrated as the job's are: thresholds are learned from these texts, if there are 50 or more,
        and kept with the index. ``calibration="none"`` gives classic fingerprints.

        Examples
        --------
        >>> index = FingerprintIndex.from_texts([1, 2], ["市图书馆的新馆今天正式开放", "明天北部山区有小雪"])
        >>> index.query("市图书馆的新馆,今天正式开放!")
        [Neighbor(doc_id=1, distance=0)]
        """
        texts = texts if hasattr(texts, "__len__") else list(texts)
        return cls.build(ids, texts, max_distance=max_distance, recipe=recipe_of_texts(texts, options))

    @classmethod
    def from_parquet(
        cls, path: Paths, *, max_distance: int = 3, recipe: Recipe | None = None, **options: Any
    ) -> FingerprintIndex:
        """Index a table of fingerprints.

        Parameters
        ----------
        path
            Output of the job ``fingerprint``; or a file, a directory or a list of files with the columns ``doc_id`` and
            ``fingerprint``, or ``fingerprints`` with several views.
        max_distance, recipe, **options
            As in `build`. For the output of the job, the text settings are those of the job; its thresholds are found.

        Raises
        ------
        SettingError, InputError
            The settings are not those of the job; the files cannot be read.
        """
        recipe = recipe or recipe_of_output(path, options)
        return cls.build(*read_fingerprints(path), max_distance=max_distance, recipe=recipe)

    @classmethod
    def open(cls, path: str | Path) -> FingerprintIndex:
        """Open a saved index; it is mapped and not loaded, so that this takes milliseconds.

        Raises
        ------
        InputError
            The directory is no index, or not whole. Sizes are checked here, contents by `verify`.
        """
        generation = read_generation(Path(path))
        return cls(read_content(generation), generation)

    @property
    def max_distance(self) -> int:
        """k: the largest distance that can be asked for."""
        return self._entries.content.rules.max_distance

    @property
    def num_views(self) -> int:
        """How many fingerprints a document has."""
        return len(self._entries.content.bands.views)

    def __len__(self) -> int:
        return len(self._entries)

    def query(self, item: Item, max_distance: int | None = None) -> list[Neighbor]:
        """Return the documents within the distance of a text or fingerprint, by distance and then id.

        Parameters
        ----------
        item
            A text, or a fingerprint as in `build`. A text without features has no neighbours.
        max_distance
            0 to k, which it is unless given.

        Raises
        ------
        SettingError, InputError
            The distance is larger than k; the index cannot read texts; the item is neither text nor fingerprint.
        """
        if isinstance(item, str) or item is None:
            words, has_value = read_items([item], self.num_views, self._entries.content.reader)
            if not has_value[0]:
                return []
            row = words[0].tolist()
        else:
            row = row_of(item, self.num_views)
        nearest: dict[Any, int] = {}
        for doc_id, distance in self._entries.near(row, max_distance):
            nearest[doc_id] = min(distance, nearest.get(doc_id, distance))
        return sorted(map(Neighbor._make, nearest.items()), key=lambda neighbor: (neighbor.distance, neighbor.doc_id))

    def query_many(self, items: Items, max_distance: int | None = None) -> list[list[Neighbor]]:
        """Return what `query` returns for each of many items, several times faster than one by one."""
        asked: Any = items if hasattr(items, "__len__") else list(items)
        answers: list[list[Neighbor]] = [[] for _ in range(len(asked))]
        columns = (column.to_pylist() for column in self.query_table(asked, max_distance).columns)
        for query, doc_id, distance in zip(*columns, strict=True):
            answers[query].append(Neighbor(doc_id, distance))
        return answers

    def query_table(self, items: Items, max_distance: int | None = None) -> pa.Table:
        """Return the documents within the distance of many items as an Arrow table.

        Returns
        -------
        pyarrow.Table
            ``query`` (position in the items), ``doc_id``, ``distance``; by query, distance and id.
        """
        words, has_value = read_items(items, self.num_views, self._entries.content.reader)
        found = self._entries.matches(words[has_value], max_distance)
        query = pa.array(np.flatnonzero(has_value)).take(found.column(QUERY))
        found = found.set_column(0, QUERY, query)
        nearest = found.group_by([QUERY, DOC_ID]).aggregate([(DISTANCE, "min")])
        nearest = nearest.select([QUERY, DOC_ID, f"{DISTANCE}_min"]).rename_columns([QUERY, DOC_ID, DISTANCE])
        return nearest.sort_by([(name, "ascending") for name in (QUERY, DISTANCE, DOC_ID)])

    def add(self, doc_id: Any, item: Item) -> bool:
        """Add a document, and return False if it is a text without features, which no query can find.

        Raises
        ------
        SettingError, InputError
            The index cannot read texts; the id is of another type; the item is neither text nor fingerprint.
        """
        return self.add_many([doc_id], [item]) == 1

    def add_many(self, ids: Ids, items: Items) -> int:
        """Add documents, and return how many have a fingerprint."""
        new_ids, words = read_entries(ids, items, self._entries.content, self._entries.id_type)
        self._entries.extend(new_ids, words)
        return len(words)

    def remove(self, doc_id: Any) -> int:
        """Remove all fingerprints of a document, and return how many it had; one pass over the ids."""
        return self.remove_many([doc_id])

    def remove_many(self, ids: Ids) -> int:
        """Remove documents in one pass over the ids, and return how many fingerprints they had."""
        return self._entries.remove(as_ids(ids, self._entries.id_type))

    def save(self, path: str | Path | None = None, *, overwrite: bool = False) -> None:
        """Write the index with all that was added and removed, if anything was, and go on from what was written.

        Another process sees the old index or the new one, never a part. A process that has the old one open keeps it.

        Parameters
        ----------
        path
            An empty directory, or a new one; the one the index was opened from unless given.
        overwrite
            Whether another index there may be replaced.

        Raises
        ------
        InputError
            Something else is there, or the index was saved by another since it was opened, or no path is known.
        """
        home = self._origin.path.parent if self._origin else None
        place = Path(path) if path is not None else home
        if place is None:
            raise InputError("this index was not opened from a directory; give the directory to save it in")
        is_home = home is not None and home.resolve() == place.resolve()
        if is_home and not self._entries.is_changed:
            return
        generation = write_generation(
            place,
            partial(write_content, content=self._entries.merged()),
            replaces=self._origin.name if self._origin and is_home else None,
            overwrite=overwrite,
        )
        self._origin = generation
        self._entries = Entries(read_content(generation))

    def verify(self) -> None:
        """Read every byte of a saved index and compare it with the digests in its manifest.

        Raises
        ------
        InputError
            A file was changed, or the index was never saved.
        """
        if self._origin is None:
            raise InputError("this index was not saved yet, so there is nothing to compare with; save it first")
        check_digests(self._origin)
