"""The files of an evaluation: tables, picture and page, made of its rows."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.csv as pcsv
import pyarrow.parquet as pq

from simhash_udf.evaluation.curve import Series, draw_edits, draw_precision_recall
from simhash_udf.evaluation.edit_recall import ALL_EDITS
from simhash_udf.evaluation.evaluated import SETTING, Evaluated, name_of
from simhash_udf.evaluation.page import Column, Page, Table, render_evaluation
from simhash_udf.evaluation.scoring import Row

NAME = "setting"
COST = (Column("bands", "bands"), Column("planned seconds of the join", "join_seconds"))


def build_files(found: Evaluated) -> dict[str, bytes]:
    """Return the content of each file by its name."""
    rows: list[Row] = [{NAME: name_of(row), "at": at, **row} for at, row in enumerate(found.rows)]
    chosen = None if found.chosen is None else rows[found.chosen]
    picture = _picture_of_edits(found, rows, chosen) if found.edits else _picture_of_labels(found, rows, chosen)
    page = Page(
        title="Evaluation without labels" if found.edits else "Evaluation on labelled documents",
        recommended=found.recommended,
        picture=picture,
        picture_says=_EDITS_SAY if found.edits else _CURVE_SAYS,
        tables=_tables_of_edits(found, rows) if found.edits else _tables_of_labels(found, rows),
        chosen=found.chosen,
    )
    files = {"curve.png": picture, "evaluation.html": render_evaluation(page).encode("utf-8")}
    files |= {"evaluation.parquet": _parquet(found.rows), "evaluation.csv": _csv(found.rows)}
    return files | ({"edits.csv": _csv(found.edits)} if found.edits else {})


_CURVE_SAYS = (
    "Precision against recall, of the groups on the left and of the edges alone on the right: a line for each setting, "
    "a point for each k."
)
_EDITS_SAY = (
    "Above: recall by the share of characters edited, for each kind of edit, a line for each k (darker is larger). "
    "Below: false pairs to expect by k, a line for each setting."
)


def _tables_of_labels(found: Evaluated, rows: list[Row]) -> list[Table]:
    scored = [row for row in rows if row["status"] == "evaluated"]
    first = [Column("setting", NAME), Column("k", "max_distance")]
    pairs = [
        Table(
            caption,
            [
                *first,
                *(Column(name, f"{kind}_{name}") for name in ("precision", "recall")),
                Column("F1", f"{kind}_f1"),
                *(Column(f"{name} pairs", f"{kind}_{name}_pairs") for name in ("right", "found", "true")),
                *COST,
            ],
            scored,
            note,
        )
        for kind, caption, note in (
            ("groups", "Groups, by pairs of documents", "In brackets: intervals of 95 %, true clusters drawn again."),
            (
                "edges",
                "Edges alone, by pairs of documents",
                "What only a chain of edges joins is not found here.",
            ),
        )
    ]
    by_document = [_table_by_document(first, scored)] if scored and scored[0]["accuracy"] is not None else []
    best = _table_of_best(found, rows, pairs[0].columns, "groups_precision", "groups_recall")
    return [*best, *pairs, *by_document, *_table_left_out(rows), _table_of_counts(found.counts)]


def _table_of_best(
    found: Evaluated, rows: list[Row], columns: Sequence[Column], precision: str, recall: str
) -> list[Table]:
    """The best k of every setting that reaches the target; no table where none does, or where there is one setting."""
    best = []
    for of_setting in _series(rows).values():
        reached = [row for row in of_setting if float(row.get(precision) or 0) >= found.target]
        if reached:
            best.append(max(reached, key=lambda row: float(row[recall] or 0)))  # the first, so the smallest k
    caption = f"Best k of each setting that reaches a precision of {found.target}"
    return [Table(caption, columns, best)] if len(best) > 1 else []


def _table_by_document(first: list[Column], scored: list[Row]) -> Table:
    columns = [
        *first,
        Column("precision, duplicates", "precision_duplicates"),
        Column("recall, duplicates", "recall_duplicates"),
        Column("precision, others", "precision_non_duplicates"),
        Column("recall, others", "recall_non_duplicates"),
        Column("macro precision", "macro_precision"),
        Column("macro F1", "macro_f1"),
        Column("accuracy", "accuracy"),
        Column("adjusted Rand index", "adjusted_rand"),
    ]
    note = (
        "As text-dedup's benchmark on CORE counts them: a document is found if its group has all of its duplicates; "
        "accuracy asks for exactly these. The column that it calls Macro F1 is the macro precision here."
    )
    return Table("Groups, by document", columns, scored, note)


def _tables_of_edits(found: Evaluated, rows: list[Row]) -> list[Table]:
    first = [Column("setting", NAME), Column("k", "max_distance")]
    figures = [
        Column("recall of edits", "recall"),
        Column("pairs found in the input", "found_pairs"),
        Column("false pairs seen in the sample", "false_pairs_seen"),
        Column("false pairs to expect in the corpus", "false_pairs"),
        Column("the same for 1,000 documents", "false_pairs_per_1000"),
        Column("precision, estimated", "estimated_precision"),
        *COST,
    ]
    note = (
        "Recall is the mean over all edits and shares; in brackets the interval of 95 %. False pairs are estimated "
        "from the distances of random pairs whose texts differ; where a check of texts decides they are not, as the "
        "estimate itself rests on such a check."
    )
    shares = sorted({float(row["share"] or 0) for row in found.edits})
    by_share = [Column(f"{share:.0%}", f"at_{share}") for share in shares]
    wide = [row | _recall_at_shares(found.edits, row) for row in rows]
    recall = Table("Recall by share of the characters edited, all edits together", [*first, *by_share], wide)
    return [
        *_table_of_best(found, rows, [*first, *figures], "estimated_precision", "recall"),
        Table("Recall and false pairs", [*first, *figures], rows, note),
        recall,
        *_table_left_out(rows),
        _table_of_counts(found.counts),
    ]


def _recall_at_shares(edits: Sequence[Row], row: Row) -> Row:
    key = [row[name] for name in (*SETTING, "max_distance")]
    of_row = [one for one in edits if one["edit"] == ALL_EDITS]
    return {
        f"at_{one['share']}": one["recall"]
        for one in of_row
        if [one[name] for name in (*SETTING, "max_distance")] == key
    }


def _table_left_out(rows: list[Row]) -> list[Table]:
    left_out = [row for row in rows if row["status"] != "evaluated"]
    columns = [Column("setting", NAME), Column("k", "max_distance"), Column("why", "status")]
    return [Table("Left out", columns, left_out)] if left_out else []


def _table_of_counts(counts: dict[str, int]) -> Table:
    rows: list[Row] = [{"what": name.replace("_", " "), "count": count} for name, count in counts.items()]
    return Table("What was read", [Column("what", "what"), Column("count", "count")], rows)


def _picture_of_labels(found: Evaluated, rows: list[Row], chosen: Row | None) -> bytes:
    scored = [row for row in rows if row["status"] == "evaluated"]
    return draw_precision_recall(_series(scored), target=found.target, chosen=chosen)


def _picture_of_edits(found: Evaluated, rows: list[Row], chosen: Row | None) -> bytes:
    shown = name_of(chosen or rows[0])
    edits = [row for row in found.edits if name_of(row) == shown]
    return draw_edits(edits, _series([row for row in rows if row["verify"] is None]), shown=shown)


def _series(rows: Sequence[Row]) -> Series:
    series: Series = {}
    for row in rows:
        series.setdefault(name_of(row), []).append(row)
    return series


def _parquet(rows: Sequence[Row]) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(_table(rows), buffer, compression="zstd")
    return buffer.getvalue()


def _csv(rows: Sequence[Row]) -> bytes:
    buffer = io.BytesIO()
    pcsv.write_csv(_table(rows), buffer)
    return buffer.getvalue()


def _table(rows: Sequence[Row]) -> pa.Table:
    """Rows as a table; what a row does not have is null."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return pa.table({name: [row.get(name) for row in rows] for name in names})
