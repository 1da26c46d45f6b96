"""Our reader of instances against the SDK's."""

import re
from collections.abc import Iterator
from typing import Any

import botocore.session
import pytest
from botocore.parsers import ResponseParserError, ResponseParserFactory

from hpc_components.elastic.drivers.aws.listing import Readers

from .conftest import add_templates, own_tags
from .ec2_server import NAMESPACE, to_xml
from .fake_ec2 import FakeEc2

USED = ("InstanceId", "InstanceType", "InstanceLifecycle", "AmiLaunchIndex", "LaunchTime", "State")
MODEL = botocore.session.get_session().get_service_model("ec2")


@pytest.fixture
def account() -> FakeEc2:
    ec2 = FakeEc2(lambda: 1_790_000_000.25)
    add_templates(ec2)
    ec2.reservations["cr-1"] = {"state": "active", "availableInstanceCount": 3, "totalInstanceCount": 3}
    odd = {
        "ClusterName": "cfd",
        "Owner": "R&D <hpc>",
        "hpc:queue": "gpu",
        "Note": "<instanceId>i-0</instanceId>",
        "None": "",
    }
    ec2.add_template(
        "gpu", "p5.48xlarge", "z", own_tags("gpu", "p5.48xlarge", "z"), instance_tags=odd, reservation="cr-1"
    )
    ec2.add_template(
        "spot", "c7i.large", "z", {}, instance_tags={"hpc:nodes": "1.3-4", "hpc:none": ""}, market="spot"
    )
    for name in ("gpu", "spot", "cfd-c6i.large-use2-az2"):
        launch = {"LaunchTemplate": {"LaunchTemplateName": name}, "MinCount": "3", "MaxCount": "3"}
        ec2.answer("RunInstances", launch)
    ids = list(ec2.machines)
    ec2.machines[ids[0]].stopped = True
    ec2.machines[ids[1]].reason = "Server.SpotInstanceTermination"
    ec2.answer("TerminateInstances", {"InstanceId": ids[1:3]})
    return ec2


def xml(ec2: FakeEc2, **request: str) -> str:
    answer = to_xml(ec2.answer("DescribeInstances", request))
    return f'<DescribeInstancesResponse xmlns="{NAMESPACE}">{answer}</DescribeInstancesResponse>'


def read(factory: ResponseParserFactory, text: str, operation: str = "DescribeInstances", status: int = 200) -> Any:
    response = {"body": text.encode(), "headers": {}, "status_code": status, "context": {}}
    return factory.create_parser("ec2").parse(response, MODEL.operation_model(operation).output_shape)


def used(instances: list[dict[str, Any]]) -> list[Any]:
    """What the driver goes by."""
    return [
        (
            {name: each[name] for name in USED if name in each and name != "State"},
            each["State"]["Name"],
            {tag["Key"]: tag["Value"] for tag in each["Tags"] if tag["Key"].startswith("hpc:")},
            each.get("StateReason", {}).get("Code"),
            each.get("StateTransitionReason", ""),
            each["PrivateIpAddress"],
            each["Placement"]["AvailabilityZoneId"],
            "CapacityReservationTarget" in each.get("CapacityReservationSpecification", {}),
        )
        for each in instances
    ]


def instances(reply: Any) -> list[Any]:
    return [each for reservation in reply["Reservations"] for each in reservation["Instances"]]


def spread(text: str) -> str:
    """As EC2 writes it: a line for each element."""
    return re.sub(r"(>)(<[a-z])", r"\1\n        \2", text)


@pytest.mark.parametrize("form", [str, spread])
def test_both_read_the_same(form, account: FakeEc2):
    text = form(xml(account))
    ours, theirs = read(Readers(), text), read(ResponseParserFactory(), text)
    assert len(instances(ours)) == 9
    assert used(instances(ours)) == used(instances(theirs))
    assert len({str(each) for each in used(instances(ours))}) == 9
    assert "NextToken" not in ours
    assert "ImageId" in instances(theirs)[0]
    assert "ImageId" not in instances(ours)[0]  # it was ours that read it


def test_both_read_the_same_of_a_launch(account: FakeEc2):
    launch = {"LaunchTemplate": {"LaunchTemplateName": "spot"}, "MinCount": "2", "MaxCount": "2"}
    answer = to_xml(account.answer("RunInstances", launch))
    text = f'<RunInstancesResponse xmlns="{NAMESPACE}">{answer}</RunInstancesResponse>'
    ours, theirs = (read(factory, text, "RunInstances") for factory in (Readers(), ResponseParserFactory()))
    assert used(ours["Instances"]) == used(theirs["Instances"])
    assert len(ours["Instances"]) == 2


def test_a_list_is_read_page_by_page(account: FakeEc2):
    assert read(Readers(), xml(account, MaxResults="5"))["NextToken"] == "5"


def test_an_empty_list_has_no_instances(account: FakeEc2):
    account.machines.clear()
    assert instances(read(Readers(), xml(account))) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "<item><instanceId>(i-[0-9a-f]+)</instanceId>",
            r"<item><x></x><instanceId>\1</instanceId>",
        ),  # another order
        (
            "</amiLaunchIndex>",
            "</amiLaunchIndex><more><item><instanceId>i-0</instanceId></item></more>",
        ),  # one inside
        ("<instanceState>", "<instanceState x='1'>"),
        ("<launchTime>[^<]*", "<launchTime>Mon, 21 Sep 2026 14:13:20 GMT"),
    ],
)
def test_what_looks_another_way_is_left_to_the_sdk(before, after, account: FakeEc2):
    text = re.sub(before, after, xml(account))
    assert text != xml(account)
    assert used(instances(read(Readers(), text))) == used(instances(read(ResponseParserFactory(), text)))


@pytest.mark.parametrize("end", ["</DescribeInstancesResponse>", "</instancesSet>"])
def test_an_answer_that_ends_in_its_middle_is_no_list(end, account: FakeEc2):
    text = xml(account)
    with pytest.raises(ResponseParserError):
        read(Readers(), text[: text.rindex(end)])


def test_errors_are_read_by_the_sdk():
    text = "<Response><Errors><Error><Code>Unavailable</Code><Message>No.</Message></Error></Errors></Response>"
    assert read(Readers(), text, status=503)["Error"] == {"Code": "Unavailable", "Message": "No."}


def names_inside(shape: Any, seen: tuple[str, ...] = ()) -> Iterator[str]:
    if shape.name in seen:
        return
    if shape.type_name == "list":
        yield from names_inside(shape.member, (*seen, shape.name))
    for name, member in getattr(shape, "members", {}).items():
        yield member.serialization.get("name", name)
        yield from names_inside(member, (*seen, shape.name))


def test_nothing_inside_an_instance_is_called_like_what_is_read_of_it():
    reservations = MODEL.operation_model("DescribeInstances").output_shape.members["Reservations"]
    names = list(names_inside(reservations))
    for name in ("instanceId", "instanceType", "instanceLifecycle", "launchTime", "amiLaunchIndex", "instanceState"):
        assert names.count(name) == 1, name
