"""Learning the thresholds of an index from the texts that it is made of."""

from __future__ import annotations

import hashlib
import heapq
import logging
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pyarrow as pa

from simhash_udf.kernel.calibration import MIN_SAMPLE, learn_thresholds
from simhash_udf.kernel.fingerprint import fingerprinter
from simhash_udf.kernel.recipe import Recipe

log = logging.getLogger("simhash_udf")

SAMPLED_TEXTS = 2_000
"""As many as the job takes; 500 gave the same result as 7,000."""


def calibrated(recipe: Recipe, texts: Iterable[Any]) -> Recipe:
    """Return the recipe with the medians of a sample of texts as thresholds; as it was where there are too few.

    The texts with the smallest digests are the sample, so their order does not matter.
    """
    if isinstance(texts, pa.Array | pa.ChunkedArray):
        texts = (text.as_py() for text in texts)
    sample = heapq.nsmallest(SAMPLED_TEXTS, (text for text in texts if isinstance(text, str)), key=_digest)
    thresholds = learn_thresholds(fingerprinter(recipe).scores(pa.array(sample, pa.large_string())))
    if thresholds is None:
        log.warning("calibration=none: there are fewer than %d texts with features to learn from", MIN_SAMPLE)
    return replace(recipe, thresholds=thresholds)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
