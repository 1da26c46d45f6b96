"""Refusals of recorded volumes, in the notation of their inputs."""

from typing import Any

import pytest

from hpc_components.aws.disks.plan import READER
from hpc_components.aws.plan.types import VOLUME
from hpc_components.preview.resources import UNKNOWN
from hpc_components.spec.input_rules import FaultKind


def volume(inputs: dict[str, Any]):
    """Return the problems that the offer finds in recorded inputs."""
    (check,) = READER.inputs().relations[VOLUME]
    return list(check(inputs))


@pytest.mark.parametrize(
    ("inputs", "path", "reason", "remedy"),
    [
        ({"type": "io1", "size": 10, "iops": 1000}, "iops", "at most 500 for 10 GiB", "use 500; or write size: 20"),
        ({"type": "sc1", "size": 50}, "size", "between 125 and 16384 GiB", "use 125"),
        ({"size": 50, "iops": 3000}, "iops", "the IOPS of gp2 volumes can't be set", "leave it out"),
    ],
)
def test_an_order_that_ebs_refuses_is_found(inputs, path, reason, remedy):
    [fault] = volume(inputs)
    assert (fault.path, fault.value, fault.kind) == (path, inputs[path], FaultKind.CONFLICTING)
    assert reason in fault.reason
    assert fault.remedy == remedy


def test_what_is_required_is_missing_only_where_nobody_gave_it():
    [fault] = volume({"type": "io2", "size": 100})
    assert (fault.path, fault.kind) == ("iops", FaultKind.MISSING)
    assert volume({"type": "io2", "size": 100, "iops": UNKNOWN}) == []


@pytest.mark.parametrize(
    "inputs",
    [
        {"type": UNKNOWN, "iops": 3000},
        {"type": "gp3", "size": 100, "iops": 90000},  # above a limit that no primary source confirms
        {"snapshotId": "snap-1"},
    ],
)
def test_what_is_not_known_is_not_refused(inputs):
    assert volume(inputs) == []
