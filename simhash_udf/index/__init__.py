"""Questions about single texts, without Spark: which documents are within a Hamming distance of this one.

`fingerprint_index` is the public class. What it is given: `items`, `ids`, `sources` (Parquet), `text_reader`. What it
holds: `content`, as built or opened; `additions`, what came since; `entries`, both. How it lies on disk: `directory`,
`saving`, `array_file`, `band_file`, `recipe_file`.
"""

from __future__ import annotations

from simhash_udf.index.fingerprint_index import FingerprintIndex, Neighbor

__all__ = ["FingerprintIndex", "Neighbor"]
