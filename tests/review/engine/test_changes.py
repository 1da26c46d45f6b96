"""What becomes of a resource, by what the engine says and a table of a few records."""

from pathlib import Path
from typing import Any

import pytest

from hpc_components.preview.resources import SECRET
from hpc_components.preview.resources import UNKNOWN as MARK
from hpc_components.review.change_effects import Effect
from hpc_components.review.document import ABSENT, Operation
from tests.review.engine.made import DISK, HEAD, MACHINE, UNKNOWN, changes_in, state, step, urn


def detail(*paths: str, kind: str = "update", of_inputs: bool = True) -> dict[str, Any]:
    return {path: {"kind": kind, "inputDiff": of_inputs} for path in paths}


def disks(before: Any, after: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return state(inputs=before), state(inputs=after)


@pytest.mark.parametrize(
    ("op", "operation", "effect"),
    [
        ("create", Operation.CREATE, Effect.LIVE),
        ("import", Operation.CREATE, Effect.LIVE),
        ("update", Operation.UPDATE, Effect.LIVE),
        ("replace", Operation.REPLACE, Effect.DATA_LOST),
        ("create-replacement", Operation.REPLACE, Effect.DATA_LOST),
        ("import-replacement", Operation.REPLACE, Effect.DATA_LOST),
        ("delete-replaced", Operation.DELETE, Effect.DATA_LOST),
        ("delete", Operation.DELETE, Effect.DATA_LOST),
    ],
)
def test_the_engine_decides_and_the_table_says_what_that_means(
    tmp_path: Path, op: str, operation: Operation, effect: Effect
) -> None:
    old, new = disks({"size": 1}, {"size": 2})
    (change,) = changes_in(tmp_path, step(op, old, new, detailedDiff=detail("size"))).values()
    assert (change.operation, change.effect) == (operation, effect)


@pytest.mark.parametrize("op", ["same", "read", "read-replacement", "refresh", "discard", "discard-replaced",
                                "remove-pending-replace", "an op of tomorrow"])  # fmt: skip
def test_a_step_without_effect_in_the_cloud_is_not_a_change(tmp_path: Path, op: str) -> None:
    assert changes_in(tmp_path, step(op, *disks({}, {}))) == {}


def test_the_steps_of_a_replacement_are_one_change(tmp_path: Path) -> None:
    old, new = disks({"zone": "a"}, {"zone": "b"})
    steps = [
        step("create-replacement", old, new),
        step("replace", old, new, replaceReasons=["zone"], detailedDiff=detail("zone", kind="update-replace")),
        step("delete-replaced", old),
    ]
    (change,) = changes_in(tmp_path, *steps).values()
    assert change.operation is Operation.REPLACE
    assert [(each.path, each.before, each.after, each.replaces) for each in change.properties] == [
        ("zone", "a", "b", True)
    ]


def test_what_an_interrupted_replacement_left_is_deleted_beside_what_took_its_place(tmp_path: Path) -> None:
    (change,) = changes_in(
        tmp_path, step("same", state(), state()), step("delete-replaced", state(delete=True))
    ).values()
    assert change.operation is Operation.DELETE
    assert "interrupted" in change.words


def test_what_ends_with_what_it_needs_is_deleted(tmp_path: Path) -> None:
    """The engine deletes it before that is replaced; nothing takes its place."""
    (change,) = changes_in(tmp_path, step("delete-replaced", state())).values()
    assert (change.operation, change.words) == (Operation.DELETE, "It is empty.")


def test_what_is_retained_is_left_in_the_cloud(tmp_path: Path) -> None:
    (change,) = changes_in(tmp_path, step("delete", state(retainOnDelete=True, protect=True))).values()
    assert (change.operation, change.effect, change.protected) == (Operation.FORGET, Effect.LEFT_BEHIND, True)


def test_of_what_the_engine_leaves_as_it_is_the_provider_may_keep_a_removed_value(tmp_path: Path) -> None:
    old, new = disks({"key": "a", "size": 1, "made": "up", "__defaults": ["made"]}, {"size": 1})
    (change,) = changes_in(tmp_path, step("same", old, new)).values()
    assert (change.operation, change.effect) == (Operation.KEEP, Effect.KEPT)
    assert [each.path for each in change.properties] == ["key"]


def test_what_stays_as_it_is_is_no_change(tmp_path: Path) -> None:
    old, new = disks({"size": 1, "key": "a"}, {"size": 1, "key": "a"})
    assert changes_in(tmp_path, step("same", old, new)) == {}


def test_a_change_in_place_that_the_table_calls_a_replacement_is_unknown(tmp_path: Path) -> None:
    old, new = disks({"zone": "a"}, {"zone": "b"})
    (change,) = changes_in(tmp_path, step("update", old, new, detailedDiff=detail("zone"))).values()
    assert (change.operation, change.effect) == (Operation.UPDATE, Effect.UNKNOWN)


def test_of_a_change_that_no_record_knows_the_provider_has_decided(tmp_path: Path) -> None:
    old, new = disks({"colour": "a"}, {"colour": "b"})
    (change,) = changes_in(tmp_path, step("update", old, new, detailedDiff=detail("colour"))).values()
    assert (change.effect, change.words) == (Effect.UNKNOWN, "No source documents the effect.")


def test_what_the_cloud_refuses_is_known_though_the_engine_would_try_it(tmp_path: Path) -> None:
    old, new = disks({"mood": "a"}, {"mood": "b"})
    (change,) = changes_in(tmp_path, step("update", old, new, detailedDiff=detail("mood"))).values()
    assert change.effect is Effect.REFUSED


@pytest.mark.parametrize(
    ("before", "after", "told", "found"),
    [
        # the provider says no paths: its inputs are compared
        ({"size": {"a": 1, "b": 2}}, {"size": {"a": 1, "b": 3}}, {"diffReasons": ["size"]}, [("size.b", 2, 3)]),
        ({"size": 1}, {}, {"diffReasons": ["size"], "detailedDiff": None}, [("size", 1, ABSENT)]),
        # a path of a whole value
        ({"size": [1, 2]}, {"size": [1, 3]}, {"detailedDiff": detail("size")}, [("size[1]", 2, 3)]),
        ({"size": "[secret]"}, {"size": "[secret]"}, {"detailedDiff": detail("size")}, [("size", SECRET, SECRET)]),
        ({"size": 1}, {"size": UNKNOWN}, {"detailedDiff": detail("size")}, [("size", 1, MARK)]),
        ({"size": 1}, {"size": 1}, {"detailedDiff": detail("size", of_inputs=False)}, [("size", 7, 1)]),
        # the provider's own bookkeeping
        ({"size": 1}, {"size": 2}, {"detailedDiff": detail("size", "__defaults")}, [("size", 1, 2)]),
        ({"__defaults": ["a"]}, {"__defaults": []}, {"diffReasons": ["__defaults"]}, []),
        # below what is not known
        ({"size": {"a": 1}}, {"size": UNKNOWN}, {"detailedDiff": detail("size.a")}, [("size.a", 1, MARK)]),
    ],
)
def test_values_that_differ_are_told(
    tmp_path: Path, before: Any, after: Any, told: dict[str, Any], found: list[tuple[str, Any, Any]]
) -> None:
    old, new = disks(before, after)
    (change,) = changes_in(tmp_path, step("update", old | {"outputs": {"size": 7}}, new, **told)).values()
    assert [(each.path, each.before, each.after) for each in change.properties] == found


def test_a_path_into_a_file_is_the_file(tmp_path: Path) -> None:
    def file(text: str) -> dict[str, str]:
        return {"4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", "hash": text, "text": text}

    old, new = disks({"size": file("a")}, {"size": file("b")})
    told = detail("size.hash", "size.text", kind="update-replace")
    (change,) = changes_in(tmp_path, step("replace", old, new, detailedDiff=told)).values()
    (property,) = change.properties
    assert (property.path, property.replaces) == ("size", True)
    assert property.after == {"asset": {"text": "b", "sha256": "b"}}


def test_what_follows_from_a_replacement_names_it(tmp_path: Path) -> None:
    disk = disks({"zone": "a"}, {"zone": "b"})
    source = {"propertyDependencies": {"disk": [urn(DISK, "d")], "name": []}}

    def machine(disk: str, name: str) -> dict[str, Any]:
        return state(MACHINE, f"of-{name}", inputs={"disk": disk, "name": name}, **source)

    found = changes_in(
        tmp_path,
        step("replace", *disk, detailedDiff=detail("zone", kind="update-replace")),
        step(
            "update", machine("vol-1", "a"), machine(UNKNOWN, "a"), diffReasons=["disk"], detailedDiff=detail("disk")
        ),
        step(
            "update", machine("vol-1", "b"), machine(UNKNOWN, "b"), detailedDiff=detail("disk", "name")
        ),
        step("replace", machine("vol-1", "c"), machine(UNKNOWN, "c"),
             detailedDiff=detail("disk", kind="update-replace") | detail("name")),
    )  # fmt: skip
    because = {name: change.because for name, change in found.items()}
    assert because == {"d": "", "of-a": urn(DISK, "d"), "of-b": "", "of-c": urn(DISK, "d")}


def test_what_is_deleted_with_another_resource_follows_from_it(tmp_path: Path) -> None:
    """As the engine tells it: with the option among the reasons, and no input that differs."""
    along = state(MACHINE, "along", inputs={"name": "a"}, deletedWith=urn(DISK, "d"))
    found = changes_in(
        tmp_path,
        step("replace", *disks({"zone": "a"}, {"zone": "b"}), detailedDiff=detail("zone", kind="update-replace")),
        step("replace", along, along, diffReasons=["deletedWith"], replaceReasons=["deletedWith"]),
    )
    assert (found["along"].because, found["along"].properties) == (urn(DISK, "d"), ())


def test_where_a_resource_is_counts_also_if_its_component_is_not_told(tmp_path: Path) -> None:
    def machine(size: str, **more: Any) -> dict[str, Any]:
        return state(MACHINE, f"m{len(more)}", inputs={"size": size}, **more)

    inside = [machine(size, parent=HEAD) for size in ("s", "l")]
    alone = [machine(size) for size in ("s", "l")]
    found = changes_in(tmp_path, *(step("update", *sides, detailedDiff=detail("size")) for sides in (inside, alone)))
    assert found["m1"].effect is Effect.HEAD_RESTARTS
    assert found["m0"].effect is Effect.NEW_NODES


def test_protection_that_is_taken_off_is_told(tmp_path: Path) -> None:
    (change,) = changes_in(tmp_path, step("same", state(protect=True), state())).values()
    assert (change.operation, change.effect) == (Operation.UNPROTECT, Effect.UNPROTECTED)


def test_components_the_stack_and_what_pulumi_makes_unasked_are_no_changes(tmp_path: Path) -> None:
    unasked = state("pulumi:providers:t", "default_7_51_1")
    own = state("pulumi:providers:t", "default", parent=HEAD)
    found = changes_in(
        tmp_path,
        step("create", new=unasked),
        step("create", new=own),
        step("update", state("c:m:Head", "head") | {"custom": False}, state("c:m:Head", "head") | {"custom": False}),
        step("create", new=state("pulumi:pulumi:Stack", "p-s")),
        step("create", new=state(name="read", external=True)),
        step("create", new=state(name="view", viewOf=urn(DISK, "d"))),
    )
    assert found.keys() == {"default"}
