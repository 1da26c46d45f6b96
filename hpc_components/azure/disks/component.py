from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.disks.offer import DiskOrder, DiskType, LocalRootOrder, local_root, refusals
from hpc_components.azure.ports import Group
from hpc_components.azure.tags import Tags
from hpc_components.spec.surfaces import Key, Keys, refuse_first

LUN = 0
"""Logical unit number of the state disk, which the node uses to find the disk."""

EPHEMERAL_CACHING = "ReadOnly"
"""Caching mode that Azure requires for a root disk on the machine's local disks. Source: Azure documentation, "Deploy
Ephemeral OS disks"."""
EPHEMERAL_BASE: DiskType = "Standard_LRS"
"""Type of the free disk from which Azure copies the image to the local disk. Source: Azure documentation, "Ephemeral
OS disks": no storage cost for operating system disks, and SSD storage account support; AKS guidance: free and
included in the price of the machine."""

_ARGUMENTS: Keys = {
    "type": Key(("type",)),
    "root": None,
    "size_gib": Key(("size_gib",)),
    "iops": Key(("iops",)),
    "throughput": Key(("throughput",)),
    "zone": None,
}
"""Maps order fields to disk arguments. The zone is missing because it is set on the node that uses the disk."""

_LOCAL_ARGUMENTS: Keys = {
    "machine": None,
    "local": Key(("ephemeral_root",)),
    "size_gib": Key(("root", "size_gib")),
    "image_gib": None,
}


@dataclass(frozen=True, kw_only=True)
@checked_args
class RootDisk:
    """The managed disk that a node boots from. It is deleted with the node. Azure encrypts all disks."""

    size_gib: int
    """Size in GiB."""
    type: DiskType = "Premium_LRS"
    """Type of managed disk."""
    encryption_set: Input[str] | None = None
    """Id of a disk encryption set with a customer-managed key. By default, the disk is encrypted with Azure's key."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class StateDisk:
    """The managed disk for Slurm's state and the accounting database. Azure encrypts all disks."""

    size_gib: int
    """Size in GiB. The size can be increased later, but not reduced."""
    type: DiskType = "Premium_LRS"
    """Type of managed disk."""
    iops: int | None = None
    """I/O operations per second, for PremiumV2_LRS."""
    throughput: int | None = None
    """Throughput in MB/s, for PremiumV2_LRS."""
    encryption_set: Input[str] | None = None
    """Id of a disk encryption set with a customer-managed key. By default, the disk is encrypted with Azure's key."""


def check_disk(args: Any, name: str, *, zone: str | None = None) -> None:
    """Raise ValueError if Azure doesn't offer the disk specified by the argument `name` of `args`.

    `zone` is the value of the component's `zone` argument, such as `eastus-1`, or None if the component has no such
    argument.
    """
    disk: RootDisk | StateDisk = getattr(args, name)
    speed = {"iops": disk.iops, "throughput": disk.throughput} if isinstance(disk, StateDisk) else {}
    order = DiskOrder(type=disk.type, root=isinstance(disk, RootDisk), size_gib=disk.size_gib, zone=zone, **speed)
    keys = {field: key and replace(key, path=(name, *key.path)) for field, key in _ARGUMENTS.items()}
    refuse_first(args, refusals(order), keys | {"zone": Key(("zone",)) if zone else None})


def check_local_root(args: Any, machines: tuple[str, ...], size_gib: int) -> None:
    """Raise ValueError if a fleet has a machine type whose local disks can't accommodate the root disk."""
    for machine in machines:
        refuse_first(args, refusals(LocalRootOrder(machine=machine, size_gib=size_gib)), _LOCAL_ARGUMENTS)


def ephemeral_root(machine: str) -> Mapping[str, str]:
    """Return the settings for a root disk on the machine's local disks."""
    found = local_root(machine)
    return {"option": "Local", **({"placement": found.placement} if found and found.placement else {})}


def root_disk(disk: RootDisk) -> "azure_native.compute.OSDiskArgs":
    compute = azure_native.compute
    return compute.OSDiskArgs(
        create_option=compute.DiskCreateOptionTypes.FROM_IMAGE,
        caching=compute.CachingTypes.READ_WRITE,
        disk_size_gb=disk.size_gib,
        managed_disk=compute.ManagedDiskParametersArgs(
            storage_account_type=disk.type, disk_encryption_set=_encryption_set(disk.encryption_set)
        ),
        delete_option=compute.DiskDeleteOptionTypes.DELETE,
    )


def scale_set_root(
    disk: RootDisk, *, flexible: bool, ephemeral: Mapping[str, str] | None = None
) -> "azure_native.compute.VirtualMachineScaleSetOSDiskArgs":
    """Return the root disk for a scale set's machines. Only Flexible scale sets need a delete option, because Uniform
    scale sets always delete the disk with the machine.
    """
    compute = azure_native.compute
    return compute.VirtualMachineScaleSetOSDiskArgs(
        create_option=compute.DiskCreateOptionTypes.FROM_IMAGE,
        caching=compute.CachingTypes(EPHEMERAL_CACHING if ephemeral else "ReadWrite"),
        disk_size_gb=disk.size_gib,
        diff_disk_settings=compute.DiffDiskSettingsArgs(**ephemeral) if ephemeral else None,
        managed_disk=compute.VirtualMachineScaleSetManagedDiskParametersArgs(
            storage_account_type=EPHEMERAL_BASE if ephemeral else disk.type,
            disk_encryption_set=_encryption_set(disk.encryption_set),
        ),
        delete_option=compute.DiskDeleteOptionTypes.DELETE if flexible else None,
    )


def _encryption_set(id: Input[str] | None) -> "azure_native.compute.DiskEncryptionSetParametersArgs | None":
    return None if id is None else azure_native.compute.DiskEncryptionSetParametersArgs(id=id)


def make_state_disk(
    name: str, state: StateDisk, *, zones: list[str] | None, group: Group, tags: Tags, opts: pulumi.ResourceOptions
) -> "azure_native.compute.Disk":
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
    compute = azure_native.compute
    return compute.DataDiskArgs(
        lun=LUN,
        create_option=compute.DiskCreateOptionTypes.ATTACH,
        caching=compute.CachingTypes.NONE,  # a database must be certain that its writes have reached the disk
        managed_disk=compute.ManagedDiskParametersArgs(id=disk.id),
        delete_option=compute.DiskDeleteOptionTypes.DETACH,
    )
