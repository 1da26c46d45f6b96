"""What AWS refuses or does not answer is left out, and never passes."""

import json
import warnings
from typing import Any

import boto3
import pytest

from hpc_components.aws.preflight import PART, part
from hpc_components.aws.preflight.account import AwsAccount
from hpc_components.aws.preflight.reader import Reader, calls, clients_of
from hpc_components.catalog._load import records
from hpc_components.preflight.account import NoAccountError
from hpc_components.preflight.asked import Asked

from .aws_account import REGION, AwsDouble, RefusedError
from .conftest import ask_aws

READING = ("Describe", "Get", "Head", "List", "Simulate")

LEFT_OUT_BY = {
    "ec2:DescribeInstanceTypeOfferings": {"machine types"},
    "service-quotas:GetServiceQuota": {f"quotas of {service}" for service in ("ebs", "ec2", "fsx", "vpc")},
    "ec2:DescribeImages": {"images", "public images"},
    "ssm:GetParameter": {"public images"},
    "ec2:DescribeKeyPairs": {"key pairs"},
    "ec2:DescribeVpcs": {"networks"},
    "ec2:DescribeSubnets": {"subnets"},
    "ec2:DescribeSecurityGroups": {"security groups"},
    "ec2:DescribeCapacityReservations": {"reservations"},
    "fsx:DescribeFileSystems": {"file systems"},
    "secretsmanager:DescribeSecret": {"secrets"},
    "kms:DescribeKey": {"encryption keys"},
    "iam:GetInstanceProfile": {"instance profiles"},
    "logs:DescribeLogGroups": {"names of new log groups"},
    "iam:SimulatePrincipalPolicy": {
        "permissions of the caller",
        "policies of the organization (service control policies)",
    },
}


@pytest.mark.parametrize("call", LEFT_OUT_BY)
def test_a_check_without_its_permission_is_left_out(aws: AwsDouble, asked: Asked, call: str) -> None:
    aws.deny(call)
    done = ask_aws(aws, asked)
    assert {each.check for each in done.left_out} == LEFT_OUT_BY[call]
    assert {each.permission for each in done.left_out} == {calls()[call].permission}
    assert not LEFT_OUT_BY[call] & set(done.answered)
    assert done.findings == ()


def test_a_throttled_call_is_repeated_until_it_is_answered(aws: AwsDouble, asked: Asked, monkeypatch: Any) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    refusals = 2
    sent: list[str] = []

    def throttle(request: Any, **_: Any) -> Any:
        sent.append(request.url)
        if len(sent) > refusals:
            return None
        from botocore.awsrequest import AWSResponse

        response = AWSResponse(request.url, 503, {}, None)
        text = b"<Response><Errors><Error><Code>RequestLimitExceeded</Code></Error></Errors></Response>"
        response._content = text
        return response

    def client(service: str, open_region: bool) -> Any:
        made = aws.client(service, open_region)
        made.meta.events.register_first("before-send.ec2.DescribeKeyPairs", throttle)
        return made

    reader = Reader(client)
    assert reader.found("ec2:DescribeKeyPairs", KeyNames=["admins"])["KeyPairs"]
    assert len(sent) == refusals + 1


def test_a_service_that_cannot_be_reached_is_not_answered(aws: AwsDouble, asked: Asked) -> None:
    from botocore.exceptions import EndpointConnectionError

    def unreachable(_: Any) -> Any:
        raise EndpointConnectionError(endpoint_url="https://fsx.us-east-2.amazonaws.com")

    aws.answer("fsx:DescribeFileSystems", unreachable)
    (left_out,) = ask_aws(aws, asked).left_out
    assert (left_out.check, left_out.permission) == ("file systems", None)
    assert "not answered" in left_out.reason


def test_nothing_else_is_asked_in_a_closed_region(aws: AwsDouble, asked: Asked) -> None:
    aws.change("ec2:DescribeRegions", lambda answer: answer["Regions"][0].update(OptInStatus="not-opted-in"))
    done = ask_aws(aws, asked)
    assert len(done.left_out) == 21
    assert "ec2:DescribeImages" not in aws.calls


