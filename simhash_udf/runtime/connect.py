"""Spark Connect: a session on a server elsewhere, which keeps its machines and most of its settings to itself."""

from __future__ import annotations

import json
import os
import socket
import uuid
from collections.abc import Mapping
from urllib.parse import urlsplit

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from simhash_udf.errors import SettingError
from simhash_udf.runtime.storage import delete, exists, write_text

_MOST_CORES = 100_000
_PORT = 15002  # Spark's own default
_PATIENCE_S = 30


def server_address() -> str | None:
    """Return the Connect server that ``SPARK_REMOTE`` or spark-submit's ``--remote`` names, None for a session here."""
    told: dict[str, str] = {}  # how spark-submit hands on what it was given
    for number in range(int(os.environ.get("PYSPARK_REMOTE_INIT_CONF_LEN", "0"))):
        told |= json.loads(os.environ[f"PYSPARK_REMOTE_INIT_CONF_{number}"])
    return os.environ.get("SPARK_REMOTE") or told.get("spark.remote")


def is_connect(spark: SparkSession) -> bool:
    """Say whether a session is on a Connect server."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def connected_session(server: str, defaults: Mapping[str, str]) -> SparkSession:
    """Return a session on the server; what was set there, or given for the session, wins over the defaults.

    Raises
    ------
    SettingError
        No server answers, or packages to reach it are missing here.
    """
    _check_answers(server)
    try:
        spark: SparkSession = SparkSession.builder.remote(server).getOrCreate()
        given = spark.conf.getAll
    except ImportError as error:
        raise SettingError(
            f"Spark Connect needs packages that are not here; pip install 'simhash-dedup[connect]': {error}"
        ) from None
    except PySparkException as error:
        raise SettingError(f"no Spark Connect server answers at {server}: {_first_line(error)}") from None
    for name, value in defaults.items():
        if name not in given:
            spark.conf.set(name, value)
    return spark


def count_cores(spark: SparkSession) -> int:
    """Return the cores that the server counts on. Cost: a job of a fraction of a second."""
    # a range has as many partitions as Spark makes by itself
    return max(spark.range(_MOST_CORES).select(F.spark_partition_id()).distinct().count(), 1)


def check_shared(spark: SparkSession, option: str, place: str | None) -> None:
    """Refuse a directory that the server of a Connect session does not see under the name that it has here.

    Spark writes the tables, and this process their manifests and the report beside them. Nothing happens in a session
    of this process. Cost: a small file is written, read by Spark and deleted.

    Raises
    ------
    SettingError
        The server does not see it.
    """
    if place and is_connect(spark) and not _is_seen(spark, place.rstrip("/")):
        raise SettingError(
            f"{option}={place} is another place for the Spark Connect server than for this process; give one that both "
            f"reach under one name: an s3a:// path, or an absolute path where both are on one machine"
        )


def _check_answers(server: str) -> None:
    """Refuse an address where nobody listens: Spark's client by itself tries for ten minutes."""
    address = urlsplit(server)
    if address.scheme != "sc":
        return  # local[2]: Spark starts a server here
    try:
        socket.create_connection((address.hostname, address.port or _PORT), timeout=_PATIENCE_S).close()
    except OSError as error:
        raise SettingError(f"no Spark Connect server answers at {server}: {error}") from None


def _is_seen(spark: SparkSession, place: str) -> bool:
    """Whether the server reads what is written here; True where nothing can be written, which is said elsewhere."""
    was_there = exists(place)
    name = f"{place}/connect-{uuid.uuid4().hex}"
    try:
        write_text(name, "Does the server see this?\n")
    except OSError:
        return True
    try:
        return spark.read.text(name).count() == 1
    except PySparkException:
        return False
    finally:
        delete(name if was_there else place)


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), "")
