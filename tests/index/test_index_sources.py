"""An index from Parquet files of fingerprints."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simhash_udf import FingerprintIndex, InputError, SettingError
from simhash_udf.config import TextSettings
from simhash_udf.kernel.fingerprint import Fingerprinter
from simhash_udf.kernel.recipe import Recipe, View
from simhash_udf.runtime.recipes import make_recipe, thresholds_of

TEXTS = ["市图书馆的新馆今天正式开放", "市图书馆的新馆,今天正式开放!", "明天北部山区有小雪", None, "。"]
IDS = ["a", "b", "c", "d", "e"]


def write_table(path, recipe):
    """Write what the job writes, in two files."""
    made = Fingerprinter(recipe)(pa.array(TEXTS))
    signed = made.values.view("int64")
    columns = {
        "doc_id": IDS,
        "fingerprint": pa.array(signed[:, 0], mask=~made.has_value),
        "feature_count": made.feature_count,
    }
    if len(recipe.views) > 1:
        columns["fingerprints"] = pa.array(signed.tolist(), pa.list_(pa.int64()), mask=~made.has_value)
    table = pa.table(columns)
    path.mkdir()
    pq.write_table(table.slice(0, 2), path / "part-0.parquet")
    pq.write_table(table.slice(2), path / "part-1.parquet")
    (path / "_SUCCESS").touch()


def write_output(path, recipe):
    """Write the output directory of the job ``fingerprint``."""
    path.mkdir()
    write_table(path / "fingerprints", recipe)
    (path / "specification.json").write_text(json.dumps({"recipe": recipe.specification()}))
    if recipe.thresholds is not None:
        (path / "thresholds.json").write_text(json.dumps(thresholds_of(recipe)))


@pytest.mark.parametrize("views", [(View(),), (View(), View("char"))])
def test_a_directory_of_fingerprints_is_indexed_without_those_that_are_null(tmp_path, views):
    recipe = Recipe(views=views)
    write_table(tmp_path / "table", recipe)
    files = [str(tmp_path / "table" / f"part-{number}.parquet") for number in (0, 1)]
    for path in (tmp_path / "table", str(tmp_path / "table"), files):
        index = FingerprintIndex.from_parquet(path, max_distance=2, recipe=recipe)
        assert (len(index), index.num_views, index.max_distance) == (3, len(views), 2)
        assert index.query(TEXTS[0]) == [("a", 0), ("b", 0)]
    with pytest.raises(SettingError, match="fingerprints alone"):
        FingerprintIndex.from_parquet(tmp_path / "table").query("text")


def test_the_output_of_the_job_brings_its_thresholds(tmp_path):
    thresholds = (tuple(0.01 * bit - 0.3 for bit in range(64)),)
    recipe = Recipe(ngram=(2,), thresholds=thresholds)
    write_output(tmp_path / "output", recipe)
    index = FingerprintIndex.from_parquet(tmp_path / "output", ngram=(2,))
    assert index.query(TEXTS[0]) == [("a", 0), ("b", 0)]
    index.save(tmp_path / "index")
    assert FingerprintIndex.open(tmp_path / "index").query(TEXTS[2]) == [("c", 0)]


def test_settings_that_are_not_those_of_the_job_are_refused(tmp_path):
    write_output(tmp_path / "output", make_recipe(TextSettings(tokenizer="char", calibration="none")))
    with pytest.raises(SettingError, match=r"views was .*'char'.*, is .*'jieba'"):
        FingerprintIndex.from_parquet(tmp_path / "output")
    assert len(FingerprintIndex.from_parquet(tmp_path / "output", tokenizer="char")) == 3


def test_what_is_no_table_of_fingerprints_is_refused(tmp_path):
    pq.write_table(pa.table({"doc_id": [1]}), tmp_path / "ids.parquet")
    pq.write_table(pa.table({"doc_id": [1], "fingerprint": ["text"]}), tmp_path / "texts.parquet")
    (tmp_path / "note.txt").write_text("no Parquet")
    for path, message in [
        (tmp_path / "ids.parquet", "has no column 'fingerprint'"),
        (tmp_path / "texts.parquet", "holds string"),
        (tmp_path / "note.txt", "cannot be read as Parquet"),
        (tmp_path / "nothing", "cannot be read as Parquet"),
        ([], "no file of fingerprints"),
    ]:
        with pytest.raises(InputError, match=message):
            FingerprintIndex.from_parquet(path)
