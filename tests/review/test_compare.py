"""Which resources of two plans are the same, and in which inputs they differ."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.preview.resources import SECRET, UNKNOWN, Resource, Resources
from hpc_components.review.compare import InputChange, Pair, pairs
from hpc_components.review.document import ABSENT
from hpc_components.review.paths import parsed, shown

keys = st.text(
    st.characters(codec="ascii", categories=["L", "N"], include_characters=".[]\"' :"), min_size=1, max_size=6
)
plain = st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from([UNKNOWN, SECRET])
values = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)
inputs = st.dictionaries(keys, values, max_size=4)
programs = st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), inputs, max_size=4)


def resource(name: str, inputs: dict[str, Any] | None = None, **more: Any) -> Resource:
    return Resource(urn=f"urn:pulumi:s::p::t:m:T::{name}", type="t:m:T", name=name, inputs=inputs or {}, **more)


def resources(program: dict[str, dict[str, Any]]) -> Resources:
    return Resources(resource(name, given) for name, given in program.items())


def only(before: Resource, after: Resource) -> Pair:
    (pair,) = pairs(Resources([before]), Resources([after]))
    return pair


def changes(before: dict[str, Any], after: dict[str, Any], **more: Any) -> dict[str, tuple[Any, Any]]:
    pair = only(resource("a", before, **more), resource("a", after, **more))
    return {shown(each.path): (each.before, each.after) for each in pair.changes}


@given(programs)
def test_a_program_does_not_differ_from_itself(program: dict[str, dict[str, Any]]) -> None:
    assert all(
        pair.before and pair.after and not pair.changes for pair in pairs(resources(program), resources(program))
    )


@given(programs, programs)
def test_back_is_the_opposite_of_forth(one: dict[str, dict[str, Any]], other: dict[str, dict[str, Any]]) -> None:
    def swapped(pair: Pair) -> Pair:
        back = [InputChange(path=each.path, before=each.after, after=each.before) for each in pair.changes]
        return Pair(before=pair.after, after=pair.before, changes=tuple(back))

    forth, back = pairs(resources(one), resources(other)), pairs(resources(other), resources(one))
    assert tuple(map(swapped, back)) == forth


@given(inputs, inputs)
def test_every_difference_is_found_and_no_other(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert bool(changes(before, after)) == (repr(sorted_(before)) != repr(sorted_(after)))


def sorted_(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: sorted_(value[key]) for key in sorted(value)}
    return [sorted_(each) for each in value] if isinstance(value, list) else value


@given(st.lists(keys | st.integers(0, 9), min_size=1, max_size=4))
def test_a_path_can_be_read_back(path: list[str | int]) -> None:
    assert parsed(shown(tuple(path))) == tuple(path)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ({"size": 1}, {"size": 2}, {"size": (1, 2)}),
        ({"on": True}, {"on": 1}, {"on": (True, 1)}),
        ({"size": 1}, {"size": 1.0}, {}),
        ({"a": {"x": 1, "y": 2}}, {"a": {"y": 2, "x": 1}}, {}),
        ({"a": [{"x": 1}, {"x": 2}]}, {"a": [{"x": 1}]}, {"a[1]": ({"x": 2}, ABSENT)}),
        ({"tags": {"hpc:role": "head"}}, {"tags": {}}, {"tags.hpc:role": ("head", ABSENT)}),
        ({"tags": {"a.b": "x"}}, {"tags": {"a.b": "y"}}, {'tags["a.b"]': ("x", "y")}),
        ({"x": None}, {}, {}),
        ({"id": UNKNOWN}, {"id": UNKNOWN}, {}),
        ({"id": UNKNOWN}, {"id": "vpc-1"}, {"id": (UNKNOWN, "vpc-1")}),
        ({"key": SECRET}, {"key": SECRET}, {}),
        ({"a": {"x": 1}}, {"a": [1]}, {"a": ({"x": 1}, [1])}),
        ({"f": {"asset": {"path": "a", "sha256": "1"}}}, {"f": {"asset": {"path": "b", "sha256": "1"}}}, {}),
        (
            {"f": {"asset": {"text": "a", "sha256": "1"}}},
            {"f": {"asset": {"text": "b", "sha256": "2"}}},
            {"f": ({"asset": {"text": "a", "sha256": "1"}}, {"asset": {"text": "b", "sha256": "2"}})},
        ),
    ],
)
def test_only_a_real_difference_is_a_change(
    before: dict[str, Any], after: dict[str, Any], said: dict[str, Any]
) -> None:
    assert changes(before, after) == said


@pytest.mark.parametrize(
    ("ignored", "left"),
    [
        ((), {"a.x", "a.y", "l[0].z", "l[1].z"}),
        (("a",), {"l[0].z", "l[1].z"}),
        (("a.x", "l[0]"), {"a.y", "l[1].z"}),
        (("l[*].z",), {"a.x", "a.y"}),
        (("l[*].other", "z"), {"a.x", "a.y", "l[0].z", "l[1].z"}),
        (("*",), set()),
    ],
)
def test_what_pulumi_leaves_as_it_is_is_no_change(ignored: tuple[str, ...], left: set[str]) -> None:
    before = {"a": {"x": 1, "y": 1}, "l": [{"z": 1}, {"z": 1}]}
    after = {"a": {"x": 2, "y": 2}, "l": [{"z": 2}, {"z": 2}]}
    assert set(changes(before, after, ignore_changes=ignored)) == left


def test_a_resource_with_another_name_is_found_by_its_alias() -> None:
    old, new = (
        resource("old", {"x": 1}),
        resource("new", {"x": 1}, aliases=(resource("older").urn, resource("old").urn)),
    )
    assert only(old, new) == Pair(before=old, after=new)


def test_an_alias_does_not_take_what_still_has_its_own_name() -> None:
    old, new = resource("old"), resource("new", aliases=(resource("old").urn,))
    assert pairs(Resources([old]), Resources([old, new])) == (
        Pair(before=None, after=new),
        Pair(before=old, after=old),
    )


def test_two_resources_do_not_become_one() -> None:
    old = resource("old")
    found = pairs(Resources([old]), Resources([resource(name, aliases=(old.urn,)) for name in ("x", "y")]))
    assert [pair.before for pair in found] == [old, None]


def test_components_are_left_out_also_where_only_one_plan_says_what_they_are() -> None:
    component = replace(resource("a", {"max": 1}), component=True)
    assert pairs(Resources([replace(component, component=False, inputs={})]), Resources([component])) == ()


def test_an_unknown_value_of_another_resource_is_another_value() -> None:
    def machine(subnet: str, **more: Any) -> Resource:
        sources = {"net": (resource(subnet).urn,)}
        return resource("a", {"net": {"subnet": UNKNOWN, "public": True}}, property_dependencies=sources, **more)

    assert only(machine("one"), machine("one")).changes == ()
    (change,) = only(machine("one"), machine("two")).changes
    assert change == InputChange(path=("net", "subnet"), before=UNKNOWN, after=UNKNOWN)
    renamed = resource("two", aliases=(resource("one").urn,))
    found = pairs(Resources([resource("one"), machine("one")]), Resources([renamed, machine("two")]))
    assert [pair.changes for pair in found] == [(), ()]


def test_a_plan_of_an_earlier_release_does_not_say_where_values_come_from() -> None:
    new = resource("a", {"net": UNKNOWN}, property_dependencies={"net": (resource("b").urn,)})
    assert only(resource("a", {"net": UNKNOWN}), new).changes == ()
