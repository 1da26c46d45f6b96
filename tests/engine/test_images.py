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

    stages: Mapping[str, str]
    """Types of the resources that make a new version, and what is done to each, in order. The last one is the
    build."""
    template: str
    image_id: Callable[[Mapping[str, Any]], Any]
    """Takes the inputs of a template."""
    base: str
    """Another base for a new version."""
    keeps_versions: bool = False
    """Whether the way back leads to the image that is still there, rather than to one that is made again."""


PIPELINES = {
    "aws": Pipeline(
        stages={"aws:imagebuilder/imageRecipe:ImageRecipe": "Create", "aws:imagebuilder/image:Image": "Create"},
        template="aws:ec2/launchTemplate:LaunchTemplate",
        image_id=lambda inputs: inputs["imageId"],
        base="ami-0fedcba9876543210",
    ),
    "azure": Pipeline(
        stages={
            "azure-native:virtualmachineimages:VirtualMachineImageTemplate": "Create",
            "azure-native:resources:AzureCliScript": "Update",
        },
        template="azure-native:compute:VirtualMachineScaleSet",
        image_id=lambda inputs: inputs["virtualMachineProfile"]["storageProfile"]["imageReference"]["id"],
        base="Canonical:ubuntu-24_04-lts:server:24.04.202601010",
        keeps_versions=True,
    ),
    "gcp": Pipeline(
        stages={"gcp:compute/instance:Instance": "Create", "gcp:compute/image:Image": "Create"},
        template="gcp:compute/regionInstanceTemplate:RegionInstanceTemplate",
        image_id=lambda inputs: inputs["disks"][0]["sourceImage"],
        base="projects/ubuntu-os-cloud/global/images/ubuntu-2404-noble-amd64-v20260101",
        keeps_versions=True,
    ),
}
QUEUE = "cfd-mpi-"
LEFT_OUT = ("buckets", "login_nodes")
"""What makes no difference to images."""


@dataclass
class Stack:
    engine: Engine
    cloud: str

    def up(self, base: str | None = None, **settings: int) -> None:
        described = {key: value for key, value in DESCRIPTIONS[self.cloud].items() if key not in LEFT_OUT}
        recipe = settings if base is None else {"base": base, **settings}
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

    for stage, method in pipeline.stages.items():
        stack.engine.cloud.fail_once(stage, method=method, message=f"{stage} failed")
        with pytest.raises(EngineError, match="failed"):
            stack.up(base=pipeline.base)
        assert stack.image_of_queue == first

    since = len(stack.engine.cloud.journal())
    stack.up(base=pipeline.base)
    second = stack.image_of_queue
    assert second != first
    steps = stack.last_steps(since)
    built = list(pipeline.stages)[-1]
    made = min(at for at, (method, type_) in enumerate(steps) if type_ == built and method != "Delete")
    used = min(at for at, (method, type_) in enumerate(steps) if type_ == pipeline.template and method != "Delete")
    ends = [at for at, (method, type_) in enumerate(steps) if type_ == built and method == "Delete"]
    assert made < used < min(ends, default=len(steps))

    stack.up()
    assert stack.image_of_queue != second
    assert (stack.image_of_queue == first) == pipeline.keeps_versions
    stack.engine.preview("dev", expect_no_changes=True)
    stack.engine.destroy("dev")
    left = [thing.urn.rpartition("::")[2] for thing in stack.engine.cloud.things() if thing.urn]
    assert [name for name in left if "image" in name] == []


def test_google_s_versions_that_are_no_longer_kept_go_after_the_roll_out(
    engine_for: Callable[[Path], Engine],
) -> None:
    stack, pipeline = Stack(engine_for(Path(__file__).parent / "one_cluster"), "gcp"), PIPELINES["gcp"]
    image = "gcp:compute/image:Image"
    stack.up(keep=1)
    since = len(stack.engine.cloud.journal())
    stack.up(base=pipeline.base, keep=1)
    steps = stack.last_steps(since)
    assert max(at for at, step in enumerate(steps) if step == ("Create", pipeline.template)) < steps.index(
        ("Delete", image)
    )
    (left,) = stack.engine.cloud.things(image)
    assert left.id in stack.image_of_queue
