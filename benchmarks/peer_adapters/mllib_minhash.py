"""Spark MLlib: hashed character n-grams, `MinHashLSH`, `approxSimilarityJoin` with itself, components on the driver."""

from __future__ import annotations

import argparse
from typing import Any

import pyarrow as pa
from pyspark.ml import Pipeline
from pyspark.ml.feature import HashingTF, MinHashLSH, NGram, RegexTokenizer
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from benchmarks.peer_adapters.frame import components, read_texts, run

FEATURES = 1 << 20


def find(options: argparse.Namespace) -> list[int]:
    setting, texts = options.setting, read_texts(options)
    spark = start(options)
    rows = spark.createDataFrame(enumerate_texts(texts), "number long, text string").repartition(2 * options.workers)
    # (?U): Chinese characters are letters
    letters = RegexTokenizer(inputCol="text", outputCol="letters", pattern=r"(?U)\w", gaps=False, minTokenLength=1)
    ngrams = NGram(n=setting["ngram"], inputCol="letters", outputCol="ngrams")
    hashed = HashingTF(numFeatures=FEATURES, binary=True, inputCol="ngrams", outputCol="features")
    lsh = MinHashLSH(inputCol="features", outputCol="hashes", numHashTables=setting["tables"], seed=1)
    prepare = Pipeline(stages=[letters, ngrams, hashed])
    features = prepare.fit(rows).transform(rows).where("size(ngrams) > 0").select("number", "features")
    features = features.persist()
    joined = lsh.fit(features).approxSimilarityJoin(features, features, 1 - setting["threshold"])
    left, right = F.col("datasetA.number").alias("left"), F.col("datasetB.number").alias("right")
    pairs = joined.where("datasetA.number < datasetB.number").select(left, right).toArrow()
    spark.stop()
    return components(len(texts), zip(pairs["left"].to_pylist(), pairs["right"].to_pylist(), strict=True))


def start(options: argparse.Namespace) -> SparkSession:
    settings = {
        "spark.driver.memory": "8g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.maxResultSize": "4g",
        "spark.local.dir": str(options.work),
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "8",
    }
    builder = SparkSession.builder.master(f"local[{options.workers}]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def enumerate_texts(texts: list[str]) -> Any:
    return pa.table({"number": pa.array(range(len(texts)), pa.int64()), "text": texts})


if __name__ == "__main__":
    run(find)
