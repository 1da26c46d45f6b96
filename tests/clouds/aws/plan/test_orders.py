"""What AWS does not sell is found in recorded inputs, in the words of the inputs."""

import pytest

from hpc_components.aws.plan.inputs.orders import volume
from hpc_components.preview.resources import UNKNOWN
from hpc_components.spec.input_rules import FaultKind


@pytest.mark.parametrize(
    ("check", "inputs", "path", "remedy"),
    [
        (volume, {"type": "io1", "size": 10, "iops": 1000}, "iops", "100 to 500"),
        (volume, {"type": "sc1", "size": 50}, "size", "125 to 16384"),
        (volume, {"size": 50, "iops": 3000}, "iops", "leave it out"),
    ],
)
def test_an_order_that_aws_refuses_is_found(check, inputs, path, remedy):
    [fault] = check(inputs)
    assert (fault.path, fault.value, fault.kind) == (path, inputs[path], FaultKind.CONFLICTING)
    assert remedy in fault.remedy


def test_what_is_required_is_missing_only_where_nobody_gave_it():
    [fault] = volume({"type": "io2", "size": 100})
    assert (fault.path, fault.kind) == ("iops", FaultKind.MISSING)
    assert list(volume({"type": "io2", "size": 100, "iops": UNKNOWN})) == []


@pytest.mark.parametrize(
    ("check", "inputs"),
    [
        (volume, {"type": UNKNOWN, "iops": 3000}),
        (volume, {"type": "gp3", "size": 100, "iops": 90000}),  # above a limit that no primary source confirms
        (volume, {"snapshotId": "snap-1"}),
    ],
)
def test_what_is_not_known_is_not_refused(check, inputs):
    assert list(check(inputs)) == []
