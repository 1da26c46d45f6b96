import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st
from iam_allows import policy
from moto import mock_aws

from clouds.aws.sample import CONFIG
from hpc_components.aws.identity import permissions
from hpc_components.aws.identity.policies import policy_document
from hpc_components.aws.node_reaper import handler as reaper
from hpc_components.aws.node_reaper.handler import NodesRemainError, plan, reap

STATES = ["pending", "running", "shutting-down", "stopping", "stopped", "terminated"]
interfaces = st.sets(st.integers(0, 0xFFF).map(lambda number: f"eni-{number:03x}"), max_size=5)
fleets = st.dictionaries(st.uuids().map(lambda id: f"i-{id.hex[:17]}"), st.sampled_from(STATES), max_size=60)


@given(fleets, interfaces, st.integers(1, 7))
def test_a_round_terminates_what_runs_once_and_waits_for_the_rest(instances, interfaces, batch):
    todo = plan(instances, interfaces, batch)
    called = [name for names in todo.terminate for name in names]
    assert len(called) == len(set(called))
    assert all(1 <= len(names) <= batch for names in todo.terminate)
    assert set(called) == {id for id, state in instances.items() if state not in ("shutting-down", "terminated")}
    assert set(todo.remaining) == {id for id, state in instances.items() if state != "terminated"} | interfaces


@given(fleets)
def test_it_is_over_only_when_nothing_remains(instances):
    assert (plan(instances, ()).remaining == ()) == all(state == "terminated" for state in instances.values())


class Clock:
    """Time that passes only in calls of `sleep`."""

    def __init__(self) -> None:
        self.now = 0.0
        self.naps = 0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.naps += 1


def launch(ec2: Any, count: int, cluster: str, role: str = "compute", config: str = "cfd-config") -> list[str]:
    own = {"ClusterName": cluster, "hpc:config": config, "hpc:role": role}
    tags = [{"Key": key, "Value": value} for key, value in own.items()]
    answer = ec2.run_instances(
        ImageId="ami-03cf127a",
        MinCount=count,
        MaxCount=count,
        InstanceType="c5.large",
        TagSpecifications=[{"ResourceType": "instance", "Tags": tags}],
    )
    return [each["InstanceId"] for each in answer["Instances"]]


def running(ec2: Any) -> set[str]:
    pages = ec2.get_paginator("describe_instances").paginate(
        Filters=[{"Name": "instance-state-name", "Values": ["pending", "running", "stopped"]}]
    )
    return {each["InstanceId"] for page in pages for group in page["Reservations"] for each in group["Instances"]}


