"""The jobs that make what many runs use: fingerprints, and inverse document frequencies."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from simhash_udf.config import FingerprintSettings, IdfSettings, TextSettings, validated
from simhash_udf.errors import InputError, SettingError
from simhash_udf.kernel.fingerprint import Fingerprinter
from simhash_udf.precompute import run_fingerprint, run_fit_idf
from simhash_udf.runtime.recipes import make_recipe, read_idf

TEXTS = {
    "甲": "数据 清洗 流程 数据",
    "乙": "数据 去重 流程",
    "丙": "数据 入库",
    "丁": "",
    "戊": None,
}


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    place = tmp_path / "documents.parquet"
    pq.write_table(pa.table({"id": list(TEXTS), "text": list(TEXTS.values())}), place)
    return place


def fit(spark: SparkSession, documents: Path, output: Path, **options: object) -> None:
    given = {"input": (str(documents),), "output": str(output), "tokenizer": "word"} | options
    run_fit_idf(spark, validated(IdfSettings, given))


def test_idf_is_the_smoothed_form_over_documents_with_a_text(
    spark: SparkSession, documents: Path, tmp_path: Path
) -> None:
    fit(spark, documents, tmp_path / "idf.parquet", min_df=1)
    texts = [text for text in TEXTS.values() if text is not None]
    df = Counter(word for text in texts for word in set(text.split()))
    expected = {word: math.log((1 + len(texts)) / (1 + count)) + 1 for word, count in df.items()}
    idf = read_idf(str(tmp_path / "idf.parquet"))
    assert dict(zip(idf.terms, idf.values, strict=True)) == pytest.approx(expected)
    assert idf.default == pytest.approx(max(expected.values()))


def test_limits_keep_the_terms_of_most_documents(spark: SparkSession, documents: Path, tmp_path: Path) -> None:
    fit(spark, documents, tmp_path / "two.parquet", min_df=2)
    assert read_idf(str(tmp_path / "two.parquet")).terms == ("数据", "流程")
    fit(spark, documents, tmp_path / "one.parquet", min_df=1, max_features=1)
    assert read_idf(str(tmp_path / "one.parquet")).terms == ("数据",)
    fit(spark, documents, tmp_path / "rare.parquet", min_df=1, max_df=0.5)
    idf = read_idf(str(tmp_path / "rare.parquet"))
    assert dict(zip(idf.terms, idf.values, strict=True))["数据"] == 0.0


def test_a_fitted_table_changes_fingerprints_and_is_in_the_digest(
    spark: SparkSession, documents: Path, tmp_path: Path
) -> None:
    fit(spark, documents, tmp_path / "idf.parquet", min_df=1)
    options = {"tokenizer": "word", "weight": "tf_idf", "idf": str(tmp_path / "idf.parquet")}
    with_table = make_recipe(validated(TextSettings, options))
    without = make_recipe(validated(TextSettings, options | {"idf": None}))
    assert with_table.digest() != without.digest()
    texts = pa.array(["数据 清洗 流程 数据 入库"])
    assert Fingerprinter(with_table)(texts).values.tolist() != Fingerprinter(without)(texts).values.tolist()


def test_an_existing_table_is_kept_unless_told_to_overwrite(
    spark: SparkSession, documents: Path, tmp_path: Path
) -> None:
    output = tmp_path / "idf.parquet"
    output.write_bytes(b"mine")
    with pytest.raises(InputError, match="is there already"):
        fit(spark, documents, output)
    assert output.read_bytes() == b"mine"
    fit(spark, documents, output, overwrite=True)
    assert read_idf(str(output)).terms == ("数据", "流程")


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PAR1"])
def test_a_file_that_is_no_idf_table_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.parquet").write_bytes(content)
    with pytest.raises(SettingError, match=r"is not a table of jobs/fit_idf\.py"):
        read_idf(str(tmp_path / "bad.parquet"))


def test_fingerprints_are_written_with_their_specification(
    spark: SparkSession, documents: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    given = {"input": (str(documents),), "output": str(tmp_path / "out"), "tokenizer": "word"}
    run_fingerprint(spark, validated(FingerprintSettings, given))
    rows = {row["doc_id"]: row for row in pq.read_table(tmp_path / "out" / "fingerprints").to_pylist()}
    recipe = make_recipe(validated(TextSettings, {"tokenizer": "word"}))
    made = Fingerprinter(recipe)(pa.array(list(TEXTS.values())[:4]))
    values = made.values.view("int64")[:, 0].tolist()
    expected = [value if has else None for value, has in zip(values, made.has_value.tolist(), strict=True)]
    assert [rows[name]["fingerprint"] for name in list(TEXTS)[:4]] == expected
    rejected = pq.read_table(tmp_path / "out" / "rejected").to_pylist()
    assert rejected == [{"id": "戊", "text": None, "reason": "null_text"}]
    specification = json.loads((tmp_path / "out" / "specification.json").read_text("utf-8"))
    assert specification["recipe"]["views"] == [{"tokenizer": "word", "bits": 0}]
    assert (tmp_path / "out" / "_SUCCESS").exists()


def test_thresholds_of_one_run_serve_another_with_the_same_settings(spark: SparkSession, tmp_path: Path) -> None:
    texts = [f"第 {n} 篇 文章 写 到 {n % 7} 号 仓库 与 {n % 5} 条 流程" for n in range(80)]
    pq.write_table(pa.table({"id": list(range(80)), "text": texts}), tmp_path / "d.parquet")
    given = {"input": (str(tmp_path / "d.parquet"),), "tokenizer": "word"}
    outputs = [str(tmp_path / name) for name in ("first", "second")]
    run_fingerprint(spark, validated(FingerprintSettings, given | {"output": outputs[0]}))
    learned = {"calibration": f"{outputs[0]}/thresholds.json"}
    run_fingerprint(spark, validated(FingerprintSettings, given | learned | {"output": outputs[1]}))
    tables = [sorted(pq.read_table(f"{output}/fingerprints").to_pylist(), key=str) for output in outputs]
    assert tables[0] == tables[1]
    with pytest.raises(SettingError, match=r"was learned with other settings \(weight was tf, is binary\)"):
        make_recipe(validated(TextSettings, {"tokenizer": "word", "weight": "binary"} | learned))
    with pytest.raises(SettingError, match="holds no thresholds"):
        make_recipe(validated(TextSettings, {"calibration": str(tmp_path / "none.json")}))
