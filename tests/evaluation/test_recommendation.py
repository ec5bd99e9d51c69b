"""Which row is recommended."""

from __future__ import annotations

from typing import Any

from simhash_udf.evaluation.recommendation import Figures, recommend

FIGURES = Figures("precision", "recall", "pairs")


def row(precision: float | None, recall: float, **changes: Any) -> dict[str, Any]:
    setting = {"views": "jieba", "weight": "tf", "calibration": "sample", "verify": None, "max_distance": 3}
    setting |= {"join_seconds": 1.0}
    ends = {} if precision is None else {"precision_low": precision - 0.01, "precision_high": 1.0}
    return setting | {"precision": precision, "recall": recall} | ends | changes


def test_the_highest_recall_at_the_precision_is_taken() -> None:
    rows = [row(0.9, 0.95), row(0.992, 0.8), row(0.995, 0.7), row(None, 0.0)]
    best = recommend(rows, 0.99, FIGURES)[0]
    assert best.row == 1
    assert "recall of pairs 0.800 at a precision of 0.9920 (95 % interval 0.9820 to 1.0000)" in best.sentence
    assert "views jieba, weight tf, calibration sample, k = 3" in best.sentence


def test_a_surer_one_is_named_where_the_interval_reaches_below() -> None:
    best, surer = recommend([row(0.992, 0.8), row(1.0, 0.6), row(1.0, 0.5)], 0.99, FIGURES)
    assert (best.row, surer.row) == (0, 1)
    assert len(recommend([row(1.0, 0.8), row(0.992, 0.6)], 0.99, FIGURES)) == 1


def test_more_labels_are_asked_for_where_no_interval_is_above() -> None:
    best, surer = recommend([row(0.992, 0.8)], 0.99, FIGURES)
    assert (best.row, surer.row) == (0, None)
    assert "label more to be sure" in surer.sentence


def test_of_equal_recall_the_one_with_the_cheapest_join_is_taken_and_then_the_one_without_a_check() -> None:
    rows = [
        row(1.0, 0.8, views="jieba,char", join_seconds=9.0),
        row(1.0, 0.8, verify="cosine:0.9", join_seconds=2.0),
        row(1.0, 0.8, max_distance=4, join_seconds=2.0),
        row(1.0, 0.7, join_seconds=1.0),
    ]
    assert recommend(rows, 0.99, FIGURES)[0].row == 2


def test_recall_within_the_interval_of_the_highest_counts_as_equal() -> None:
    rows = [row(1.0, 0.8, recall_low=0.7, join_seconds=5.0), row(1.0, 0.71, join_seconds=1.0), row(1.0, 0.69)]
    assert recommend(rows, 0.99, FIGURES)[0].row == 1


def test_nothing_is_recommended_where_no_precision_reaches() -> None:
    (only,) = recommend([row(0.5, 0.9), row(0.7, 0.8, verify="cosine:0.9")], 0.99, FIGURES)
    assert only.row is None
    assert (
        "the nearest is views jieba, weight tf, calibration sample, verify cosine:0.9, k = 3 with 0.7000"
        in only.sentence
    )
    assert recommend([row(None, 0.9)], 0.9, FIGURES)[0].sentence == "No setting could be evaluated."


def test_an_estimate_without_interval_is_called_one() -> None:
    (only,) = recommend([{**row(None, 0.8), "precision": 0.995}], 0.99, FIGURES)
    assert "at a precision of 0.9950 (estimated)" in only.sentence
