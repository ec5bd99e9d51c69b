"""``text-dedup``: its MinHash script as its README sets it. It splits at non-letters, so Chinese is cut before."""

from __future__ import annotations

import argparse
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.peer_adapters.frame import read_texts, run, segment

CONFIG = """
[input]
input_type = "local_files"
file_type = "parquet"
[input.read_arguments]
path = "parquet"
data_files = "texts.parquet"
split = "train"
[algorithm]
algorithm_name = "minhash"
text_column = "text"
num_perm = 240
hash_bits = 64
num_proc = {workers}
ngram_size = {ngram}
threshold = {threshold}
check_false_positive = {check}
[output]
output_dir = "output"
save_clusters = true
[debug]
enable_profiling = false
"""


def find(options: argparse.Namespace) -> list[int]:
    """Run the script on the cut texts; its clusters are the groups."""
    setting, texts = options.setting, read_texts(options)
    cut = {"none": str, "char": " ".join, "jieba": lambda text: " ".join(segment(text))}[setting["cut"]]
    pq.write_table(pa.table({"text": [cut(text) for text in texts]}), options.work / "texts.parquet")
    values = {"workers": options.workers, "ngram": setting["ngram"], "threshold": setting["threshold"]}
    config = CONFIG.format(check=str(setting["check"]).lower(), **values)
    (options.work / "config.toml").write_text(config)
    offline = {"HF_HOME": str(options.work / "cache"), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    threads = {"POLARS_MAX_THREADS": str(options.workers)}
    command = [sys.executable, "-m", "text_dedup.minhash"]
    subprocess.run(command, cwd=options.work, env=os.environ | offline | threads, check=True)
    return read_clusters(options.work / "output" / "clusters.pickle", len(texts))


def read_clusters(place: Path, count: int) -> list[int]:
    clusters = pickle.loads(place.read_bytes())
    # a cluster's number may be that of a document which is not in it
    return [count + clusters[document] if document in clusters else document for document in range(count)]


if __name__ == "__main__":
    run(find)
