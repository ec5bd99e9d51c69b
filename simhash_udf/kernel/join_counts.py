"""What a join did, counted while it does it: to be held against the plan."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class JoinCounts:
    """Sums over the slots that a task has joined so far.

    Attributes
    ----------
    records : int
        Records that came out of the shuffle, repeats included.
    comparisons : float
        Pairs of records that were compared. A bucket that is given up for the crowd's way counts with what that way
        compares.
    """

    records: int = 0
    comparisons: float = 0.0
