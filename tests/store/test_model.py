"""The law on the model itself: any split into batches, in any order, ends in the partition of one run."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store.model import Model, components, worlds


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 10**6), views=st.integers(1, 2), k=st.integers(0, 4), data=st.data())
def test_any_split_in_any_order_ends_in_the_partition_of_one_run(
    seed: int, views: int, k: int, data: st.DataObject
) -> None:
    docs = worlds(seed, count=4, views=views, k=k)
    order = data.draw(st.permutations(range(len(docs))))
    night = data.draw(st.lists(st.integers(0, 5), min_size=len(docs), max_size=len(docs)))
    total = 2 * k * views
    whole, nightly = Model(k, total), Model(k, total)
    whole.add("all", docs)
    for number in range(6):
        nightly.add(f"run {number}", [docs[place] for place in order if night[place] == number])
        named = {group.id: group.members for group in nightly.groups.values()}
        assert len(named) == len(nightly.partition())  # no two groups have one id
    assert nightly.partition() == whole.partition()
    near = [(a.id, b.id) for a in docs for b in docs if a.id < b.id and a.is_near(b, k, total)]
    assert whole.partition() == {part for part in components([doc.id for doc in docs], near) if len(part) > 1}
