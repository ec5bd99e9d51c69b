"""When two documents are found to be the same: the limits that a sweep varies for one set of fingerprints."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits of the fingerprints, and of a second look at the texts if there is one.

    Attributes
    ----------
    max_distance
        Largest distance in the nearest view.
    max_total_distance
        Largest sum of the distances over the views.
    measure, min_similarity
        ``cosine`` or ``jaccard`` and the smallest one that holds; None where fingerprints decide.
    """

    max_distance: int
    max_total_distance: int
    measure: str | None = None
    min_similarity: float | None = None
