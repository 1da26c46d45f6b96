"""The disk for Slurm's state and the accounting database, which outlives the head node."""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp
from pulumi import Input

from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.components.machine_profile import disk_type
from hpc_components.gcp.spec.nodes import DiskType
from hpc_components.gcp.tags import Tags

DEVICE_NAME = "hpc-state"
"""Device name; the node finds the disk as `/dev/disk/by-id/google-hpc-state`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class StateDisk:
    """The disk for Slurm's state and the accounting database. Google encrypts all disks."""

    size_gib: int
    """Size in GiB; it can grow, but not shrink."""
    type: DiskType | None = None
    """Disk type; default: pd-balanced, or hyperdisk-balanced for machines that do not support Persistent Disk."""
    iops: int | None = None
    """Provisioned I/O operations per second, for hyperdisks."""
    throughput: int | None = None
    """Provisioned throughput in MiB/s, for hyperdisks."""
    kms_key: Input[str] | None = None
    """Id of a Cloud KMS key of your own, instead of Google's."""


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
    """Create an empty disk in the zone of its node."""
    key = None
    if state.kms_key is not None:
        key = gcp.compute.DiskDiskEncryptionKeyArgs(kms_key_self_link=state.kms_key)
    return gcp.compute.Disk(
        name,
        project=project,
        zone=zone,
        type=disk_type(state.type, machine),
        size=state.size_gib,
        provisioned_iops=state.iops,
        provisioned_throughput=state.throughput,
        disk_encryption_key=key,
        labels=tags.for_resource(name),
        opts=opts,
    )


def attached(disk: "gcp.compute.Disk") -> "gcp.compute.InstanceAttachedDiskArgs":
    """Return the attachment of the disk to a machine; deleting the machine keeps the disk."""
    return gcp.compute.InstanceAttachedDiskArgs(source=disk.id, device_name=DEVICE_NAME, mode="READ_WRITE")
