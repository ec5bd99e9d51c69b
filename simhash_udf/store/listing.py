"""What a store holds, in lines for a person to read; no Spark, and one file is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simhash_udf.store.manifest import Manifest, RunRecord, open_store

_HEADINGS = ("run", "version", "created", "k", "documents", "new", "duplicates", "known", "set aside", "merged groups")
_SET_ASIDE = ("null_ids", "repeated_ids", "null_texts", "other_text")


def describe_store(store: str) -> str:
    """Return runs, documents and groups of a store, one line a run.

    Raises
    ------
    InputError
        There is no store, or its newest manifest is damaged.
    """
    manifest = open_store(store)
    counts = manifest.counts
    files = sum(len(files) for files in manifest.tables.values())
    size = sum(file.bytes for files in manifest.tables.values() for file in files)
    head = (
        f"{store}: version {manifest.version} ({_made_by(manifest)}, {manifest.created})",
        f"{len(manifest.runs)} runs, {counts['documents']:,} documents, {counts['groups']:,} groups with "
        f"{counts['members']:,} members; {files} files, {size / 1e6:,.1f} MB",
    )
    return "\n".join([*head, "", *_table([_HEADINGS, *(_row(run) for run in manifest.runs)])])


def _made_by(manifest: Manifest) -> str:
    return f"run {manifest.run_id}" if manifest.run_id is not None else manifest.action


def _row(run: RunRecord) -> tuple[str, ...]:
    counts = run.counts
    numbers = (
        counts["documents"],
        counts["new"],
        counts["duplicate"],
        counts["known"],
        sum(counts[name] for name in _SET_ASIDE),
        counts["merged"],
    )
    return (run.run_id, str(run.version), run.created, str(run.max_distance), *(f"{number:,}" for number in numbers))


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as lines with aligned columns; numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if place in {0, 2} else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