def test_every_page_of_an_answer_is_read(aws: AwsDouble) -> None:
    pages = {None: ("use2-az1", "next"), "next": ("use2-az2", None)}

    def page(asked: Any) -> Any:
        zone, token = pages[asked.get("NextToken")]
        found = {"InstanceTypeOfferings": [{"InstanceType": "c7i.large", "Location": zone}]}
        return found | ({"NextToken": token} if token else {})

    aws.answer("ec2:DescribeInstanceTypeOfferings", page)
    assert set(AwsAccount(Reader(aws.client), REGION).offers("c7i.large")) == {"use2-az1", "use2-az2"}


def test_the_default_counts_for_a_quota_that_was_never_changed(aws: AwsDouble, asked: Asked) -> None:
    def unknown(_: Any) -> Any:
        raise RefusedError("NoSuchResourceException")

    aws.answer("service-quotas:GetServiceQuota", unknown)
    aws.answer("service-quotas:GetAWSDefaultServiceQuota", lambda given: {"Quota": {"Value": 5.0}})
    seen = AwsAccount(Reader(aws.client), REGION).quota({"code": "L-F7808C92", "service": "ec2"})
    assert seen is not None
    assert seen.limit == 5


def test_a_call_that_is_not_listed_is_impossible(aws: AwsDouble) -> None:
    with pytest.raises(KeyError):
        Reader(aws.client).call("ec2:RunInstances", MinCount=1, MaxCount=1)


def _access_levels() -> dict[str, str]:
    """The level of every action of IAM, in AWS's own words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its import uses what is deprecated, and leaves files open
        from parliament import iam_definition
    return {
        f"{service['prefix']}:{each['privilege']}": each["access_level"]
        for service in iam_definition
        for each in service["privileges"]
    }


def test_every_listed_call_only_reads() -> None:
    levels = _access_levels()
    for call in calls().values():
        assert call.action.startswith(READING)
        assert call.permission is None or levels[call.permission] in ("List", "Read"), call


def test_the_actions_of_every_resource_exist_in_iam() -> None:
    named = {name for record in records("actions", part.__file__) for name in record["actions"]}
    assert named <= {*_access_levels()}


def test_the_policy_has_the_permission_of_each_call_and_no_other() -> None:
    (statement,) = json.loads(PART.policy())["Statement"]
    assert set(statement["Action"]) == {call.permission for call in calls().values() if call.permission}
    assert not any("*" in action for action in statement["Action"])


@pytest.mark.parametrize("module", ["boto3", "botocore"])
def test_a_missing_library_is_named_with_its_remedy(monkeypatch: Any, module: str) -> None:
    monkeypatch.setitem(__import__("sys").modules, module, None)
    monkeypatch.setitem(__import__("sys").modules, f"{module}.config", None)
    with pytest.raises(NoAccountError, match="pip install boto3"):
        clients_of(REGION, None)


def test_missing_credentials_are_named_with_their_remedy(monkeypatch: Any) -> None:
    monkeypatch.setattr(boto3.session.Session, "get_credentials", lambda self: None)
    with pytest.raises(NoAccountError, match="aws sso login"):
        clients_of(REGION, None)


def test_expired_credentials_end_the_command(aws: AwsDouble) -> None:
    def expired(_: Any) -> Any:
        raise RefusedError("ExpiredToken", 403)

    aws.answer("sts:GetCallerIdentity", expired)
    with pytest.raises(NoAccountError, match="renew"):
        AwsAccount(Reader(aws.client), REGION)


def test_the_role_of_a_session_is_simulated(aws: AwsDouble) -> None:
    asked_for: list[str] = []

    def simulate(given: Any) -> Any:
        asked_for.append(given["PolicySourceArn"])
        return {"EvaluationResults": [], "IsTruncated": False}

    arn = "arn:aws:sts::123456789012:assumed-role/head/me"
    aws.answer("sts:GetCallerIdentity", lambda given: {"Account": "123456789012", "Arn": arn})
    aws.answer("iam:SimulatePrincipalPolicy", simulate)
    assert AwsAccount(Reader(aws.client), REGION).refused(["ec2:CreateVpc"]) == {}
    assert asked_for == ["arn:aws:iam::123456789012:role/head"]
