from dataclasses import dataclass
from typing import Any, Literal

import pulumi_aws as aws
from pulumi import Input

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.disks.offer import VolumeOrder, refusals
from hpc_components.spec.surfaces import Key, Keys, refuse_first

DiskType = Literal["gp3", "io1", "io2", "st1", "sc1"]

_ARGUMENTS: Keys = {
    "type": Key(("type",)),
    "size_gib": Key(("size_gib",)),
    "iops": Key(("iops",)),
    "throughput": Key(("throughput",)),
    "root": None,
}


@dataclass(frozen=True, kw_only=True)
@checked_args
class RootDisk:
    """The encrypted volume that a node boots from."""

    size_gib: int
    """Size in GiB."""
    type: DiskType = "gp3"
    """EBS volume type."""
    iops: int | None = None
    """I/O operations per second."""
    throughput: int | None = None
    """Throughput in MiB/s, for gp3 only."""
    kms_key: Input[str] | None = None
    """ARN of the KMS key that encrypts the volume; default: the account's default key."""
    device: str = "/dev/sda1"
    """The image's root device name, such as `/dev/sda1` for Ubuntu or `/dev/xvda` for Amazon Linux."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class StateDisk:
    """The encrypted volume for Slurm's state and the accounting database."""

    size_gib: int
    """Size in GiB; can be increased later but not reduced."""
    type: DiskType = "gp3"
    """EBS volume type."""
    iops: int | None = None
    """I/O operations per second."""
    throughput: int | None = None
    """Throughput in MiB/s, for gp3 only."""
    kms_key: Input[str] | None = None
    """ARN of the KMS key that encrypts the volume; default: the account's default key."""


def check_disk(args: Any, name: str) -> None:
    """Raise ValueError if EBS would refuse the disk in attribute `name` of `args`."""
    disk: RootDisk | StateDisk = getattr(args, name)
    order = VolumeOrder(
        type=disk.type,
        size_gib=disk.size_gib,
        iops=disk.iops,
        throughput=disk.throughput,
        root=isinstance(disk, RootDisk),
    )
    keys = {field: key and Key((name, *key.path)) for field, key in _ARGUMENTS.items()}
    refuse_first(args, refusals(order), keys)


def root_disk(disk: RootDisk) -> "list[aws.ec2.LaunchTemplateBlockDeviceMappingArgs]":
    return [
        aws.ec2.LaunchTemplateBlockDeviceMappingArgs(
            device_name=disk.device,
            ebs=aws.ec2.LaunchTemplateBlockDeviceMappingEbsArgs(
                volume_size=disk.size_gib,
                volume_type=disk.type,
                iops=disk.iops,
                throughput=disk.throughput,
                kms_key_id=disk.kms_key,
                encrypted="true",
                delete_on_termination="true",
            ),
        )
    ]
