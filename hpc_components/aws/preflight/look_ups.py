"""Looks up what a description names in AWS. Each function returns None if it doesn't exist."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from hpc_components.aws.preflight.reader import Reader
from hpc_components.preflight.account import NotPermittedError, Seen
from hpc_components.spec.findings import Level

LookUp = Callable[[Reader, str], Seen | None]


def _only(answer: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    return next(iter(answer.get(key, ())), None)


def _image(reader: Reader, id: str) -> Seen | None:
    absent = ["InvalidAMIID.NotFound", "InvalidAMIID.Unavailable", "InvalidAMIID.Malformed"]
    found = _only(reader.found("ec2:DescribeImages", ImageIds=[id], absent=absent), "Images")
    if found is None:
        return None
    state = found.get("State", "available")
    return Seen(
        problem="" if state == "available" else f"its state is {state}",
        facts={"architecture": found["Architecture"]} if "Architecture" in found else {},
    )


def _public_image(reader: Reader, parameter: str) -> Seen | None:
    """Resolve a public parameter in the cluster's region, as EC2 does at launch."""
    answer = reader.found("ssm:GetParameter", Name=parameter, absent=["ParameterNotFound"])
    return _image(reader, answer["Parameter"]["Value"]) if answer else None


def _key_pair(reader: Reader, name: str) -> Seen | None:
    absent = ["InvalidKeyPair.NotFound"]
    return Seen() if _only(reader.found("ec2:DescribeKeyPairs", KeyNames=[name], absent=absent), "KeyPairs") else None


def _network(reader: Reader, id: str) -> Seen | None:
    found = _only(reader.found("ec2:DescribeVpcs", VpcIds=[id], absent=["InvalidVpcID.NotFound"]), "Vpcs")
    if found is None:
        return None
    ranges = [each["CidrBlock"] for each in found.get("CidrBlockAssociationSet", ())] or [found["CidrBlock"]]
    return Seen(facts={"ranges": ranges})


def _subnet(reader: Reader, id: str) -> Seen | None:
    absent = ["InvalidSubnetID.NotFound"]
    found = _only(reader.found("ec2:DescribeSubnets", SubnetIds=[id], absent=absent), "Subnets")
    if found is None:
        return None
    facts = {
        "network": found["VpcId"],
        "range": found["CidrBlock"],
        "zone": found["AvailabilityZoneId"],
        "number of free addresses": found["AvailableIpAddressCount"],
    }
    return Seen(facts=facts)


def _security_group(reader: Reader, id: str) -> Seen | None:
    absent = ["InvalidGroup.NotFound", "InvalidGroupId.Malformed"]
    answer = reader.found("ec2:DescribeSecurityGroups", GroupIds=[id], absent=absent)
    found = _only(answer, "SecurityGroups")
    return None if found is None else Seen(facts={"network": found["VpcId"]})


_WAITING = ("scheduled", "pending", "payment-pending", "assessing")


def _reservation(reader: Reader, id: str) -> Seen | None:
    absent = ["InvalidCapacityReservationId.NotFound", "InvalidCapacityReservationId.Malformed"]
    answer = reader.found("ec2:DescribeCapacityReservations", CapacityReservationIds=[id], absent=absent)
    found = _only(answer, "CapacityReservations")
    if found is None:
        return None
    facts = {
        "machine type": found["InstanceType"],
        "zone": found.get("AvailabilityZoneId"),
        "number of machines": found["TotalInstanceCount"],
    }
    seen = {name: value for name, value in facts.items() if value is not None}
    state = found["State"]
    if state == "active":
        return Seen(facts=seen)
    problem = f"its state is {state}"
    if state in _WAITING and isinstance(found.get("StartDate"), datetime):
        problem += f", and it begins at {found['StartDate']:%Y-%m-%d %H:%M %Z}"
    return Seen(problem=problem, level=Level.WARNING if state in _WAITING else None, facts=seen)


def _file_system(reader: Reader, id: str) -> Seen | None:
    absent = ["FileSystemNotFound"]
    found = _only(reader.found("fsx:DescribeFileSystems", FileSystemIds=[id], absent=absent), "FileSystems")
    if found is None:
        return None
    state = found.get("Lifecycle", "AVAILABLE")
    facts = {
        "type": found.get("FileSystemType"),
        "network": found.get("VpcId"),
        "mount name": found.get("LustreConfiguration", {}).get("MountName"),
        "host name": found.get("DNSName"),
    }
    usable = state in ("AVAILABLE", "UPDATING", "MISCONFIGURED")
    return Seen(
        problem="" if usable else f"its state is {state}",
        facts={name: value for name, value in facts.items() if value},
    )


def _bucket(reader: Reader, name: str) -> Seen | None:
    try:
        found = reader.call("s3:HeadBucket", Bucket=name, absent=["404", "NoSuchBucket"])
    except NotPermittedError as error:
        return Seen(problem=f"it exists, but the caller may not list it ({error.permission})", level=Level.WARNING)
    if found is None:
        return None
    headers = found.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    region = found.get("BucketRegion") or headers.get("x-amz-bucket-region")
    return Seen(facts={"region": region} if region else {})


def _secret(reader: Reader, id: str) -> Seen | None:
    found = reader.call("secretsmanager:DescribeSecret", SecretId=id, absent=["ResourceNotFoundException"])
    if found is None:
        return None
    return Seen(problem=f"it will be deleted ({found['DeletedDate']:%Y-%m-%d})" if found.get("DeletedDate") else "")


def _encryption_key(reader: Reader, id: str) -> Seen | None:
    found = reader.call("kms:DescribeKey", KeyId=id, absent=["NotFoundException"])
    if found is None:
        return None
    state = found["KeyMetadata"]["KeyState"]
    return Seen(problem="" if state == "Enabled" else f"its state is {state}")


def _instance_profile(reader: Reader, name: str) -> Seen | None:
    plain = name.rpartition("/")[2]
    found = reader.call("iam:GetInstanceProfile", InstanceProfileName=plain, absent=["NoSuchEntity"])
    if found is None:
        return None
    return Seen(problem="" if found["InstanceProfile"]["Roles"] else "it has no role")


def _boundary(reader: Reader, arn: str) -> Seen | None:
    return Seen() if reader.call("iam:GetPolicy", PolicyArn=arn, absent=["NoSuchEntity"]) else None


LOOK_UPS: Mapping[str, LookUp] = {
    "image": _image,
    "public image": _public_image,
    "key pair": _key_pair,
    "network": _network,
    "subnet": _subnet,
    "security group": _security_group,
    "reservation": _reservation,
    "file system": _file_system,
    "bucket": _bucket,
    "secret": _secret,
    "encryption key": _encryption_key,
    "instance profile": _instance_profile,
    "permissions boundary": _boundary,
}
"""Maps each kind of thing to the function that looks it up."""
