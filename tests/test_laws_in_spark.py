"""Laws of groups that hold whatever the documents, through Spark: what is kept, and what a second look may change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

from simhash_udf import find_duplicates, schema
from simhash_udf.stages.groups import build_groups, rank_nodes, select_keep_values

pytestmark = pytest.mark.processes

IN_SPARK = settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

POLICIES = st.lists(
    st.sampled_from(
        [
            "longest",
            "shortest",
            "min:day",
            "max:day",
            "min:source",
            "max:score",
            "priority:source=wiki,文库",
            "priority:day=3,0",
            "first",
            "last",
        ]
    ),
    min_size=1,
    max_size=4,
    unique=True,
)


def documents(seed: int, n: int = 300) -> pd.DataFrame:
    """Documents on few nodes with values to keep by: nulls and ties everywhere."""
    draw = np.random.default_rng(seed)
    node = draw.integers(0, n // 4, n)
    return pd.DataFrame(
        {
            "doc_id": [f"文{number:04d}" for number in draw.permutation(n)],
            "component": node - node % 3,
            "fingerprint": node,
            "text_length": draw.integers(1, 5, n),
            "day": pd.array(np.where(draw.random(n) < 0.3, None, draw.integers(0, 5, n)), dtype="Int64"),
            "source": draw.choice(np.array(["wiki", "文库", "blog", "", None], dtype=object), n),
            "score": np.where(draw.random(n) < 0.3, None, draw.integers(-2, 2, n).astype(float)),
        }
    )


def sorted_by(frame: pd.DataFrame, policies: list[str]) -> pd.DataFrame:
    """The order in which documents are kept, as a plain sort."""
    keys, ascending = frame.assign(), []
    for number, policy in enumerate([*policies, "first"]):
        name, _, argument = policy.partition(":")
        column = {"longest": "text_length", "shortest": "text_length"}.get(name, argument or "doc_id")
        values = frame[column.partition("=")[0]]
        if name == "priority":
            listed = argument.partition("=")[2].split(",")
            values = values.astype("string").map({value: place for place, value in enumerate(listed)})
        keys[f"key {number}"] = values
        ascending.append(name not in {"longest", "max", "last"})
    names = [f"key {number}" for number in range(len(ascending))]
    return keys.sort_values(names, ascending=ascending, na_position="last")


def frames(spark: SparkSession, rows: pd.DataFrame) -> tuple[DataFrame, DataFrame, DataFrame]:
    """Tables fingerprints and components, and the user's documents."""
    user = rows[["doc_id", "day", "source", "score"]].astype(object).where(lambda values: values.notna(), None)
    documents = spark.createDataFrame(user.values.tolist(), "id string, day int, source string, score double")
    kind = spark.createDataFrame([("",)], "id string").schema[0].dataType
    columns = rows[["doc_id", "fingerprint", "text_length"]].values.tolist()
    values = [(name, node, 1, length, number, False) for number, (name, node, length) in enumerate(columns)]
    components = rows[["fingerprint", "component"]].drop_duplicates().astype(int).values.tolist()
    made = spark.createDataFrame(values, schema.fingerprints(kind, 1)).repartition(3)
    return made, spark.createDataFrame(components, schema.COMPONENTS), documents


@IN_SPARK
@given(st.integers(0, 2**32), POLICIES)
def test_what_is_kept_is_what_a_plain_sort_in_pandas_puts_first(
    spark: SparkSession, seed: int, policies: list[str]
) -> None:
    rows = documents(seed)
    fingerprints, components, user = frames(spark, rows)
    options: dict[str, Any] = {"num_views": 1, "keep": policies}
    options["keep_values"] = select_keep_values(user, id_column="id", keep=policies)
    groups = build_groups(fingerprints, components, **options).toPandas()
    kept = groups[groups.is_representative]
    # one of each group, and it is a member of it
    assert kept.group_id.is_unique
    assert set(kept.group_id) == set(groups.group_id)
    assert (kept.doc_id == kept.representative_id).all()
    assert (groups.groupby("group_id").representative_id.nunique() == 1).all()
    in_order = sorted_by(rows, policies)
    sizes = in_order.groupby("component").doc_id.agg(["first", "size"])
    expected = sizes[sizes["size"] > 1]["first"].to_dict()
    assert dict(zip(kept.group_id, kept.doc_id, strict=True)) == expected
    # the nodes stand in the order of the first of their documents
    ranked = rank_nodes(fingerprints, components, **options).toPandas().sort_values(["component_id", "place"])
    nodes = in_order.drop_duplicates("fingerprint").sort_values("component", kind="stable")
    assert ranked.node_id.tolist() == nodes.fingerprint.tolist()


TEXTS = st.lists(
    st.lists(st.sampled_from("abcdefgh"), max_size=6).map(lambda words: " ".join(["x"] * 10 + words)),
    min_size=2,
    max_size=30,
)


def parts_of(spark: SparkSession, texts: list[str], **options: Any) -> dict[int, set[int]]:
    frame = spark.createDataFrame(list(enumerate(texts)), "id long, text string")
    rows = find_duplicates(frame, tokenizer="word", calibration="none", max_distance=5, **options).collect()
    found: dict[int, set[int]] = {}
    for row in rows:
        found.setdefault(row.group_id, set()).add(row.doc_id)
    assert all(row.representative_id in found[row.group_id] for row in rows)
    assert sum(row.is_representative for row in rows) == len(found)
    return found


@settings(IN_SPARK, max_examples=2)
@given(TEXTS, st.sampled_from(["cosine:0.95", "cosine:0.99", "jaccard:0.4", "jaccard:0.8"]))
def test_a_second_look_never_adds_a_pair(spark: SparkSession, texts: list[str], verify: str) -> None:
    plain = parts_of(spark, texts)
    for grouping in ("component", "representative"):
        checked = parts_of(spark, texts, verify=verify, grouping=grouping, verify_ngram=1)
        assert all(any(part <= whole for whole in plain.values()) for part in checked.values())
