from datetime import UTC, datetime

import pytest

from hpc_components.elastic.drivers.aws.driver import AwsDriver

from .conftest import NOW, launch
from .fake_ec2 import Ec2Error, FakeEc2


def when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def impaired(kind: str, since: float) -> dict:
    details = [{"name": "reachability", "status": "failed", "impairedSince": when(since)}]
    return {f"{kind}Status": {"status": "impaired", "details": details}}


def event(code: str, description: str = "The instance is running on degraded hardware") -> dict:
    return {"eventsSet": [{"code": code, "description": description, "notBefore": when(NOW + 86_400)}]}


def failing(aws: AwsDriver, clock, looks: int = 3) -> dict[str, str]:
    """What is told after so many looks."""
    for _ in range(looks):
        seen = aws.list()
        clock.now += 60
    return {each.node: each.failing for each in seen if each.failing}


def test_machines_that_ec2_calls_impaired_for_long_or_will_take_away_are_failing(aws: AwsDriver, ec2: FakeEc2, clock):
    a, b, c, d, e, f = (each.id for each in aws.launch(launch(1, 2, 3, 4, 5, 6)))
    ec2.statuses = {
        a: impaired("system", NOW - 600),
        b: impaired("instance", NOW - 600),
        c: impaired("instance", NOW - 30),
        d: event("instance-retirement"),
        e: event("system-reboot", "[Completed] The instance was rebooted"),
    }
    told = failing(aws, clock)
    assert told == {
        "cpu-1": "EC2 has reported the machine as impaired since 2026-09-21 14:03 UTC (SystemStatus, reachability)",
        "cpu-2": "EC2 has reported the machine as impaired since 2026-09-21 14:03 UTC (InstanceStatus, reachability)",
        "cpu-4": "EC2 has scheduled instance-retirement for 2026-09-22 14:13 UTC",
    }
    assert f not in ec2.statuses
    ec2.statuses.clear()
    assert failing(aws, clock) == {}


def test_it_costs_one_call_a_minute_and_none_without_running_machines(aws: AwsDriver, ec2: FakeEc2, clock):
    ec2.boot_seconds = 30
    aws.launch(launch(1))
    for _ in range(37):
        aws.list()
        clock.now += 5
    assert ec2.calls["DescribeInstanceStatus"] == 3  # 155 s of running


@pytest.mark.parametrize("code", ["UnauthorizedOperation", "RequestLimitExceeded"])
def test_a_list_without_health_is_better_than_none(code, aws: AwsDriver, ec2: FakeEc2, clock, caplog):
    (made,) = aws.launch(launch(1))
    ec2.statuses = {made.id: event("instance-stop")}
    assert failing(aws, clock).keys() == {"cpu-1"}
    ec2.fail["DescribeInstanceStatus"] = Ec2Error(code, "No.", 403)
    assert failing(aws, clock).keys() == {"cpu-1"}  # as it was known before
    assert "can't get the list of impaired machines from EC2:" in caplog.text
