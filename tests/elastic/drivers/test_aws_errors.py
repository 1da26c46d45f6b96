"""Every code that EC2 may refuse a launch with is of one class, and none is repeated by the SDK."""

import pytest

from hpc_components.elastic.drivers.aws.api import ec2_client
from hpc_components.elastic.drivers.aws.driver import AwsDriver
from hpc_components.elastic.drivers.aws.errors import CAPACITY, PERMISSION, QUOTA, THROTTLED
from hpc_components.elastic.drivers.contract import (
    BudgetError,
    CapacityError,
    FailedError,
    RefusedError,
    ThrottledError,
)

from .conftest import launch
from .fake_ec2 import Ec2Error, FakeEc2

NONE_THERE = (
    *("InsufficientAddressCapacity", "InsufficientCapacity", "InsufficientFreeAddressesInSubnet"),
    *("InsufficientHostCapacity", "InsufficientInstanceCapacity", "InsufficientReservedInstanceCapacity"),
    *("InsufficientVolumeCapacity", "InvalidCapacityReservationState.PendingActivation"),
    *("ReservationCapacityExceeded", "SpotMaxPriceTooLow", "UnfulfillableCapacity", "Unsupported"),
)
TOO_MANY = (
    *("InstanceLimitExceeded", "MaxIOPSLimitExceeded", "MaxSpotInstanceCountExceeded", "ResourceLimitExceeded"),
    *("SpotInstanceCountLimitExceeded", "VcpuLimitExceeded", "VolumeLimitExceeded"),
)
NOT_ALLOWED = ("AccessDenied", "AuthFailure", "OptInRequired", "UnauthorizedOperation")
TOO_OFTEN = (
    *("EC2ThrottledException", "RequestLimitExceeded", "RequestThrottled", "Throttling", "ThrottlingException"),
    "TooManyRequestsException",
)
WRONG = (
    "InvalidParameterValue",
    "InvalidAMIID.NotFound",
    "ResourceCountExceeded",
    "InvalidLaunchTemplateId.NotFound",
)
CASES = [
    *((code, 500 if code.startswith("Insufficient") else 400, CapacityError, "") for code in NONE_THERE),
    *((code, 400, RefusedError, "higher quota") for code in TOO_MANY),
    *((code, 403, RefusedError, "head node's role") for code in NOT_ALLOWED),
    *((code, 503, ThrottledError, "") for code in TOO_OFTEN),
    *((code, 400, RefusedError, "") for code in WRONG),
    *((code, 500, FailedError, "") for code in ("InternalError", "InternalFailure", "ServerInternal")),
    *((code, 503, FailedError, "") for code in ("ServiceUnavailable", "Unavailable")),
]


@pytest.mark.parametrize(("code", "status", "kind", "way_out"), CASES, ids=[case[0] for case in CASES])
def test_an_error_code_has_its_kind_and_way_out(code, status, kind, way_out, aws: AwsDriver, ec2: FakeEc2):
    ec2.fail["RunInstances"] = Ec2Error(code, "EC2's words.", status)
    with pytest.raises(kind, match=rf"{code}: EC2's words\..*{way_out}"):
        aws.launch(launch(1))
    # a template that is not there is looked up anew, once
    assert ec2.calls["RunInstances"] == 1 + code.startswith("InvalidLaunchTemplate")


@pytest.mark.parametrize(("code", "status"), [("BadGateway", 502), ("GatewayTimeout", 504), ("500", 500)])
def test_what_something_on_the_way_answers_is_no_failure_of_ec2_itself(code, status, aws: AwsDriver, ec2: FakeEc2):
    ec2.fail["RunInstances"] = Ec2Error(code, "", status)
    with pytest.raises(OSError, match=code) as lost:
        aws.launch(launch(1))
    assert not isinstance(lost.value, FailedError)


def test_no_code_of_the_driver_goes_untested():
    assert {*CAPACITY, *PERMISSION, *QUOTA, *THROTTLED} <= {case[0] for case in CASES}


def test_the_encoded_part_of_a_refusal_is_left_out(aws: AwsDriver, ec2: FakeEc2):
    words = "You are not authorized to perform this operation. Encoded authorization failure message: " + "x" * 1500
    ec2.fail["DescribeInstances"] = Ec2Error("UnauthorizedOperation", words, 403)
    with pytest.raises(
        RefusedError, match=r"^UnauthorizedOperation: You are not .* operation\.; check that"
    ) as refused:
        aws.list()
    assert len(str(refused.value)) < 250


DENIAL = (
    "You are not authorized to perform this operation. User: arn:aws:sts::1:assumed-role/cfd-head-role-1/i-1 is not "
    "authorized to perform: ec2:RunInstances on resource: arn:aws:ec2:us-east-2:1:instance/* with an explicit deny"
)
OURS = ": arn:aws:iam::1:policy/hpc/cfd-head-launch-denial-1a2b3c4"


@pytest.mark.parametrize(
    ("end", "kind"),
    [
        (f" in an identity-based policy{OURS}.", BudgetError),
        (" in an identity-based policy. Encoded authorization failure message: xyz", BudgetError),
        (" in an identity-based policy: arn:aws:iam::1:policy/no-p5", RefusedError),
        (" in a service control policy: arn:aws:organizations::1:policy/o-1/p-1", RefusedError),
        (" in a permissions boundary", RefusedError),
    ],
)
def test_the_denial_of_the_budget_is_told_from_those_of_others(end, kind, aws: AwsDriver, ec2: FakeEc2):
    ec2.fail["RunInstances"] = Ec2Error("UnauthorizedOperation", DENIAL + end, 403)
    with pytest.raises(RefusedError) as refused:
        aws.launch(launch(1))
    assert type(refused.value) is kind
    assert ("budget for this cluster is exceeded" in str(refused.value)) == (kind is BudgetError)


def test_an_answer_that_is_no_xml_is_none(aws: AwsDriver, ec2: FakeEc2):
    ec2.answer = lambda action, request: {"not xml": ""}
    with pytest.raises(OSError, match="no response from EC2"):
        aws.list()


def test_an_unreachable_cloud_is_an_error(aws: AwsDriver):
    nobody = AwsDriver("cfd", "cfd-config", ec2_client("us-east-2", "http://127.0.0.1:1"))
    with pytest.raises(OSError, match="no response from EC2: Could not connect"):
        nobody.list()


def test_without_credentials_there_is_no_client_that_would_never_find_any(no_credentials):
    with pytest.raises(OSError, match="no AWS credentials"):
        ec2_client("us-east-2")
