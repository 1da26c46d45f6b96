"""What the stand-in for EC2 keeps, and how EC2 shows it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

STATE_CODES = {"pending": 0, "running": 16, "shutting-down": 32, "terminated": 48, "stopped": 80}


@dataclass
class Template:
    """A launch template with one version."""

    id: str
    name: str
    machine: str
    zone: str
    """Zone id."""
    tags: dict[str, str]
    """The template's own."""
    instance_tags: dict[str, str] = field(default_factory=dict)
    market: str = ""
    """`spot` or `capacity-block`."""
    reservation: str = ""
    role: str = ""
    """ARN of the role that it gives to instances."""
    image: str = ""
    placement: bool = False
    """Whether instances are in a placement group."""
    keys: tuple[str, ...] = ()
    """ARNs of the keys of the disks, where they are not AWS's."""
    tagged: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The tags that a launch gives, by kind of resource."""


@dataclass
class Machine:
    """An instance."""

    id: str
    index: int
    template: Template
    tags: dict[str, str]
    token: str
    made: float
    ended: float | None = None
    stopped: bool = False
    protected: bool = False
    reason: str = ""
    """Code of why it is in its state."""


def shown(machine: Machine, state: str) -> dict[str, Any]:
    """An instance as names and values of EC2's XML."""
    template, number = machine.template, int(machine.id[2:], 16)
    address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    name = f"ip-{address.replace('.', '-')}.ec2.internal"
    shown = {
        "instanceId": machine.id,
        "imageId": "ami-0123456789abcdef0",
        "instanceState": {"code": STATE_CODES[state], "name": state},
        "privateDnsName": name,
        "amiLaunchIndex": machine.index,
        "instanceType": template.machine,
        "launchTime": datetime.fromtimestamp(machine.made, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "placement": {
            "availabilityZoneId": template.zone,
            "availabilityZone": f"zone-of-{template.zone}",
            "groupName": "",
            "tenancy": "default",
        },
        "monitoring": {"state": "enabled"},
        "subnetId": "subnet-0123456789abcdef0",
        "vpcId": "vpc-0123456789abcdef0",
        "privateIpAddress": address,
        "sourceDestCheck": True,
        "architecture": "x86_64",
        "rootDeviceType": "ebs",
        "rootDeviceName": "/dev/sda1",
        "blockDeviceMapping": [{"deviceName": "/dev/sda1", "ebs": {"volumeId": f"vol-{number:017x}"}}],
        "virtualizationType": "hvm",
        "clientToken": machine.token,
        "tagSet": tag_set(machine.tags),
        "hypervisor": "xen",
        "networkInterfaceSet": [_interface(number, address, name)],
        "ebsOptimized": True,
        "enaSupport": True,
        "cpuOptions": {"coreCount": 96, "threadsPerCore": 1},
        "metadataOptions": {"state": "applied", "httpTokens": "required", "instanceMetadataTags": "enabled"},
    }
    if template.market:
        shown["instanceLifecycle"] = template.market
    if template.reservation:
        target = {"capacityReservationId": template.reservation}
        shown["capacityReservationSpecification"] = {"capacityReservationTarget": target}
    if machine.ended is not None and not machine.reason:
        ended = datetime.fromtimestamp(machine.ended, UTC)
        shown["reason"] = f"User initiated ({ended:%Y-%m-%d %H:%M:%S} GMT)"
    if machine.reason:
        shown["reason"] = machine.reason
        shown["stateReason"] = {"code": machine.reason, "message": f"{machine.reason}: in words"}
    return shown


def _interface(number: int, address: str, name: str) -> dict[str, Any]:
    return {
        "networkInterfaceId": f"eni-{number:017x}",
        "subnetId": "subnet-0123456789abcdef0",
        "status": "in-use",
        "privateIpAddress": address,
        "privateDnsName": name,
        "groupSet": [{"groupId": "sg-0123456789abcdef0", "groupName": "compute"}],
        "attachment": {"deviceIndex": 0, "networkCardIndex": 0, "status": "attached"},
        "privateIpAddressesSet": [{"privateIpAddress": address, "privateDnsName": name, "primary": True}],
    }


def tag_set(tags: Mapping[str, str]) -> list[dict[str, str]]:
    """Tags as a list."""
    return [{"key": key, "value": value} for key, value in tags.items()]
