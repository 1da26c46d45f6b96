from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.testing._diff import changes
from hpc_components.testing._values import UNKNOWN

keys = st.sampled_from(["a", "b", "cIdr", "hpc:role", "kubernetes.io/x"])
leaves = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "b"])
values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3))
bags = st.dictionaries(keys, values, max_size=4)


@given(bags)
def test_nothing_differs_from_itself(bag: dict[str, Any]) -> None:
    assert changes(bag, bag, force_new=list(bag)) == []


@given(bags, bags)
def test_a_change_is_seen_from_both_sides(old: dict[str, Any], new: dict[str, Any]) -> None:
    there, back = changes(old, new), changes(new, old)
    assert [change.path for change in there] == [change.path for change in back]
    opposite = {"ADD": "DELETE", "DELETE": "ADD", "UPDATE": "UPDATE"}
    assert [opposite[change.kind] for change in there] == [change.kind for change in back]


@given(bags, bags)
def test_what_is_ignored_is_not_seen(old: dict[str, Any], new: dict[str, Any]) -> None:
    tops = {change.property for change in changes(old, new)}
    plain = {top for top in tops if top.isidentifier()}
    assert not plain & {change.property for change in changes(old, new, ignore=plain)}


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"size": 1}, {"size": 1.0}, []),
        ({"__defaults": []}, {"__defaults": ["name"]}, []),
        ({}, {"tags": {}}, []),
        ({"subnetId": "s"}, {"subnetId": UNKNOWN}, [("subnetId", "UPDATE", True)]),
        ({"root": {"size": 8}}, {"root": {"size": 9}}, [("root.size", "UPDATE", False)]),
        (
            {},
            {"root": {"encrypted": True, "size": 9}},
            [("root.encrypted", "ADD", True), ("root.size", "ADD", False)],
        ),
        ({"nics": [{"id": "a"}]}, {"nics": [{"id": "b"}]}, [("nics[0].id", "UPDATE", True)]),
        ({"nics": [{"id": "a"}]}, {}, [("nics[0].id", "DELETE", True)]),
        ({"tags": {"hpc:role": "a"}}, {"tags": {"hpc:role": "b"}}, [('tags["hpc:role"]', "UPDATE", False)]),
        ({"capacity": 1200}, {"capacity": 2400}, [("capacity", "UPDATE", False)]),
        ({"capacity": 2400}, {"capacity": 1200}, [("capacity", "UPDATE", True)]),
    ],
)
def test_a_change_replaces_by_the_facts_given(
    old: dict[str, Any], new: dict[str, Any], found: list[tuple[str, str, bool]]
) -> None:
    seen = changes(old, new, force_new=["subnetId", "root.encrypted", "nics[*].id"], grow_only=["capacity"])
    assert [(change.path, change.kind, change.replaces) for change in seen] == found
