"""The engine and the stand-in provider on a small program: what users of `testing.engine` can rely on."""

import json

import pytest

from hpc_components.aws.testing.instances import run_instance
from hpc_components.testing.engine import Engine, EngineError, Outcome

pytestmark = pytest.mark.engine

SUBNET = "aws:ec2/subnet:Subnet"
INSTANCE = "aws:ec2/instance:Instance"
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"


def configure(engine: Engine, **settings: str) -> None:
    for key, value in settings.items():
        engine.config_set("dev", key.replace("_", "-"), value)


def names(outcome: Outcome, *ops: str) -> set[str]:
    return {step.name for step in outcome.of(*ops)}


def test_the_sample_lives_from_up_to_destroy(sample: Engine) -> None:
    made = sample.up("dev")
    assert made.changes == {"create": 6}  # five resources and the stack

    assert sample.preview("dev", expect_no_changes=True).changes == {}
    state = sample.export("dev")
    assert [each.id.partition("-")[0] for each in (*state.of(SUBNET), *state.of(INSTANCE))] == ["subnet", "i"]
    assert state.of(INSTANCE)[0].inputs["subnetId"] == state.of(SUBNET)[0].id

    configure(sample, machine="c7i.xlarge", capacity="2400")
    in_place = sample.preview("dev")
    assert in_place.changes == {"update": 2}
    assert {step.name: step.changed for step in in_place.of("update")} == {
        "instance": ("instanceType",),
        "scratch": ("storageCapacity",),
    }
    with pytest.raises(EngineError, match="no changes were expected"):
        sample.preview("dev", expect_no_changes=True)
    assert sample.up("dev").changes == {"update": 2}

    configure(sample, ami="ami-00000000000000002", capacity="1200")
    replacing = sample.preview("dev")
    assert replacing.replaced == replacing.urns("replace")
    assert {step.name: step.forcing for step in replacing.of("replace")} == {
        "instance": ("ami",),
        "scratch": ("storageCapacity",),  # a file system can grow, but not shrink
    }

    configure(sample, cidr="10.0.2.0/24")
    moved = sample.up("dev")
    assert names(moved, "create-replacement") == {"subnet", "instance", "scratch"}
    assert sample.export("dev").of(SUBNET)[0].id != state.of(SUBNET)[0].id

    sample.destroy("dev")
    assert len(sample.export("dev")) == 0
    assert sample.cloud.things() == []


def test_a_failing_create_is_repaired_by_the_next_up(sample: Engine) -> None:
    sample.cloud.fail_once(LUSTRE, message="InsufficientCapacity: not in this zone")
    with pytest.raises(EngineError, match="InsufficientCapacity: not in this zone"):
        sample.up("dev")
    assert [entry.error for entry in sample.cloud.journal() if entry.type == LUSTRE] == [
        "InsufficientCapacity: not in this zone"
    ]

    repaired = sample.up("dev")
    assert "scratch" in names(repaired, "create")
    assert "vpc" not in names(repaired, "create")
    sample.preview("dev", expect_no_changes=True)


def test_an_elastic_instance_blocks_a_destroy(sample: Engine) -> None:
    sample.up("dev")
    subnet = sample.export("dev").of(SUBNET)[0].id
    elastic = run_instance(sample.cloud, subnet, tags={"ClusterName": "sample"})

    with pytest.raises(EngineError, match=f"DependencyViolation.*{subnet}.*held by {elastic}"):
        sample.destroy("dev")

    sample.cloud.remove(INSTANCE, elastic)
    sample.destroy("dev")
    assert sample.cloud.things() == []


def test_an_invocation_terminates_elastic_instances_before_the_network_goes(sample: Engine) -> None:
    configure(sample, reaper="true")
    sample.up("dev")
    state = sample.export("dev")
    subnet, group = state.of(SUBNET)[0].id, state.of("aws:ec2/securityGroup:SecurityGroup")[0].id
    run_instance(sample.cloud, subnet, security_groups=(group,), tags={"ClusterName": "sample"})
    other = run_instance(sample.cloud, "subnet-of-another-cluster", tags={"ClusterName": "other"})

    sample.destroy("dev")

    assert len(sample.export("dev")) == 0
    assert [thing.id for thing in sample.cloud.things()] == [other]


def test_a_retained_file_system_leaves_the_state_but_holds_its_subnet(sample: Engine) -> None:
    configure(sample, retain="true")
    sample.up("dev")

    with pytest.raises(EngineError, match=r"DependencyViolation: The subnet .* \(held by fs-"):
        sample.destroy("dev")

    assert sample.export("dev").of(LUSTRE) == ()
    assert [entry.method for entry in sample.cloud.journal() if entry.type == LUSTRE] == ["Create"]


def test_secrets_stay_secret_and_ignored_changes_ignored(sample: Engine) -> None:
    configure(sample, ignore_tags="true")
    sample.config_set("dev", "token", "open sesame", secret=True)
    sample.up("dev")

    made = sample.pulumi("stack", "export", "--stack", "dev")
    assert "open sesame" not in made
    assert "open sesame" not in json.dumps([entry.inputs for entry in sample.cloud.journal()], default=dict)
    instance = next(thing for thing in sample.cloud.things(INSTANCE))
    assert instance.inputs["userData"] == "<secret>"

    sample.config_set("dev", "token", "open barley", secret=True)
    assert names(sample.preview("dev"), "update") == {"instance"}
