"""Images of recipes in the real engine: built, rolled out, rolled back; a build that fails at any stage."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from clouds.test_cluster import DESCRIPTIONS

from hpc_components.testing.engine import Engine, EngineError

pytestmark = pytest.mark.engine


@dataclass(frozen=True)
class Pipeline:
    """The types of a cloud's resources that make an image, in order, and what nodes are launched from."""

    stages: tuple[str, ...]
    image: str
    template: str
    image_id: Callable[[Mapping[str, Any]], Any]
    """Takes the inputs of a template."""
    base: str
    """Another base for a new version."""


PIPELINES = {
    "aws": Pipeline(
        stages=("aws:imagebuilder/component:Component", "aws:imagebuilder/imageRecipe:ImageRecipe"),
        image="aws:imagebuilder/image:Image",
        template="aws:ec2/launchTemplate:LaunchTemplate",
        image_id=lambda inputs: inputs["imageId"],
        base="ami-0fedcba9876543210",
    ),
    "azure": Pipeline(
        stages=("azure-native:virtualmachineimages:VirtualMachineImageTemplate",),
        image="azure-native:resources:AzureCliScript",
        template="azure-native:compute:VirtualMachineScaleSet",
        image_id=lambda inputs: inputs["virtualMachineProfile"]["storageProfile"]["imageReference"]["id"],
        base="Canonical:ubuntu-24_04-lts:server:24.04.202601010",
    ),
    "gcp": Pipeline(
        stages=("gcp:compute/disk:Disk", "gcp:compute/instance:Instance"),
        image="gcp:compute/image:Image",
        template="gcp:compute/regionInstanceTemplate:RegionInstanceTemplate",
        image_id=lambda inputs: inputs["disks"][0]["sourceImage"],
        base="projects/ubuntu-os-cloud/global/images/ubuntu-2404-noble-amd64-v20260101",
    ),
}
QUEUE = "cfd-mpi-"
LEFT_OUT = ("buckets", "login_nodes")
"""What makes no difference to images."""


@dataclass
class Stack:
    engine: Engine
    cloud: str

    def up(self, base: str | None = None) -> None:
        described = {key: value for key, value in DESCRIPTIONS[self.cloud].items() if key not in LEFT_OUT}
        recipe = {} if base is None else {"base": base}
        queues = [{**described["queues"][0], "image": "cpu"}]
        description = {**described, "images": {"cpu": recipe}, "queues": queues}
        self.engine.config_set("dev", "cloud", self.cloud)
        self.engine.config_set("dev", "description", json.dumps(description))
        self.engine.up("dev")

    @property
    def image_of_queue(self) -> str:
        pipeline = PIPELINES[self.cloud]
        (inputs,) = (
            each.inputs
            for each in self.engine.export("dev").of(pipeline.template)
            if each.urn.rpartition("::")[2].startswith(QUEUE)
        )
        return str(pipeline.image_id(inputs))

    def last_steps(self, since: int) -> list[tuple[str, str]]:
        return [(entry.method, entry.type) for entry in self.engine.cloud.journal()[since:] if entry.error is None]


@pytest.mark.parametrize("cloud", PIPELINES)
def test_queue_keeps_its_image_until_a_new_one_is_made_and_tested(
    cloud: str, engine_for: Callable[[Path], Engine]
) -> None:
    stack, pipeline = Stack(engine_for(Path(__file__).parent / "one_cluster"), cloud), PIPELINES[cloud]
    stack.up()
    first = stack.image_of_queue
    stack.engine.preview("dev", expect_no_changes=True)

    for stage in (*pipeline.stages, pipeline.image):
        stack.engine.cloud.fail_once(stage, message=f"{stage} failed")
        with pytest.raises(EngineError, match="failed"):
            stack.up(base=pipeline.base)
        assert stack.image_of_queue == first

    since = len(stack.engine.cloud.journal())
    stack.up(base=pipeline.base)
    second = stack.image_of_queue
    assert second != first
    steps = stack.last_steps(since)
    made, used = steps.index(("Create", pipeline.image)), steps.index(("Update", pipeline.template))
    assert made < used < steps.index(("Delete", pipeline.image))

    stack.up()
    assert stack.image_of_queue not in (first, second)  # made again, by the same recipe
    stack.engine.preview("dev", expect_no_changes=True)
    stack.engine.destroy("dev")
    assert [thing for thing in stack.engine.cloud.things() if thing.urn] == []
