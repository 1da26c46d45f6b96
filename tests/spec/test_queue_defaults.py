"""What a queue is where its description is silent."""

import pytest

from hpc_components.aws.disks.model import root_of
from hpc_components.aws.fleet.model import AwsQueue
from hpc_components.spec.queue_defaults import placement


@pytest.mark.parametrize(
    ("machine", "fallback", "gib"),
    [("hpc6a.48xlarge", (), 64), ("p5.48xlarge", (), 128), ("c7i.large", ("g6.xlarge",), 128), ("none.such", (), 64)],
)
def test_an_image_with_drivers_has_room_on_the_root_disk(machine: str, fallback: tuple[str, ...], gib: int) -> None:
    queue = AwsQueue.model_validate({"name": "q", "machine": machine, "fallback": fallback, "max": 1})
    assert root_of(queue).size.in_gib == gib
    own = queue.model_copy(update={"root": root_of(queue).model_copy(update={"iops": 4000})})
    assert root_of(own).iops == 4000


CR = "cr-0123456789abcdef0"


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, "cluster"),
        ({"purchase": "spot"}, "cluster"),
        ({"fabric": False}, "none"),
        ({"machine": "c7i.large"}, "none"),
        ({"purchase": {"capacity_block": CR}}, "none"),
        ({"purchase": {"reservation": CR}}, "none"),
        ({"purchase": {"reservation": CR}, "placement": "cluster"}, "cluster"),
        ({"placement": "partition"}, "partition"),
    ],
)
def test_machines_that_are_reserved_were_placed_when_they_were(changes: dict[str, object], wanted: str) -> None:
    queue = AwsQueue.model_validate({"name": "q", "machine": "p5.48xlarge", "max": 1} | changes)
    assert placement(queue) == wanted
