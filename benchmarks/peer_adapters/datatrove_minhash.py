"""``datatrove``: its four-stage MinHash up to the clusters, with its tokenizer for Chinese (spaCy with jieba)."""

from __future__ import annotations

import argparse
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from datatrove.executor.local import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupBuckets, MinhashDedupCluster
from datatrove.pipeline.readers import ParquetReader
from datatrove.utils.hashing import HashConfig
from datatrove.utils.typeshelper import Languages

from benchmarks.peer_adapters.frame import read_texts, run


def find(options: argparse.Namespace) -> list[int]:
    """Write one file for each worker, run the stages, and read the cluster of each document back."""
    work, workers, setting, texts = options.work, options.workers, options.setting, read_texts(options)
    per_file = -(-len(texts) // workers)
    (work / "texts").mkdir(parents=True)
    for part in range(workers):
        some = texts[part * per_file : (part + 1) * per_file]
        pq.write_table(pa.table({"id": list(map(str, range(len(some)))), "text": some}), work / f"texts/{part}.parquet")
    config = MinhashConfig(
        n_grams=setting["ngram"],
        num_buckets=setting["buckets"],
        hashes_per_bucket=setting["rows"],
        hash_config=HashConfig(precision=64),
    )
    signatures, buckets, clusters = (str(work / name) for name in ("signatures", "buckets", "clusters"))
    sign = MinhashDedupSignature(signatures, config=config, language=Languages.mandarin_chinese)
    execute([ParquetReader(str(work / "texts")), sign], workers, workers, work / "logs/1")
    join = MinhashDedupBuckets(signatures, buckets, config=config)
    execute([join], config.num_buckets, workers, work / "logs/2")
    execute([MinhashDedupCluster(buckets, clusters, config=config, save_cluster_id=True)], 1, 1, work / "logs/3")
    return read_clusters(work / "clusters", per_file, len(texts))


def execute(steps: list[Any], tasks: int, workers: int, logs: Path) -> None:
    LocalPipelineExecutor(steps, tasks=tasks, workers=workers, logging_dir=str(logs)).run()


def read_clusters(place: Path, per_file: int, count: int) -> list[int]:
    groups = list(range(count))
    for file in place.glob("*.clusters"):
        for document, cluster in struct.iter_unpack("<2I", file.read_bytes()):
            groups[int(file.stem) * per_file + document] = count + cluster
    return groups


if __name__ == "__main__":
    run(find)
