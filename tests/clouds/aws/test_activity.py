"""Changes in CloudTrail's event history, read from events as the CloudTrail user guide shows them ("CloudTrail log
file examples", "CloudTrail userIdentity element").
"""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from hpc_components.aws.activity import log
from hpc_components.operate.cloud_log import Change, OwnNames

NOW = datetime(2026, 11, 29, tzinfo=UTC)
ALICE = {
    "type": "IAMUser", "principalId": "EX_PRINCIPAL_ID", "arn": "arn:aws:iam::123456789012:user/Alice",
    "accountId": "123456789012", "accessKeyId": "EXAMPLE_KEY_ID", "userName": "Alice",
}  # fmt: skip
STOP = {
    "eventVersion": "1.0", "userIdentity": ALICE, "eventTime": "2014-03-06T21:01:59Z",
    "eventSource": "ec2.amazonaws.com", "eventName": "StopInstances", "awsRegion": "us-east-2",
    "sourceIPAddress": "205.251.233.176", "userAgent": "ec2-api-tools 1.6.12.2",
    "requestParameters": {"instancesSet": {"items": [{"instanceId": "i-ebeaf9e2"}]}, "force": False},
    "responseElements": {"instancesSet": {"items": [{"instanceId": "i-ebeaf9e2"}]}},
    "eventID": "7116c6a1-EXAMPLE", "readOnly": False,
}  # fmt: skip


def role(name: str, session: str, **context: str) -> dict[str, Any]:
    """The identity of an assumed role."""
    issuer = {"type": "Role", "arn": f"arn:aws:iam::123456789012:role/{name}", "userName": name}
    return {
        "type": "AssumedRole", "principalId": f"AROAIDPPEZS35WEXAMPLE:{session}",
        "arn": f"arn:aws:sts::123456789012:assumed-role/{name}/{session}",
        "sessionContext": {"sessionIssuer": issuer, **context},
    }  # fmt: skip


HEAD = role("cfd-head-role-0a1b2c3", "i-0aaa", ec2RoleDelivery="2.0")


def read(*events: dict[str, Any], ids: tuple[str, ...] = ("i-ebeaf9e2",)) -> list[Change]:
    """The changes in these events, which are in the order of time."""
    history = log(
        {"cluster": "cfd", "region": "us-east-2"}, {"instance_id": "i-0aaa"}, OwnNames("cfd", ids), NOW, NOW
    )
    entries = [{"CloudTrailEvent": json.dumps(STOP | each), "Resources": each.get("found", [])} for each in events]
    return [change for entry in entries if (change := history.read(entry))]


def test_a_change_names_operation_machine_user_and_address_without_the_request() -> None:
    assert read({}) == [
        Change(
            id="7116c6a1-EXAMPLE", at=datetime(2014, 3, 6, 21, 1, 59, tzinfo=UTC), who="Alice",
            what="ec2 StopInstances i-ebeaf9e2", source="205.251.233.176", failed="",
        )
    ]  # fmt: skip


def test_a_refused_change_has_its_code() -> None:
    (change,) = read(
        {"errorCode": "Client.UnauthorizedOperation", "errorMessage": "encoded", "responseElements": None}
    )
    assert change.failed == "Client.UnauthorizedOperation"
    assert "encoded" not in repr(change)


@pytest.mark.parametrize(
    ("identity", "who"),
    [
        ({"type": "Root", "arn": "arn:aws:iam::123456789012:root", "principalId": "123456789012"}, "root"),
        (role("AWSReservedSSO_Admin_1", "alice@example.org"), "AWSReservedSSO_Admin_1/alice@example.org"),
        ({"type": "AWSService", "invokedBy": "ec2.amazonaws.com"}, "ec2.amazonaws.com"),
        ({"type": "AWSAccount", "principalId": "AIDAEXAMPLE"}, "AIDAEXAMPLE"),
    ],
)
def test_the_caller_is_named(identity: dict[str, Any], who: str) -> None:
    assert [each.who for each in read({"userIdentity": identity})] == [who]


