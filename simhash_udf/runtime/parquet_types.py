"""Spark's types for Parquet columns, and the one type that holds the values of two."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import types as T

_PLAIN: dict[str, T.DataType] = {
    "bool": T.BooleanType(),
    "int8": T.ByteType(),
    "int16": T.ShortType(),
    "int32": T.IntegerType(),
    "int64": T.LongType(),
    "uint8": T.ShortType(),
    "uint16": T.IntegerType(),
    "uint32": T.LongType(),
    "uint64": T.DecimalType(20, 0),
    "float": T.FloatType(),
    "double": T.DoubleType(),
    "string": T.StringType(),
    "large_string": T.StringType(),
    "string_view": T.StringType(),
    "binary": T.BinaryType(),
    "large_binary": T.BinaryType(),
    "binary_view": T.BinaryType(),
    "date32[day]": T.DateType(),
    "date64[ms]": T.DateType(),
    "null": T.IntegerType(),  # what the file holds in place of no type
}
"""By Arrow's name of a type. Writers note it in the file, so one type of Parquet comes under several."""

_LISTS = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
_WHOLE = (T.ByteType(), T.ShortType(), T.IntegerType(), T.LongType())
_DIGITS: dict[T.DataType, int] = {T.ByteType(): 3, T.ShortType(): 5, T.IntegerType(): 10, T.LongType(): 20}
_MOST_DIGITS = 38
_WIDER: dict[frozenset[T.DataType], T.DataType] = {
    frozenset({T.FloatType(), T.DoubleType()}): T.DoubleType(),
    frozenset({T.StringType(), T.BinaryType()}): T.BinaryType(),
    frozenset({T.DateType(), T.TimestampNTZType()}): T.TimestampNTZType(),
}


def spark_type(kind: pa.DataType) -> T.DataType | None:
    """Return the type that Spark reads a column as, None if it cannot; nanoseconds are read as whole numbers."""
    if str(kind) in _PLAIN:
        return _PLAIN[str(kind)]
    if isinstance(kind, pa.BaseExtensionType):
        return spark_type(kind.storage_type)
    if pa.types.is_dictionary(kind):
        return spark_type(kind.value_type)
    if pa.types.is_fixed_size_binary(kind):
        return T.BinaryType()
    if pa.types.is_decimal(kind):
        return T.DecimalType(kind.precision, kind.scale) if kind.precision <= _MOST_DIGITS else None
    is_moment = pa.types.is_timestamp(kind) or pa.types.is_duration(kind)
    return _moment_type(kind) if is_moment else _nested_type(kind)


def wider(one: T.DataType, other: T.DataType) -> T.DataType | None:
    """Return the type as which Spark reads columns of both types without losing anything, None if there is none."""
    if one == other:
        return one
    if one in _WHOLE and other in _WHOLE:
        return max(one, other, key=_WHOLE.index)
    pair = frozenset({one, other})
    if pair in _WIDER:
        return _WIDER[pair]
    if all(isinstance(kind, T.DecimalType) or kind in _DIGITS for kind in pair):
        return _wider_decimal(_as_decimal(one), _as_decimal(other))
    return _wider_nested(one, other)


def _moment_type(kind: pa.TimestampType | pa.DurationType) -> T.DataType:
    if kind.unit == "ns" or pa.types.is_duration(kind):
        return T.LongType()
    return T.TimestampNTZType() if kind.tz is None else T.TimestampType()


def _nested_type(kind: pa.DataType) -> T.DataType | None:
    if pa.types.is_struct(kind):
        found = {field.name: spark_type(field.type) for field in kind}
        fields = [T.StructField(name, inner) for name, inner in found.items() if inner is not None]
        return T.StructType(fields) if len(fields) == kind.num_fields else None
    if any(is_kind(kind) for is_kind in _LISTS):
        element = spark_type(kind.value_type)
        return element and T.ArrayType(element)
    if pa.types.is_map(kind):
        key, value = spark_type(kind.key_type), spark_type(kind.item_type)
        return T.MapType(key, value) if key and value else None
    return None


def _as_decimal(kind: T.DataType) -> T.DecimalType:
    return kind if isinstance(kind, T.DecimalType) else T.DecimalType(_DIGITS[kind], 0)


def _wider_decimal(one: T.DecimalType, other: T.DecimalType) -> T.DataType | None:
    scale = max(one.scale, other.scale)
    digits = scale + max(one.precision - one.scale, other.precision - other.scale)
    return T.DecimalType(digits, scale) if digits <= _MOST_DIGITS else None


def _wider_nested(one: T.DataType, other: T.DataType) -> T.DataType | None:
    if isinstance(one, T.ArrayType) and isinstance(other, T.ArrayType):
        element = wider(one.elementType, other.elementType)
        return element and T.ArrayType(element)
    if isinstance(one, T.MapType) and isinstance(other, T.MapType):
        key, value = wider(one.keyType, other.keyType), wider(one.valueType, other.valueType)
        return T.MapType(key, value) if key and value else None
    if isinstance(one, T.StructType) and isinstance(other, T.StructType):
        names = dict.fromkeys([*one.names, *other.names])
        found = {name: _wider_field(name, one, other) for name in names}
        fields = [T.StructField(name, kind) for name, kind in found.items() if kind is not None]
        return T.StructType(fields) if len(fields) == len(names) else None
    return None


def _wider_field(name: str, one: T.StructType, other: T.StructType) -> T.DataType | None:
    if name not in one.names or name not in other.names:
        return (one if name in one.names else other)[name].dataType
    return wider(one[name].dataType, other[name].dataType)
