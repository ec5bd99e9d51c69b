"""The peers: what to install, which adapter, and the settings that are tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Setting = dict[str, Any]

FOUR_VIEWS = ["--views", "jieba,jieba,char,char", "--max-distance", "4"]
VERIFY = ["--verify", "jaccard:0.5"]


@dataclass(frozen=True)
class Peer:
    """A way to find near-duplicates.

    Parameters
    ----------
    adapter
        Module of this package.
    packages
        What pip installs into its environment, the peer's own package first; none: this project's environment.
    settings
        What the sweep tries. The first is the package's default or the one that its documentation shows.
    workers
        Numbers of cores that it can use.
    python
        Oldest Python that it runs on.
    """

    adapter: str
    packages: tuple[str, ...]
    settings: tuple[Setting, ...]
    workers: tuple[int, ...] = (1,)
    python: tuple[int, int] = (3, 10)


def _minhash(tokens: str, *thresholds: float, **more: Any) -> tuple[Setting, ...]:
    return tuple({"tokens": tokens, "threshold": threshold, **more} for threshold in thresholds)


def _kernel(*views: str, weight: str, distance: int) -> Peer:
    return Peer("our_kernel", (), ({"views": list(views), "weight": weight, "distance": distance},))


PEERS: dict[str, Peer] = {
    "ours, defaults": Peer("our_job", (), ({"options": []},), (2,)),
    "ours, 4 views": Peer("our_job", (), ({"options": FOUR_VIEWS},), (2,)),
    "ours, 4 views, log_tf": Peer("our_job", (), ({"options": [*FOUR_VIEWS, "--weight", "log_tf"]},), (2,)),
    "ours, 4 views, verified": Peer("our_job", (), ({"options": [*FOUR_VIEWS, *VERIFY]},), (2,)),
    "ours, 4 views, k = 6, verified": Peer("our_job", (), ({"options": [*FOUR_VIEWS[:3], "6", *VERIFY]},), (2,)),
    "ours, kernel, defaults": _kernel("jieba", weight="tf", distance=3),
    "ours, kernel, 4 views": _kernel("jieba", "jieba", "char", "char", weight="tf", distance=4),
    "ours, kernel, 4 views, log_tf": _kernel("jieba", "jieba", "char", "char", weight="log_tf", distance=4),
    "simhash": Peer(
        "simhash_index",
        # with numpy 2 it fails on a feature that occurs more than 255 times
        ("simhash", "jieba", "numpy<2", "pyarrow<20"),
        (
            *({"tokens": "default", "distance": distance} for distance in (3, 5, 7)),
            {"tokens": "jieba", "distance": 3},
        ),
    ),
    "datasketch": Peer(
        "datasketch_lsh",
        ("datasketch", "xxhash"),
        _minhash("char5", 0.5, 0.4, 0.6, 0.7),
    ),
    "rensa": Peer(
        "rensa_lsh",
        ("rensa", "jieba"),
        _minhash("char5", 0.4, 0.5, 0.6, 0.65, bands=32) + _minhash("char5", 0.7, bands=16),
        (1, 2),
    ),
    "rensa, words": Peer("rensa_lsh", ("rensa", "jieba"), _minhash("jieba3", 0.4, 0.5, 0.6, bands=32)),
    "gaoya MinHash": Peer(
        "gaoya_index",
        ("gaoya",),
        (
            {"ngram": 5, "threshold": 0.75, "bands": 20, "rows": 5},
            {"ngram": 5, "threshold": 0.6, "bands": 25, "rows": 5},
            {"ngram": 5, "threshold": 0.5, "bands": 42, "rows": 3},
            {"ngram": 5, "threshold": 0.4, "bands": 42, "rows": 3},
            {"ngram": 5, "threshold": 0.6, "bands": 42, "rows": 3},
        ),
        (1, 2),
    ),
    "gaoya SimHash": Peer(
        "gaoya_index",
        ("gaoya",),
        tuple({"ngram": ngram, "distance": distance} for ngram in (3, 5) for distance in (3, 5, 7)),
        (1, 2),
    ),
    "text-dedup": Peer(
        "text_dedup_minhash",
        ("text-dedup", "jieba"),
        (
            {"cut": "none", "ngram": 5, "threshold": 0.7, "check": True},
            {"cut": "char", "ngram": 5, "threshold": 0.6, "check": True},
            {"cut": "char", "ngram": 5, "threshold": 0.5, "check": True},
            {"cut": "jieba", "ngram": 3, "threshold": 0.5, "check": True},
        ),
        (1, 2),
        (3, 12),
    ),
    "datatrove": Peer(
        "datatrove_minhash",
        ("datatrove[processing,io]", "spacy", "jieba"),
        (
            {"ngram": 5, "buckets": 14, "rows": 8},
            {"ngram": 5, "buckets": 20, "rows": 5},
            {"ngram": 3, "buckets": 14, "rows": 8},
        ),
        (1, 2),
    ),
    "Spark MLlib": Peer(
        "mllib_minhash",
        (),
        (
            {"ngram": 5, "tables": 3, "threshold": 0.5},
            {"ngram": 5, "tables": 3, "threshold": 0.6},
            {"ngram": 5, "tables": 6, "threshold": 0.5},
        ),
        (2,),
    ),
}
