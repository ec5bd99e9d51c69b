"""Learn the threshold of each bit from a sample of the corpus."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MIN_SAMPLE = 50
"""Documents a median is learned from at least: 500 gave the same result as 7,000, under 50 a median is a guess."""


def learn_thresholds(scores: NDArray[np.float64]) -> tuple[tuple[float, ...], ...] | None:
    """Take the median score of every bit, so that each bit is set in half of the sample.

    Parameters
    ----------
    scores
        ``float64`` ``(m, r, 64)`` from `Fingerprinter.scores`: m documents, r views. Rows of NaN (documents without a
        feature in that view) are left out.

    Returns
    -------
    tuple of tuple of float, or None
        r rows of 64 for `Recipe.thresholds`. None if a view has fewer than `MIN_SAMPLE` documents to learn from;
        the classic threshold of 0 is then the better guess. The order of the documents does not matter.

    Examples
    --------
    >>> import numpy as np
    >>> [row[:2] for row in learn_thresholds(np.tile(np.arange(101.0)[:, None, None], (1, 1, 64)))]
    [(50.0, 50.0)]
    >>> learn_thresholds(np.zeros((49, 1, 64))) is None
    True
    """
    rows = []
    for view in range(scores.shape[1]):
        of_view = scores[:, view, :]
        usable = of_view[~np.isnan(of_view).any(axis=1)]
        if len(usable) < MIN_SAMPLE:
            return None
        rows.append(tuple(np.median(usable, axis=0).tolist()))
    return tuple(rows)
