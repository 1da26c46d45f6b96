"""Every example plans: its program runs, and no input is one that the cloud would refuse."""

from pathlib import Path

import pytest

from hpc_components.preview.record import RecordedResource, Recording, record
from hpc_components.preview.stack import plan_stack
from hpc_components.spec.project import find_project

EXAMPLES = sorted(path.parent for path in Path(__file__).parents[2].glob("examples/*/Pulumi.yaml"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_has_a_plan_without_error(example: Path) -> None:
    project = find_project(example)
    assert project.stacks == ("dev",)
    plan = plan_stack(project, "dev").plan
    assert plan is not None
    assert len(list(plan.resources)) > 2
    assert plan.region == "us-east-2"
    assert [finding for finding in plan.findings if finding["level"] == "error"] == []


def test_there_are_exactly_three_examples() -> None:
    assert [path.name for path in EXAMPLES] == ["cluster-in-python", "fleet-in-existing-vpc", "lustre-only"]


def test_a_fleet_in_an_existing_vpc_makes_nothing_in_it() -> None:
    recording = record(EXAMPLES[1], config={"aws:region": "us-east-2"})
    made = {each.type for each in recording.resources}
    assert not [type for type in made if type.startswith(("aws:vpc", "aws:ec2/vpc", "aws:ec2/subnet"))]
    assert {each.name for each in recording.all("LaunchTemplate")} == {
        "cfd-hpc7a.96xlarge-use2-az2",
        "cfd-hpc6a.48xlarge-use2-az2",
    }


def made_before(recording: Recording, one: RecordedResource) -> set[str]:
    """URNs of all that Pulumi makes before `one`: what it and those above it depend on, and so on."""
    by_urn = {each.urn: each for each in recording.resources}
    found, waiting = set[str](), [one.urn]
    while waiting:
        each = by_urn[waiting.pop()]
        new = {*each.depends_on, *([each.parent] if each.parent else [])} - found
        found |= new
        waiting += new
    return found


def test_the_head_node_of_a_cluster_in_python_boots_when_what_it_uses_is_there() -> None:
    recording = record(EXAMPLES[0])
    before = made_before(recording, recording.one("aws:ec2/instance:Instance", "campus-head"))
    needed = ("Route", "SecurityGroupIngressRule", "MountTarget", "BucketObjectv2", "LaunchTemplate", "Invocation")
    for kind in needed:
        made = {each.urn for each in recording.all(kind) if "SlurmHeadNode" not in each.urn}
        assert made, kind
        assert made <= before, kind


def test_the_home_of_a_cluster_in_python_waits_for_the_rules_of_its_group() -> None:
    recording = record(EXAMPLES[0])
    rules = {each.urn for each in recording.all("SecurityGroupIngressRule")}
    assert rules <= made_before(recording, recording.one("aws:efs/fileSystem:FileSystem"))
