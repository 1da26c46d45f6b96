"""Every AWS stack of this project through its life, with the real engine.

Set HPC_ENGINE_SEED to the seed that a failing test printed to let the same resource fail again.
"""

import json
import os
import random
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.graphs import differences
from hpc_components.aws.testing.instances import run_instance
from hpc_components.preview.record import Recording, record
from hpc_components.testing.engine import Engine, EngineError, StackState, StateResource
from hpc_components.testing.provider import Thing

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]
KEY = "hpc:cluster"
BUCKET = "aws:s3/bucket:Bucket"
OBJECT = "aws:s3/bucketObjectv2:BucketObjectv2"


def config_of(stack: str) -> dict[str, Any]:
    text = (ROOT / "stacks" / "config" / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)["config"]


def aws_stacks() -> list[str]:
    files = (ROOT / "stacks" / "config").glob("Pulumi.*.yaml")
    stacks = sorted(file.name.removeprefix("Pulumi.").removesuffix(".yaml") for file in files)
    return [stack for stack in stacks if config_of(stack).get(KEY, {}).get("cloud") == "aws"]


every_stack = pytest.mark.parametrize("stack", aws_stacks())


@pytest.fixture
def engine(engine_for: Callable[[Path], Engine]) -> Engine:
    return engine_for(ROOT)


def record_stack(stack: str) -> Recording:
    return record(ROOT / "stacks", stack=stack, config=config_of(stack))


@every_stack
def test_the_stand_in_knows_every_type(stack: str) -> None:
    table = json.loads((files("hpc_components.aws.testing") / "data" / "types.json").read_text(encoding="utf-8"))
    used = {resource.type for resource in record_stack(stack).resources if resource.type.startswith("aws:")}
    assert used - table["types"].keys() == set()


@every_stack
def test_life(engine: Engine, stack: str) -> None:
    recording = record_stack(stack)
    fails_to_create(engine, recording)
    with pytest.raises(EngineError, match="the cloud says no"):
        engine.up(stack)

    engine.up(stack)
    engine.preview(stack, expect_no_changes=True)
    assert differences(recording, engine.export(stack)) == []

    queue = config_of(stack)[KEY]["queues"][0]
    engine.config_set(stack, f"{KEY}.queues[0].max", str(queue["max"] + 1), path=True)
    changed = engine.preview(stack)
    assert not changed.replaced
    assert {step.type for step in changed.of("update") if step.type.startswith("aws:")} == {OBJECT}
    assert not changed.of("create", "delete")


@every_stack
def test_the_recorder_sees_what_a_preview_sees(engine: Engine, stack: str) -> None:
    assert differences(record_stack(stack), engine.preview(stack).planned) == []


@every_stack
def test_a_destroy_leaves_what_is_to_be_retained_and_nothing_else(engine: Engine, stack: str) -> None:
    engine.up(stack)
    state = engine.export(stack)
    run_elastic_instances(engine, state, cluster=config_of(stack)[KEY]["name"])
    for bucket in state.of(BUCKET):
        engine.cloud.put(Thing(id=f"{bucket.id}/log", type=OBJECT, urn=None, inputs={"bucket": bucket.id}))
    stranger = run_instance(engine.cloud, "subnet-of-another-cluster", tags={"ClusterName": "another"})
    namesake = {"ClusterName": config_of(stack)[KEY]["name"], "hpc:config": "bucket-of-another-stack"}
    twin = run_instance(engine.cloud, "subnet-of-another-cluster", tags=namesake)
    retained = [resource for resource in state if stays(resource, state)]

    engine.unprotect(stack)
    engine.destroy(stack)

    assert len(engine.export(stack)) == 0
    left = engine.cloud.things()
    assert {thing.urn for thing in left if thing.urn} == {resource.urn for resource in retained}
    kept = {f"{resource.id}/log" for resource in retained if resource.type == BUCKET}
    assert {thing.id for thing in left if thing.urn is None} == {stranger, twin, *kept}


def stays(resource: StateResource, state: StackState) -> bool:
    """It is retained, or goes only together with one that is: the settings of a bucket, say."""
    around = state.resources.get(resource.deleted_with or "")
    return resource.retain or (around is not None and stays(around, state))


def fails_to_create(engine: Engine, recording: Recording) -> None:
    """Let the first resource of some type fail; which one, the printed seed decides."""
    seed = int(os.environ.get("HPC_ENGINE_SEED") or random.randrange(10**6))
    types = sorted({resource.type for resource in recording.resources if resource.type.startswith("aws:")})
    unlucky = random.Random(seed).choice(types)
    print(f"HPC_ENGINE_SEED={seed}: creating a {unlucky} fails")
    engine.cloud.fail_once(unlucky)


def run_elastic_instances(engine: Engine, state: StackState, cluster: str) -> None:
    """One in every subnet and placement group, with every security group."""
    groups = tuple(each.id for each in state.of("aws:ec2/securityGroup:SecurityGroup"))
    placements = [each.id for each in state.of("aws:ec2/placementGroup:PlacementGroup")] or [""]
    for subnet in state.of("aws:ec2/subnet:Subnet"):
        for placement in placements:
            run_instance(
                engine.cloud,
                subnet.id,
                security_groups=groups,
                placementGroup=placement,
                tags={"ClusterName": cluster, "hpc:role": "compute"},
            )
