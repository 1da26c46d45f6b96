"""What a queue is where its description is silent."""

import pytest

from hpc_components.spec.queue_defaults import root_of
from hpc_components.spec.queues import Queue


@pytest.mark.parametrize(
    ("machine", "fallback", "gib"),
    [("hpc6a.48xlarge", (), 64), ("p5.48xlarge", (), 128), ("c7i.large", ("g6.xlarge",), 128), ("none.such", (), 64)],
)
def test_an_image_with_drivers_has_room_on_the_root_disk(machine: str, fallback: tuple[str, ...], gib: int) -> None:
    queue = Queue.model_validate({"name": "q", "machine": machine, "fallback": fallback, "max": 1})
    assert root_of(queue).size.in_gib == gib
    own = queue.model_copy(update={"root": root_of(queue).model_copy(update={"iops": 4000})})
    assert root_of(own).iops == 4000
