"""Accounts of AWS with exactly one fault each: the fault is found at its key, and nothing else is."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from hpc_components.preflight.asked import Asked
from hpc_components.spec.account_rules import AccountFault as Fault

from .aws_account import AwsDouble, RefusedError
from .conftest import ask_aws
from .sound_aws import LIMIT, reserved, simulated

Prepare = Callable[[AwsDouble], None]


def answering(name: str, answer: Callable[[Mapping[str, Any]], Any]) -> Prepare:
    return lambda aws: aws.answer(name, answer)


def refusing(name: str, code: str, status: int = 400) -> Prepare:
    def refuse(_: Any) -> Any:
        raise RefusedError(code, status)

    return answering(name, refuse)


def changing(name: str, change: Callable[[Any], None]) -> Prepare:
    return lambda aws: aws.change(name, change)


def setting(key: str, which: int = 0, **values: Any) -> Callable[[Any], None]:
    """Set values in one record of an answer."""
    return lambda answer: answer[key][which].update(values) if answer.get(key) else None


def _without_zone(answer: Any) -> None:
    zones = answer["AvailabilityZones"]
    zones[:] = [each for each in zones if each["ZoneId"] != "use2-az2"]


def _limit_of(code: str, limit: float) -> Prepare:
    return answering(
        "service-quotas:GetServiceQuota",
        lambda asked: {"Quota": {"Value": limit if asked["QuotaCode"] == code else LIMIT}},
    )


def _offered_elsewhere(asked: Mapping[str, Any]) -> Any:
    (name,) = asked["Filters"][0]["Values"]
    zone = "use2-az1" if name == "hpc6a.48xlarge" else "use2-az2"
    return {"InstanceTypeOfferings": [{"InstanceType": name, "Location": zone}]}


def _in_subnet_of(cidr: str, **values: Any) -> Callable[[Any], None]:
    def change(answer: Any) -> None:
        for each in answer["Subnets"]:
            if each["CidrBlock"] == cidr:
                each.update(values)

    return change


def _own_image(**values: Any) -> Callable[[Any], None]:
    return lambda answer: [each.update(values) for each in answer["Images"] if each["Name"] == "hpc-node"]


def _without_own_image(answer: Any) -> None:
    answer["Images"] = [each for each in answer["Images"] if each["Name"] != "hpc-node"]


def _bucket(name: str, code: str, status: int) -> Prepare:
    def answer(asked: Mapping[str, Any]) -> Any:
        if asked["Bucket"] == name:
            raise RefusedError(code, status)
        if asked["Bucket"] == "my-hpc-data":
            return {"BucketRegion": "us-east-2"}
        raise RefusedError("404", 404)

    return answering("s3:HeadBucket", answer)


def _denying(**decisions: str) -> Prepare:
    return answering("iam:SimulatePrincipalPolicy", lambda asked: simulated(asked["ActionNames"], **decisions))


def _reservation(**told: Any) -> Prepare:
    return answering("ec2:DescribeCapacityReservations", lambda asked: {"CapacityReservations": [reserved(**told)]})


PRIVATE, PUBLIC = "10.20.0.0/20", "10.20.16.0/24"
AT = "network.existing"

FAULTS: dict[str, tuple[Prepare, Fault, str, str]] = {
    "region closed": (
        changing("ec2:DescribeRegions", setting("Regions", OptInStatus="not-opted-in")),
        Fault.PLACE, "error", "region",
    ),
    "zone closed": (changing("ec2:DescribeAvailabilityZones", _without_zone), Fault.PLACE, "error", "zone"),
    "zone impaired": (
        changing("ec2:DescribeAvailabilityZones", setting("AvailabilityZones", 1, State="impaired")),
        Fault.PLACE, "error", "zone",
    ),
    "machine sold elsewhere": (
        answering("ec2:DescribeInstanceTypeOfferings", _offered_elsewhere),
        Fault.MACHINE, "error", "queues[0].machine",
    ),
    "vCPU quota too low": (_limit_of("L-F7808C92", 192), Fault.QUOTA, "error", "queues[0].max"),
    "storage quota too low": (_limit_of("L-88479C21", 512), Fault.QUOTA, "error", "storage.home"),
    "image missing": (
        changing("ec2:DescribeImages", _without_own_image), Fault.IMAGE, "error", "queues[1].image",
    ),
    "image failed": (
        changing("ec2:DescribeImages", _own_image(State="failed")), Fault.IMAGE, "error", "queues[1].image",
    ),
    "image of another architecture": (
        changing("ec2:DescribeImages", _own_image(Architecture="arm64")),
        Fault.IMAGE_FIT, "error", "queues[1].image",
    ),
    "public image missing": (
        refusing("ssm:GetParameter", "ParameterNotFound"), Fault.IMAGE, "error", "head_node.machine",
    ),
    "network missing": (
        refusing("ec2:DescribeVpcs", "InvalidVpcID.NotFound"), Fault.NETWORK, "error", f"{AT}.vpc",
    ),
    "subnet missing": (
        changing("ec2:DescribeSubnets", lambda answer: answer["Subnets"].clear()),
        Fault.NETWORK, "error", f"{AT}.private.use2-az2.id",
    ),
    "subnet of another network": (
        changing("ec2:DescribeSubnets", _in_subnet_of(PUBLIC, VpcId="vpc-0123456789abcdef0")),
        Fault.NETWORK_FIT, "error", f"{AT}.public.use2-az2.id",
    ),
    "subnet in another zone": (
        changing("ec2:DescribeSubnets", _in_subnet_of(PRIVATE, AvailabilityZoneId="use2-az3")),
        Fault.NETWORK_FIT, "error", f"{AT}.private.use2-az2.id",
    ),
    "subnet with another range": (
        changing("ec2:DescribeSubnets", _in_subnet_of(PRIVATE, CidrBlock="10.20.32.0/20")),
        Fault.NETWORK_FIT, "error", f"{AT}.private.use2-az2.id",
    ),
    "subnet nearly full": (
        changing("ec2:DescribeSubnets", _in_subnet_of(PRIVATE, AvailableIpAddressCount=12)),
        Fault.ADDRESSES, "warning", f"{AT}.private.use2-az2.id",
    ),
    "security group missing": (
        refusing("ec2:DescribeSecurityGroups", "InvalidGroup.NotFound"),
        Fault.NETWORK, "error", f"{AT}.security_groups.head[0]",
    ),
    "security group of another network": (
        changing("ec2:DescribeSecurityGroups", setting("SecurityGroups", VpcId="vpc-0123456789abcdef0")),
        Fault.NETWORK_FIT, "error", f"{AT}.security_groups.head[0]",
    ),
    "file system missing": (
        refusing("fsx:DescribeFileSystems", "FileSystemNotFound"),
        Fault.FILE_SYSTEM, "error", "storage.shared.existing.id",
    ),
    "file system failed": (
        changing("fsx:DescribeFileSystems", setting("FileSystems", Lifecycle="FAILED")),
        Fault.FILE_SYSTEM, "error", "storage.shared.existing.id",
    ),
    "file system with another mount name": (
        changing("fsx:DescribeFileSystems", setting("FileSystems", LustreConfiguration={"MountName": "other"})),
        Fault.FILE_SYSTEM, "error", "storage.shared.existing.id",
    ),
    "bucket missing": (_bucket("my-hpc-data", "404", 404), Fault.BUCKET, "error", "storage.scratch.import_from"),
    "bucket of others": (_bucket("my-hpc-data", "403", 403), Fault.BUCKET, "warning", "storage.scratch.import_from"),
    "bucket elsewhere": (
        answering(
            "s3:HeadBucket",
            lambda asked: {"BucketRegion": "eu-west-1"} if asked["Bucket"] == "my-hpc-data" else _absent(),
        ),
        Fault.BUCKET_PLACE, "warning", "storage.scratch.import_from",
    ),
    "bucket name taken": (
        _bucket("cfd-results-of-the-institute", "403", 403), Fault.TAKEN, "error", "buckets.results.name",
    ),
    "reservation missing": (
        refusing("ec2:DescribeCapacityReservations", "InvalidCapacityReservationId.NotFound"),
        Fault.RESERVATION, "error", "queues[1].purchase.reservation",
    ),
    "reservation expired": (
        _reservation(State="expired"), Fault.RESERVATION, "error", "queues[1].purchase.reservation",
    ),
    "reservation to come": (
        _reservation(State="scheduled", StartDate=datetime(2027, 1, 4, tzinfo=UTC)),
        Fault.RESERVATION, "warning", "queues[1].purchase.reservation",
    ),
    "reservation of another machine": (
        _reservation(InstanceType="m7i.large"),
        Fault.RESERVATION_FIT, "error", "queues[1].purchase.reservation",
    ),
    "reservation too small": (
        _reservation(TotalInstanceCount=2),
        Fault.RESERVATION_FIT, "warning", "queues[1].purchase.reservation",
    ),
    "key pair missing": (
        refusing("ec2:DescribeKeyPairs", "InvalidKeyPair.NotFound"), Fault.NAMED, "error", "head_node.key_pair",
    ),
    "instance profile missing": (
        refusing("iam:GetInstanceProfile", "NoSuchEntity", 404),
        Fault.NAMED, "error", "head_node.instance_profile",
    ),
    "instance profile without a role": (
        changing("iam:GetInstanceProfile", lambda answer: answer["InstanceProfile"]["Roles"].clear()),
        Fault.NAMED, "error", "head_node.instance_profile",
    ),
    "secret about to be deleted": (
        changing("secretsmanager:DescribeSecret", lambda a: a.update(DeletedDate=datetime(2027, 1, 4, tzinfo=UTC))),
        Fault.NAMED, "error", "slurm.accounting.database.password_secret",
    ),
    "key disabled": (
        changing("kms:DescribeKey", lambda answer: answer["KeyMetadata"].update(KeyState="Disabled")),
        Fault.NAMED, "error", "storage.home.kms_key",
    ),
    "permission denied": (_denying(fsx_CreateFileSystem="explicitDeny"), Fault.RIGHTS, "error", "storage"),
    "forbidden by a service control policy": (
        _denying(fsx_CreateFileSystem="organization"), Fault.POLICY, "error", "storage",
    ),
    "permission not granted for everything": (
        _denying(ec2_CreatePlacementGroup="implicitDeny"), Fault.RIGHTS, "warning", "queues",
    ),
}  # fmt: skip


def _absent() -> Any:
    raise RefusedError("404", 404)


def test_a_sound_account_has_no_finding(aws: AwsDouble, asked: Asked) -> None:
    done = ask_aws(aws, asked)
    assert (done.findings, done.left_out) == ((), ())
    assert len(done.answered) == 23


@pytest.mark.parametrize("fault", FAULTS)
def test_a_single_fault_is_found_at_its_key(aws: AwsDouble, asked: Asked, fault: str) -> None:
    prepare, id, level, path = FAULTS[fault]
    prepare(aws)
    (found, *others) = ask_aws(aws, asked).findings
    assert {each.id for each in others} <= {id}, others  # the same fault at a second place
    assert (found.id, str(found.level), found.path) == (id, level, path)
    assert found.line is not None
    assert found.reason
    assert found.remedy