@pytest.fixture
def ec2(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for key in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(key, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-2")
    monkeypatch.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")  # thousands, in each region
    with mock_aws():
        yield boto3.client("ec2", region_name="us-east-2")


def test_all_compute_nodes_of_the_cluster_go_and_nothing_else(ec2):
    mine = launch(ec2, 30, "cfd")
    ec2.stop_instances(InstanceIds=mine[:3])
    others = {
        *launch(ec2, 5, "other"), *launch(ec2, 1, "cfd", role="head"), *launch(ec2, 2, "cfd", role="login"),
        *launch(ec2, 1, "cfd-2"),
    }  # fmt: skip
    clock = Clock()
    assert reap(ec2, "cfd", "cfd-config", 600, clock, clock.sleep) == 30
    assert running(ec2) == others


def test_the_nodes_of_another_stack_with_a_cluster_of_this_name_stay(ec2):
    mine, theirs = launch(ec2, 3, "cfd"), launch(ec2, 2, "cfd", config="twin-config")
    clock = Clock()
    assert reap(ec2, "cfd", "cfd-config", 600, clock, clock.sleep) == len(mine)
    assert running(ec2) == set(theirs)


def test_a_second_run_finds_nothing_to_do(ec2):
    launch(ec2, 3, "cfd")
    clock = Clock()
    reap(ec2, "cfd", "cfd-config", 600, clock, clock.sleep)
    assert reap(ec2, "cfd", "cfd-config", 600, clock, clock.sleep) == 0


def error(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": code}}, "TerminateInstances")


class FakeEc2:
    """An EC2 whose instances take several rounds to terminate, and whose first calls may fail."""

    def __init__(
        self, count: int, *, rounds: int = 2, interfaces: int = 0, failures: list[str] | None = None
    ) -> None:
        self.instances = {f"i-{number:05}": "running" for number in range(count)}
        self.interfaces = [f"eni-{number}" for number in range(interfaces)]
        self.rounds = rounds
        self.failures = failures or []
        self.protected: set[str] = set()
        self.calls: list[int] = []

    def get_paginator(self, name: str) -> "FakeEc2":
        self.looking_at = name
        return self

    def paginate(self, **_: Any) -> Iterator[dict[str, Any]]:
        if self.looking_at == "describe_network_interfaces":
            gone = all(state == "terminated" for state in self.instances.values())
            yield {"NetworkInterfaces": [{"NetworkInterfaceId": id} for id in self.interfaces]}
            self.interfaces = self.interfaces[1:] if gone else self.interfaces
            return
        self.rounds -= 1
        for id, state in self.instances.items():
            if state == "shutting-down" and self.rounds <= 0:
                self.instances[id] = "terminated"
        yield {
            "Reservations": [
                {"Instances": [{"InstanceId": id, "State": {"Name": state}}]} for id, state in self.instances.items()
            ]
        }

    def terminate_instances(self, InstanceIds: list[str]) -> None:  # noqa: N803 - the API's own name
        if self.failures:
            raise error(self.failures.pop(0))
        if self.protected & set(InstanceIds):
            raise error("OperationNotPermitted")
        self.calls.append(len(InstanceIds))
        for id in InstanceIds:
            self.instances[id] = "shutting-down"


def test_2500_nodes_go_in_three_calls_and_are_waited_for():
    fake, clock = FakeEc2(2500, rounds=4), Clock()
    assert reap(fake, "cfd", "cfd-config", 600, clock, clock.sleep) == 2500
    assert fake.calls == [1000, 1000, 500]
    assert clock.naps >= 3


def test_it_waits_for_the_network_interfaces_too():
    fake, clock = FakeEc2(1, interfaces=3), Clock()
    reap(fake, "cfd", "cfd-config", 600, clock, clock.sleep)
    assert fake.interfaces == []


@pytest.mark.parametrize("code", ["RequestLimitExceeded", "InternalError", "Unavailable"])
def test_a_busy_ec2_costs_rounds_and_nothing_else(code):
    fake, clock = FakeEc2(1500, failures=[code] * 3), Clock()
    assert reap(fake, "cfd", "cfd-config", 600, clock, clock.sleep) == 1500


def test_a_missing_permission_is_told_at_once():
    fake, clock = FakeEc2(1, failures=["UnauthorizedOperation"]), Clock()
    with pytest.raises(ClientError, match="UnauthorizedOperation"):
        reap(fake, "cfd", "cfd-config", 600, clock, clock.sleep)
    assert clock.naps == 0


def test_one_protected_instance_does_not_keep_the_others_running():
    fake, clock = FakeEc2(100), Clock()
    fake.protected = {"i-00042"}
    with pytest.raises(NodesRemainError, match=r"cluster cfd: still there after 60 s: i-00042; "):
        reap(fake, "cfd", "cfd-config", 60, clock, clock.sleep)
    assert [id for id, state in fake.instances.items() if state == "running"] == ["i-00042"]


def test_what_remains_when_time_is_up_is_an_error_that_names_it():
    fake, clock = FakeEc2(25, rounds=10_000), Clock()
    with pytest.raises(NodesRemainError, match=r"still there after 120 s: i-00000, .*i-00019 and 5 more; "):
        reap(fake, "cfd", "cfd-config", 120, clock, clock.sleep)
    assert clock.now <= 120


def test_an_ec2_that_never_answers_is_an_error():
    fake, clock = FakeEc2(1, failures=["RequestLimitExceeded"] * 100), Clock()
    with pytest.raises(NodesRemainError, match="still there after 60 s: i-00000"):
        reap(fake, "cfd", "cfd-config", 60, clock, clock.sleep)


class Context:
    def get_remaining_time_in_millis(self) -> int:
        return 600_000


@pytest.mark.parametrize("event", [{}, {"tf": {}}, {"tf": {"action": "create"}}, {"tf": {"action": "update"}}])
def test_nothing_is_done_unless_it_is_a_delete(ec2, event):
    mine = launch(ec2, 2, "cfd")
    assert reaper.handler({"cluster": "cfd", "config": "cfd-config", **event}, Context())["gone"] == 0
    assert running(ec2) == set(mine)


def test_a_delete_ends_the_nodes(ec2, monkeypatch):
    monkeypatch.setattr(reaper, "ROUND_SECONDS", 0)
    launch(ec2, 2, "cfd")
    ours = {"cluster": "cfd", "config": "cfd-config"}
    event = {**ours, "tf": {"action": "delete", "prev_input": json.dumps(ours)}}
    assert reaper.handler(event, Context()) == {"action": "delete", "gone": 2}
    assert running(ec2) == set()


def enforce(ec2: Any, statements: list[dict[str, Any]]) -> None:
    """Let EC2 refuse actions that these statements do not allow. Actions that only list have no resources."""
    allows = policy(statements)
    ungated = boto3.client("ec2", region_name="us-east-2")

    def check(params: dict[str, Any], model: Any, **_: Any) -> None:
        ids = params.get("InstanceIds", ())
        tags = [each["Tags"] for each in _told(ungated, ids)] if ids else [[]]
        name = "arn:aws:ec2:us-east-2:123456789012:instance/x" if ids else "*"
        for pairs in tags:
            context = {f"aws:ResourceTag/{tag['Key']}": tag["Value"] for tag in pairs}
            if not allows(f"ec2:{model.name}", [name], context):
                refused = {"Error": {"Code": "UnauthorizedOperation", "Message": f"ec2:{model.name}"}}
                raise ClientError(refused, model.name)

    ec2.meta.events.register("before-parameter-build.ec2", check)


def _told(ec2: Any, ids: list[str]) -> list[dict[str, Any]]:
    found = ec2.describe_instances(InstanceIds=ids)["Reservations"]
    return [each for reservation in found for each in reservation["Instances"]]


def test_its_role_has_only_the_rights_of_its_calls(ec2):
    made = permissions.reaper_statements("cfd", CONFIG, "reaper-log")
    statements = json.loads(str(policy_document(made)))["Statement"]
    clock = Clock()

    def run(rights: list[dict[str, Any]]) -> int:
        launch(ec2, 2, "cfd")
        gated = boto3.client("ec2", region_name="us-east-2")
        enforce(gated, rights)
        return reap(gated, "cfd", "cfd-config", 600, clock, clock.sleep)

    assert run(statements) == 2
    for each in statements:
        actions = [each["Action"]] if isinstance(each["Action"], str) else each["Action"]
        for action in actions:
            if action.startswith("ec2:"):
                rest = [other for other in statements if other is not each]
                less = {**each, "Action": [other for other in actions if other != action]}
                with pytest.raises(ClientError, match=action):
                    run([*rest, less])
