"""The disk for Slurm's state and the accounting database, which is kept when the head node is replaced."""

from dataclasses import dataclass

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.machines import profile
from hpc_components.azure.ports import Group
from hpc_components.azure.tags import Tags

LUN = 0
"""Logical unit number under which the disk is attached and the node finds it."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class StateDisk:
    """The managed disk for Slurm's state and the accounting database. Azure encrypts all disks."""

    size_gib: int
    """Size in GiB; it can be increased, but not reduced."""
    type: profile.DiskType = "Premium_LRS"
    """Type of managed disk."""
    iops: int | None = None
    """I/O operations per second, for PremiumV2_LRS."""
    throughput: int | None = None
    """Throughput in MB/s, for PremiumV2_LRS."""
    encryption_set: Input[str] | None = None
    """Id of a disk encryption set with a customer-managed key; default: Azure's key."""


def make_state_disk(
    name: str, state: StateDisk, *, zones: list[str] | None, group: Group, tags: Tags, opts: pulumi.ResourceOptions
) -> "azure_native.compute.Disk":
    """Create an empty disk in its node's zone. Its content can't be downloaded through a link."""
    compute, encryption = azure_native.compute, None
    if state.encryption_set is not None:
        encryption = compute.EncryptionArgs(
            type=compute.EncryptionType.ENCRYPTION_AT_REST_WITH_CUSTOMER_KEY,
            disk_encryption_set_id=state.encryption_set,
        )
    return compute.Disk(
        name,
        resource_group_name=group.name,
        location=group.location,
        zones=zones,
        sku=compute.DiskSkuArgs(name=state.type),
        disk_size_gb=state.size_gib,
        disk_iops_read_write=state.iops,
        disk_m_bps_read_write=state.throughput,
        creation_data=compute.CreationDataArgs(create_option=compute.DiskCreateOption.EMPTY),
        encryption=encryption,
        network_access_policy=compute.NetworkAccessPolicy.DENY_ALL,
        public_network_access=compute.PublicNetworkAccess.DISABLED,
        tags=tags.for_resource(name),
        opts=opts,
    )


def attached(disk: "azure_native.compute.Disk") -> "azure_native.compute.DataDiskArgs":
    """Return a disk's attachment to a machine. Deleting the machine keeps the disk."""
    compute = azure_native.compute
    return compute.DataDiskArgs(
        lun=LUN,
        create_option=compute.DiskCreateOptionTypes.ATTACH,
        caching=compute.CachingTypes.NONE,  # a database must be certain that its writes have reached the disk
        managed_disk=compute.ManagedDiskParametersArgs(id=disk.id),
        delete_option=compute.DiskDeleteOptionTypes.DETACH,
    )
