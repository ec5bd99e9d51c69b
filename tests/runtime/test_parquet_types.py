"""Types of Parquet columns as Spark reads them: Spark itself is asked."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from simhash_udf.runtime.parquet_types import spark_type

MOMENT = datetime(2026, 11, 30, 3, 4, 5)
COLUMNS: dict[str, pa.Array] = {
    "bool": pa.array([True]),
    **{str(kind): pa.array([1], kind) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64())},
    **{str(kind): pa.array([1], kind) for kind in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())},
    **{str(kind): pa.array([0.5], kind) for kind in (pa.float32(), pa.float64())},
    **{str(kind): pa.array(["a"], kind) for kind in (pa.string(), pa.large_string(), pa.string_view())},
    **{
        str(kind): pa.array([b"abc"], kind) for kind in (pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(3))
    },
    "dictionary": pa.array(["a"]).dictionary_encode(),
    "dictionary of numbers": pa.array([1], pa.int16()).dictionary_encode(),
    **{str(kind): pa.array([date(2026, 11, 30)], kind) for kind in (pa.date32(), pa.date64())},
    **{str(kind): pa.array([MOMENT], kind) for kind in map(pa.timestamp, ("s", "ms", "us", "ns"))},
    "zoned": pa.array([MOMENT], pa.timestamp("us", tz="Asia/Shanghai")),
    "duration": pa.array([timedelta(seconds=1)], pa.duration("ms")),
    "decimal": pa.array([Decimal("1.25")], pa.decimal128(9, 2)),
    "list": pa.array([["a"]], pa.list_(pa.string())),
    "large list": pa.array([["a"]], pa.large_list(pa.large_string())),
    "fixed list": pa.array([[1, 2]], pa.list_(pa.int32(), 2)),
    "struct": pa.array([{"a": 1, "b": ["x"]}], pa.struct([("a", pa.int8()), ("b", pa.list_(pa.large_string()))])),
    "map": pa.array([[("a", 1)]], pa.map_(pa.large_string(), pa.int32())),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_has_the_type_that_spark_gives_it(spark: SparkSession, tmp_path: Path, name: str) -> None:
    pq.write_table(pa.table({"value": COLUMNS[name]}), tmp_path / "a.parquet")
    noted = pq.ParquetFile(tmp_path / "a.parquet").schema_arrow.field("value").type
    assert spark_type(noted) == spark.read.parquet(str(tmp_path / "a.parquet")).schema["value"].dataType


@pytest.mark.parametrize("kind", [pa.time64("us"), pa.float16(), pa.decimal256(50, 3)], ids=str)
def test_a_type_that_spark_cannot_read_has_none(kind: pa.DataType) -> None:
    assert spark_type(kind) is None
