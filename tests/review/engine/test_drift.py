"""What is deployed against what the program would make, with the state that the real CLI wrote of the sample."""

import json
import shutil
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from hpc_components.preview.plan import Plan
from hpc_components.preview.resources import SECRET, UNKNOWN, Resource
from hpc_components.preview.stack import plan_stack
from hpc_components.review.document import Operation, Part, Review, Side
from hpc_components.review.engine.align_with_plan import align_with_plan
from hpc_components.review.engine.drift import drift
from hpc_components.review.headline import verdict
from hpc_components.spec.project import find_project
from tests.review.engine.made import state

SAMPLE = Path(__file__).parents[2] / "engine" / "sample"
DEPLOYMENT = json.loads((Path(__file__).parent / "documents" / "state.json").read_text())["deployment"]
SIDES = Side(source="state.json", option="--state"), Side(source="working tree")


@cache
def plan_of(config: str = "") -> Plan:
    """The plan of the sample with more configuration."""
    with TemporaryDirectory() as folder:
        project = Path(folder) / "sample"
        shutil.copytree(SAMPLE, project)
        (project / "Pulumi.dev.yaml").write_text(f"config:\n  sample:token: {{secure: v1:x}}\n{config}")
        planned = plan_stack(find_project(project), "dev")
    assert planned.plan
    return planned.plan


def deployment(change: Callable[[dict[str, Any]], None], name: str) -> dict[str, Any]:
    """What is deployed, with one resource changed."""
    found = deepcopy(DEPLOYMENT)
    (wanted,) = [each for each in found["resources"] if each["urn"].endswith(f"::{name}")]
    change(wanted)
    return found


def reviewed(deployed: Any = DEPLOYMENT, config: str = "") -> Review:
    return drift(deployed, plan_of(config), sides=SIDES)


def test_what_is_deployed_as_planned_does_not_differ() -> None:
    """Though ids, names that the provider gave, and what is encrypted are known to the state alone."""
    found = reviewed()
    assert found.changes == ()
    assert found.cost
    assert found.cost.full_before == found.cost.full_after
    assert (found.quotas, found.notes) == ((), ())
    assert [gap.part for gap in found.gaps] == [Part.DESCRIPTION]
    assert verdict(found) == "nothing changes"


def test_what_the_program_says_otherwise_is_what_the_next_update_does() -> None:
    found = reviewed(config="  sample:cidr: 10.0.2.0/24\n  sample:machine: c7i.xlarge\n")
    by_name = {change.name: change for change in found.changes}
    assert {name: change.operation for name, change in by_name.items()} == dict.fromkeys(
        ("subnet", "instance", "scratch"), Operation.REPLACE
    )
    assert by_name["scratch"].because == by_name["subnet"].urn
    machine = next(each for each in by_name["instance"].properties if each.path == "instanceType")
    assert (machine.before, machine.after) == ("c7i.large", "c7i.xlarge")


def test_a_change_made_in_the_state_is_undone() -> None:
    found = reviewed(deployment(lambda vpc: vpc["inputs"].update(cidrBlock="10.1.0.0/16"), "vpc"))
    vpc = next(change for change in found.changes if change.name == "vpc")
    assert vpc.operation is Operation.REPLACE


def test_what_the_plan_has_not_ends_and_what_the_state_has_not_is_made() -> None:
    more = deepcopy(DEPLOYMENT)
    bucket = {"urn": "urn:pulumi:dev::sample::aws:s3/bucket:Bucket::old", "type": "aws:s3/bucket:Bucket",
              "custom": True, "id": "old", "inputs": {"bucket": "old"}}  # fmt: skip
    more["resources"] = [each for each in more["resources"] if not each["urn"].endswith("::group")] + [bucket]
    found = {change.name: change.operation for change in reviewed(more).changes}
    assert found["old"] is Operation.DELETE
    assert found["group"] is Operation.CREATE


def test_an_empty_state_is_a_new_stack() -> None:
    found = reviewed({"resources": []})
    assert {change.operation for change in found.changes} == {Operation.CREATE}
    assert verdict(found).startswith("a new stack")


