from dataclasses import dataclass, replace
from typing import Any

import pulumi
import pulumi_gcp as gcp
from pulumi import Input

from hpc_components.catalog import machine as catalog_machine
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.disks.offer import DiskOrder, DiskType, default_disk_type, disk_type, disk_types, refusals
from hpc_components.gcp.tags import Tags
from hpc_components.spec.surfaces import Key, Keys, refuse_first

DEVICE_NAME = "hpc-state"
"""Device name of the state disk, which is `/dev/disk/by-id/google-hpc-state` on the node."""

_ARGUMENTS: Keys = {
    "type": Key(("type",)),
    "root": None,
    "size_gib": Key(("size_gib",)),
    "iops": Key(("iops",)),
    "throughput": Key(("throughput",)),
    "machines": None,
}
"""Maps each field of `DiskOrder` to its argument."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class RootDisk:
    """A node's boot disk, which is deleted with the node. Google encrypts all disks."""

    size_gib: int
    """Size in GiB."""
    type: DiskType | None = None
    """Disk type; default: pd-balanced, or hyperdisk-balanced for machines that do not support Persistent Disk."""
    iops: int | None = None
    """Provisioned I/O operations per second, for hyperdisks."""
    throughput: int | None = None
    """Provisioned throughput in MiB/s, for hyperdisks."""
    kms_key: Input[str] | None = None
    """Id of the Cloud KMS key that encrypts the disk. Default: a key managed by Google."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class StateDisk:
    """The disk for Slurm's state and the accounting database. Google encrypts all disks."""

    size_gib: int
    """Size in GiB. The disk can be enlarged later, but not shrunk."""
    type: DiskType | None = None
    """Disk type; default: pd-balanced, or hyperdisk-balanced for machines that do not support Persistent Disk."""
    iops: int | None = None
    """Provisioned I/O operations per second, for hyperdisks."""
    throughput: int | None = None
    """Provisioned throughput in MiB/s, for hyperdisks."""
    kms_key: Input[str] | None = None
    """Id of the Cloud KMS key that encrypts the disk. Default: a key managed by Google."""


def make_state_disk(
    name: str,
    state: StateDisk,
    *,
    machine: str,
    zone: str,
    project: str,
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> "gcp.compute.Disk":
    key = None
    if state.kms_key is not None:
        key = gcp.compute.DiskDiskEncryptionKeyArgs(kms_key_self_link=state.kms_key)
    return gcp.compute.Disk(
        name,
        project=project,
        zone=zone,
        type=type_for(state, machine),
        size=state.size_gib,
        provisioned_iops=state.iops,
        provisioned_throughput=state.throughput,
        disk_encryption_key=key,
        labels=tags.for_resource(name),
        opts=opts,
    )


def attached(disk: "gcp.compute.Disk") -> "gcp.compute.InstanceAttachedDiskArgs":
    """Return the arguments that attach the disk to an instance. The disk is kept when the instance is deleted."""
    return gcp.compute.InstanceAttachedDiskArgs(source=disk.id, device_name=DEVICE_NAME, mode="READ_WRITE")


def template_disk(
    disk: RootDisk, *, machine: str, image: Input[str], labels: dict[str, Input[str]]
) -> "gcp.compute.RegionInstanceTemplateDiskArgs":
    key = None
    if disk.kms_key is not None:
        key = gcp.compute.RegionInstanceTemplateDiskDiskEncryptionKeyArgs(kms_key_self_link=disk.kms_key)
    return gcp.compute.RegionInstanceTemplateDiskArgs(
        boot=True,
        auto_delete=True,
        source_image=image,
        disk_type=type_for(disk, machine),
        disk_size_gb=disk.size_gib,
        provisioned_iops=disk.iops,
        provisioned_throughput=disk.throughput,
        disk_encryption_key=key,
        labels=labels,
    )


def type_for(disk: RootDisk | StateDisk, machine: str) -> str:
    """Return the disk's type, or the machine's default type if the disk doesn't specify one."""
    return disk.type or default_disk_type(catalog_machine("gcp", machine))


def check_disk(args: Any, name: str, machine: str, *, root: bool) -> None:
    """Raise ValueError if the machine type or Google doesn't support the disk in the argument `name`."""
    disk: RootDisk | StateDisk = getattr(args, name)
    if disk.type is not None and disk_type(disk.type) is None:
        raise ValueError(
            f"{type(args).__name__}.{name}.type: {disk.type!r} is unknown; use {', '.join(disk_types())}"
        )
    known = catalog_machine("gcp", machine)
    order = DiskOrder(
        type=disk.type,
        root=root,
        size_gib=disk.size_gib,
        iops=disk.iops,
        throughput=disk.throughput,
        machines=(known,) if known else (),
    )
    keys = {field: key and replace(key, path=(name, *key.path)) for field, key in _ARGUMENTS.items()}
    refuse_first(args, refusals(order), keys)
