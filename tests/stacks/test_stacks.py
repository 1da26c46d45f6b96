"""What must hold for every stack of this project, on whatever cloud."""

import base64
import importlib
import json
from dataclasses import replace
from typing import Any

import pytest
from stack_recordings import PARTS, PROJECT, needed_by, parts_of, planned, recorded, stacks_of

from hpc_components.boot import user_data
from hpc_components.preview.inputs import check_inputs
from hpc_components.preview.record import RecordedResource, Recording, record
from hpc_components.preview.recorder.sdk_types import argument_class
from hpc_components.preview.resources import Resources
from hpc_components.preview.stack import plan_stack
from hpc_components.testing import assert_no_violations, assert_tagged

CFD = ("aws-cfd", "azure-hbv4", "gcp-h3")
"""One cluster on three clouds."""


@pytest.fixture
def record_release(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The tool that records releases."""
    monkeypatch.syspath_prepend(str(PROJECT.root / "tools"))
    return importlib.import_module("record_release")


@pytest.fixture(params=PROJECT.stacks)
def stack(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.mark.parametrize(
    ("cloud", "stacks"),
    [
        ("aws", {"aws-dev", "aws-cfd", "aws-ultracluster", "aws-university"}),
        ("azure", {"azure-dev", "azure-hbv4", "azure-nd", "azure-university"}),
        ("gcp", {"gcp-dev", "gcp-h3", "gcp-h4d", "gcp-ultracluster", "gcp-university"}),
    ],
)
def test_there_are_the_reference_stacks(cloud: str, stacks: set[str]) -> None:
    assert stacks <= set(stacks_of(cloud))
    assert {name.partition("-")[0] for name in PROJECT.stacks} == set(PARTS)


def test_the_description_has_no_error(stack: str) -> None:
    found = planned(stack)
    assert found.judgement.errors == ()
    assert found.plan is not None
    assert [finding for finding in found.plan.findings if finding["level"] == "error"] == []


def test_nothing_of_the_last_release_vanishes_or_is_replaced(stack: str, record_release: Any) -> None:
    """A failure here is a breaking change: keep it, give it an alias, or say so in the changelog (CONTRIBUTING)."""
    plan = planned(stack).plan
    assert plan is not None
    record = (record_release.RELEASES / f"{stack}.txt").read_text()
    assert len(record.splitlines()) > 50
    assert list(record_release.changes_since(record, plan)) == []


def test_what_vanished_or_would_be_replaced_is_told_unless_it_has_an_alias(record_release: Any) -> None:
    plan = planned("aws-cfd").plan
    assert plan is not None
    (home,) = plan.resources.of_type("aws:fsx/openZfsFileSystem:OpenZfsFileSystem")
    record = record_release.record_of(plan)
    others = [each for each in plan.resources if each != home]

    def since(**changes: Any) -> list[str]:
        changed = Resources([*others, replace(home, **changes)])
        return list(record_release.changes_since(record, replace(plan, resources=changed)))

    assert since() == since(inputs={**home.inputs, "storageCapacity": 2048}) == []
    renamed = home.urn.replace("cfd-home", "cfd-homes")
    assert since(urn=renamed, name="cfd-homes") == [f"{home.urn} has vanished"]
    assert since(urn=renamed, name="cfd-homes", aliases=(home.urn,)) == []
    (told,) = since(inputs={**home.inputs, "deploymentType": "MULTI_AZ_1"})
    assert told == f'{home.urn} is replaced (data_lost): deploymentType was "SINGLE_AZ_1", is "MULTI_AZ_1"'


def test_the_same_stack_has_the_same_bytes(stack: str) -> None:
    first, second = planned(stack).plan, plan_stack(PROJECT, stack).plan
    assert first is not None
    assert second is not None
    assert first.to_json() == second.to_json()


def test_preview_graph_is_the_update_graph(stack: str) -> None:
    def graph(recording: Recording) -> list[tuple[str, str | None, tuple[str, ...]]]:
        return [(each.urn, each.parent, each.depends_on) for each in recording.resources]

    assert graph(recorded(stack)) == graph(recorded(stack, preview=False))


def test_no_urn_twice_and_every_child_has_its_parent(stack: str) -> None:
    urns = [each.urn for each in recorded(stack).resources]
    assert len(urns) == len(set(urns))
    assert {each.parent for each in recorded(stack).resources} - {None} <= set(urns)


def test_names_of_children_begin_with_their_components(stack: str) -> None:
    by_urn = {each.urn: each for each in recorded(stack).resources}
    for each in by_urn.values():
        if each.parent is not None and by_urn[each.parent].type.startswith("hpc:"):
            named = each.name.startswith(by_urn[each.parent].name)
            assert named or each.type in parts_of(stack).own_names, each.urn


def test_everything_taggable_says_its_cluster(stack: str) -> None:
    assert_tagged(recorded(stack), key="ClusterName")


def test_every_resource_type_is_known_to_the_sdk(stack: str) -> None:
    """By its classes inputs are judged: those of an unknown type would pass unseen."""
    custom = {each.type for each in recorded(stack).resources if each.custom and not each.type.startswith("pulumi:")}
    assert {type for type in custom if argument_class(type) is None} == set()


def test_no_input_is_one_that_the_cloud_would_refuse(stack: str) -> None:
    for preview in (True, False):
        assert [str(fault) for fault in check_inputs(recorded(stack, preview=preview))] == []


def test_the_rules_of_the_plan_hold(stack: str) -> None:
    """In an update too, where policies are known as a whole."""
    for preview in (True, False):
        assert_no_violations(recorded(stack, preview=preview))


def test_no_secret_is_made_in_the_program(stack: str) -> None:
    assert recorded(stack).all("SecretVersion") == ()
    for name in ("randomPassword", "privateKey", "adminPassword"):
        assert name not in json.dumps([each.inputs for each in recorded(stack).resources])


def test_data_survives_unless_the_cluster_is_thrown_away(stack: str) -> None:
    config = PROJECT.open(stack).config["hpc:cluster"]
    assert isinstance(config, dict)
    kept = not config.get("throw_away", False)
    found = [each for type in parts_of(stack).data for each in recorded(stack).all(type)]
    assert found
    for each in found:
        assert (each.protect, each.retain) == (kept, kept), each.name


def first_boot(each: RecordedResource) -> str:
    """What a machine runs at first boot."""
    if "metadata" in each.inputs:
        metadata = each.inputs["metadata"]
        return metadata.get("user-data") or metadata["startup-script"]
    if "userData" in each.inputs:
        return base64.b64decode(each.inputs["userData"]).decode()
    os = (each.inputs.get("virtualMachineProfile") or each.inputs)["osProfile"]
    return base64.b64decode(os["customData"]).decode()


def test_user_data_is_one_static_text(stack: str) -> None:
    parts = parts_of(stack)
    launched = [*recorded(stack).all(parts.launched_from)]
    assert launched
    if parts.package != "aws":  # there the head node is launched from a template too
        launched += recorded(stack).all(parts.machine)
    (text,) = {first_boot(each) for each in launched}
    assert text == user_data(stack.partition("-")[0])
    assert str(PROJECT.open(stack).config) not in text


def end_of_nodes(stack: str) -> RecordedResource:
    """What ends the compute nodes on a destroy."""
    type, end = parts_of(stack).ends_nodes
    (found,) = [each for each in recorded(stack).all(type) if each.name.endswith(end)]
    return found


def test_the_head_node_goes_first_then_the_compute_nodes_then_the_network(stack: str) -> None:
    recording, parts = recorded(stack), parts_of(stack)
    (head,) = recording.all(parts.head)
    machine = recording.one(parts.machine, head.name)
    reaper = end_of_nodes(stack)
    before_reaper = needed_by(recording, reaper.urn)
    first = {machine.urn, *needed_by(recording, machine.urn)}
    assert reaper.urn in first, "the head node would go on launching nodes"
    assert machine.urn not in before_reaper
    cluster = head.name.removesuffix("-head")
    standing = (head.name, f"{cluster}-login", f"{cluster}-sessions")  # nothing of it is a compute node's
    for type in parts.under_nodes:
        for each in recording.all(type):
            if not each.name.startswith(standing):
                assert each.urn in before_reaper, f"a destroy would remove {each.name} under running nodes"


def test_no_node_boots_before_what_it_fetches_and_mounts_is_there(stack: str) -> None:
    """Nodes look for their configuration for eight minutes and once only; a file system can take longer."""
    recording, parts = recorded(stack), parts_of(stack)
    (head,) = recording.all(parts.head)
    nodes = [recording.one(parts.machine, head.name)]
    nodes += [each for each in recording.all(parts.login_group) if each.name.endswith("-login")]
    nodes.append(end_of_nodes(stack))  # and compute nodes end before them
    needs = [each for type in (*parts.file_systems, parts.file) for each in recording.all(type)]
    needs = [each for each in needs if not each.name.endswith(parts.other_files)]
    assert [each.name for each in needs if each.name.endswith("/manifest")]
    for node in nodes:
        before = needed_by(recording, node.urn)
        assert [each.name for each in needs if each.urn not in before] == [], node.name


@pytest.mark.parametrize("stack", CFD)
def test_a_changed_queue_touches_no_node(stack: str) -> None:
    before = recorded(stack)
    config = json.loads(json.dumps(PROJECT.open(stack).config))
    config["hpc:cluster"]["queues"][0]["max"] = 12
    after = record(PROJECT.main, project=PROJECT.name, stack=stack, config=config)
    old = {each.urn: each for each in before.resources}
    changed = {each.urn for each in after.resources if each != old[each.urn]}
    assert {each.urn for each in after.resources} == set(old)
    types = {urn.split("::")[-2].split("$")[-1] for urn in changed}
    assert types == set(parts_of(stack).changed_with_a_queue)