def test_what_an_interrupted_update_left_is_said_and_is_no_change() -> None:
    left = deepcopy(DEPLOYMENT)
    (instance,) = [each for each in left["resources"] if each["urn"].endswith("::instance")]
    old = deepcopy(instance) | {"delete": True, "id": "i-old"}
    old["inputs"]["ami"] = "ami-old"
    left["resources"].append(old)
    left["pending_operations"] = [{"resource": instance, "type": "creating"}]
    found = reviewed(left)
    assert found.changes == ()
    assert found.notes == (
        "An update was interrupted and left 1 replaced resource behind, which the next update will delete: "
        "Instance instance.",
        "An update was interrupted while creating Instance instance. Run `pulumi refresh` to read the "
        "result from the cloud.",
    )


def test_what_is_tainted_is_said() -> None:
    found = reviewed(deployment(lambda each: each.update(taint=True), "instance"))
    assert found.notes == (
        "The next update will replace resources marked by `pulumi state taint`: Instance instance.",
    )


def test_what_was_deleted_for_a_replacement_is_made() -> None:
    (change,) = reviewed(deployment(lambda each: each.update(pendingReplacement=True), "instance")).changes
    assert (change.name, change.operation) == ("instance", Operation.CREATE)


SECRET_VALUE = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "x"}
ARCHIVE = {"4dabf18193072939515e22adb298388d": "0def7320c3a5731c473e5ecbe6d01bc7", "hash": "1", "path": "a"}


@pytest.mark.parametrize(
    ("deployed", "planned", "seen"),
    [
        ("vol-1", UNKNOWN, UNKNOWN),
        (SECRET_VALUE, SECRET, SECRET),
        (SECRET_VALUE, "plain", "plain"),
        ("plain", SECRET, SECRET),
        ("true", True, True),
        ("64", 64, 64),
        (64.0, 64, 64),
        ("0.5", 0.5, 0.5),
        ("a", "b", "a"),
        ("one", 1, "one"),
        (True, 1, True),
        ({"a": "1", "b": 2}, {"a": 1, "b": 3}, {"a": 1, "b": 2}),
        ({"__defaults": ["b"], "a": 1, "b": 2, "c": 3}, {"a": 1}, {"a": 1, "c": 3}),
        ({"__defaults": ["b"], "a": 1, "b": 2}, {"a": 1, "b": 3}, {"a": 1, "b": 2}),
        (["id-1", "x", "y"], [UNKNOWN, "x"], [UNKNOWN, "x", "y"]),
        ([{"__defaults": ["b"], "b": 2}], [{}], [{}]),
        (ARCHIVE, {"archive": {"path": "a", "sha256": "2"}}, {"archive": {"path": "a", "sha256": "2"}}),
    ],
)  # fmt: skip
def test_a_deployed_value_is_seen_as_a_planned_one(deployed: Any, planned: Any, seen: Any) -> None:
    planned_resource = Resource(urn="u", type="t", name="d", inputs={"v": planned})
    found = align_with_plan(state(inputs={"v": deployed}), planned_resource).inputs["v"]
    assert (found, type(found)) == (seen, type(seen))


@pytest.mark.parametrize(
    ("more", "kept"),
    [
        ({"inputs": {"__defaults": ["name"], "name": "d-1", "size": 1}}, {"size"}),
        ({"inputs": {"name": "d-1", "size": 1}, "propertyDependencies": {"size": []}}, {"size"}),
        ({"inputs": {"name": "d-1", "size": 1}, "propertyDependencies": {"size": [], "name": []}}, {"size", "name"}),
        ({"inputs": {"name": "d-1", "size": 1}}, {"size", "name"}),
    ],
)
def test_inputs_added_by_the_provider_are_not_compared(more: Any, kept: set[str]) -> None:
    found = align_with_plan(state(**more), Resource(urn="u", type="t", name="d", inputs={"size": 1}))
    assert found.inputs.keys() == kept


def test_what_is_deployed_elsewhere_is_counted_there() -> None:
    """Its provider says where; the plan is of another region, whose prices and quotas are others."""

    def at(region: str) -> dict[str, Any]:
        found = deepcopy(DEPLOYMENT)
        for each in found["resources"]:
            if each["type"] == "pulumi:providers:aws":
                each["inputs"]["region"] = region
        return found

    plan = plan_of()
    here, there = (drift(at(region), plan, sides=SIDES) for region in (plan.region, "eu-central-1"))
    assert here.cost
    assert there.cost
    assert here.cost.full_before == here.cost.full_after == there.cost.full_after != there.cost.full_before
    assert here.quotas == ()
    assert {each.region for each in there.quotas} == {plan.region, "eu-central-1"}