@pytest.mark.parametrize(
    "identity",
    [role("mine", "i-0aaa", ec2RoleDelivery="2.0"), role("cfd-head-role-0a1b2c3", "i-0bbb", ec2RoleDelivery="2.0")],
    ids=["own profile of the user", "earlier head node"],
)
def test_what_the_head_node_does_by_itself_is_left_out(identity: dict[str, Any]) -> None:
    assert read({"userIdentity": identity}) == []


@pytest.mark.parametrize(
    "identity",
    [
        role("admin", "i-0aaa"),
        role("cfd-head-role-0a1b2c3", "i-0aaa"),
        role("cfd-login-role-0a1b2c3", "i-0bbb", ec2RoleDelivery="2.0"),
    ],
)
def test_a_session_that_is_merely_named_like_the_head_node_is_shown(identity: dict[str, Any]) -> None:
    assert len(read({"userIdentity": identity})) == 1


def test_the_end_of_a_machine_that_the_head_node_launched_is_shown() -> None:
    made = {"responseElements": {"items": [{"instanceId": "i-0123456789abcdef0", "subnetId": "subnet-0123456789"}]}}
    request = {"launchTemplate": {"launchTemplateId": "lt-0123456789abcdef0"}}
    launch = {**made, "userIdentity": HEAD, "eventName": "RunInstances", "requestParameters": request}
    ends = [
        {"eventName": "TerminateInstances", "requestParameters": {"instanceId": id}}
        for id in ("i-0123456789abcdef0", "i-0fedcba9876543210")
    ]
    subnet = {"eventName": "ModifySubnetAttribute", "requestParameters": {"subnetId": "subnet-0123456789"}}
    assert [each.what for each in read(launch, *ends, subnet)] == ["ec2 TerminateInstances i-0123456789abcdef0"]


def test_what_a_machine_reports_of_itself_is_left_out() -> None:
    report = {"eventName": "UpdateInstanceInformation", "eventSource": "ssm.amazonaws.com"}
    own = role("cfd-login-role-0a1b2c3", "i-ebeaf9e2", ec2RoleDelivery="2.0")
    assert read({**report, "userIdentity": own}) == []
    assert len(read({**report, "userIdentity": role("admin", "i-ebeaf9e2")})) == 1
    both = {"instanceIds": ["i-ebeaf9e2", "cfd-head"]}
    assert len(read({**report, "userIdentity": own, "requestParameters": both})) == 1


@pytest.mark.parametrize(
    ("event", "what"),
    [
        ({"requestParameters": {"roleName": "cfd-head-role-1"}}, "cfd-head-role-1"),
        ({"requestParameters": {"tagSet": {"items": [{"key": "ClusterName", "value": "cfd"}]}}}, "cfd"),
        ({"requestParameters": None, "found": [{"ResourceName": "cfd-data"}, {"ResourceType": "x"}]}, "cfd-data"),
        (
            {"requestParameters": [f"cfd-{number}" for number in range(7)]},
            "cfd-0, cfd-1, cfd-2, cfd-3, cfd-4 and 2 more",
        ),
    ],
)
def test_an_event_concerns_the_cluster_by_a_name_a_tag_or_a_resource(event: dict[str, Any], what: str) -> None:
    assert [each.what for each in read(event)] == [f"ec2 StopInstances {what}"]


@pytest.mark.parametrize(
    "event",
    [
        {"requestParameters": {"instanceId": "i-0other"}},
        {"requestParameters": {"roleName": "cfdx"}},
        {"requestParameters": {"policyDocument": "x" * 600 + "/cfd-data/"}},
        {"requestParameters": None},
        {"readOnly": True},
    ],
)
def test_other_events_and_reads_are_left_out(event: dict[str, Any]) -> None:
    assert read(event) == []
