"""What all machines of a cluster are made of: pure functions from plain facts to the provider's typed arguments."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pulumi_azure_native as azure_native
from pulumi import Input

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.catalog.images import image_reference
from hpc_components.azure.catalog.local_disks import local_root
from hpc_components.azure.spec.queues import PurchaseKind

DiskType = Literal["Premium_LRS", "StandardSSD_LRS", "Standard_LRS", "PremiumV2_LRS"]

EPHEMERAL_CACHING = "ReadOnly"
"""Azure takes no other for a root disk on the machine's own disks. Source: Azure documentation, "Deploy Ephemeral OS
disks"."""
EPHEMERAL_BASE: DiskType = "Standard_LRS"
"""Kind of the disk behind it, of which Azure reads the image; the one for which it asks nothing. Source: Azure
documentation, "Ephemeral OS disks": no storage cost for operating system disks, and SSD storage account support;
guidance for AKS: free and included in the price of the machine."""

NOBODYS_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDVPvfgLJeHGLAcgtuxZN3w5lBR0p0RJU9sAJaKHX+hD nobody"
"""A public SSH key to which nobody has the private one, for machines on which nobody is to log in as administrator.

Azure makes no Linux machine without a password or a key. This one is a point of the curve that was found by hashing
"hpc_components: nobody has the private key to this public key 1" (SHA-256), not by multiplying a secret.
"""


@dataclass(frozen=True, kw_only=True)
@checked_args
class RootDisk:
    """The managed disk that a node boots from; it goes with its node. Azure encrypts all disks."""

    size_gib: int
    """Size in GiB."""
    type: DiskType = "Premium_LRS"
    """Kind of managed disk."""
    encryption_set: Input[str] | None = None
    """Id of a disk encryption set with a key of your own, instead of Azure's key."""

    @property
    def iops(self) -> int | None:
        """None: a root disk has what its kind and size bring."""
        return None

    @property
    def throughput(self) -> int | None:
        """None: a root disk has what its kind and size bring."""
        return None


@dataclass(frozen=True, kw_only=True)
@checked_args
class ImagePlan:
    """The purchase plan under which an image is sold on Azure Marketplace, or of the one that it was made from.

    Azure makes machines of it once its terms are accepted for the subscription: `az vm image terms accept`.
    """

    publisher: str
    """Publisher of the image."""
    product: str
    """Offer of the image."""
    name: str
    """Name of the plan; usually the image's sku."""


def ephemeral_root(machine: str) -> Mapping[str, str]:
    """Azure's settings of a root disk on a machine's own disks: where there is room, if a record says it."""
    found = local_root(machine)
    return {"option": "Local", **({"placement": found.placement} if found and found.placement else {})}


def custom_data(text: str) -> str:
    """User data as Azure wants it."""
    return base64.b64encode(text.encode()).decode()


def image(text: str) -> "azure_native.compute.ImageReferenceArgs":
    """`publisher:offer:sku:version`, or the id of an image, as Azure wants it. ValueError if it is neither."""
    reference = image_reference(text)
    if reference is None:
        raise ValueError(f"{text!r} is no image")
    return azure_native.compute.ImageReferenceArgs(**reference)


def plan(own: ImagePlan | None) -> "azure_native.compute.PlanArgs | None":
    """The purchase plan of an image, if it has one."""
    if own is None:
        return None
    return azure_native.compute.PlanArgs(publisher=own.publisher, product=own.product, name=own.name)


def linux(admin_user: str, ssh_key: str | None) -> "azure_native.compute.LinuxConfigurationArgs":
    """An administrator who logs in by key, never by password; without a key, nobody does."""
    return azure_native.compute.LinuxConfigurationArgs(
        disable_password_authentication=True,
        ssh=azure_native.compute.SshConfigurationArgs(
            public_keys=[
                azure_native.compute.SshPublicKeyArgs(
                    path=f"/home/{admin_user}/.ssh/authorized_keys", key_data=(ssh_key or NOBODYS_KEY).strip()
                )
            ]
        ),
    )


def boot_diagnostics() -> "azure_native.compute.DiagnosticsProfileArgs":
    """The console's text is kept where the portal shows it, in storage of Azure's own, also of a node that fails."""
    return azure_native.compute.DiagnosticsProfileArgs(
        boot_diagnostics=azure_native.compute.BootDiagnosticsArgs(enabled=True)
    )


def encryption_set(id: Input[str] | None) -> "azure_native.compute.DiskEncryptionSetParametersArgs | None":
    """The key of the user's own that encrypts a disk, if there is one."""
    return None if id is None else azure_native.compute.DiskEncryptionSetParametersArgs(id=id)


def user_assigned(identities: Sequence[Input[str]]) -> "azure_native.compute.VirtualMachineScaleSetIdentityArgs":
    """The identities of a scale set's machines."""
    return azure_native.compute.VirtualMachineScaleSetIdentityArgs(
        type=azure_native.compute.ResourceIdentityType.USER_ASSIGNED, user_assigned_identities=list(identities)
    )


def scale_set_root(
    disk: RootDisk, *, flexible: bool, ephemeral: Mapping[str, str] | None = None
) -> "azure_native.compute.VirtualMachineScaleSetOSDiskArgs":
    """The disk that a machine boots from. In Uniform scale sets it always goes with its machine."""
    compute = azure_native.compute
    return compute.VirtualMachineScaleSetOSDiskArgs(
        create_option=compute.DiskCreateOptionTypes.FROM_IMAGE,
        caching=compute.CachingTypes(EPHEMERAL_CACHING if ephemeral else "ReadWrite"),
        disk_size_gb=disk.size_gib,
        diff_disk_settings=compute.DiffDiskSettingsArgs(**ephemeral) if ephemeral else None,
        managed_disk=compute.VirtualMachineScaleSetManagedDiskParametersArgs(
            storage_account_type=EPHEMERAL_BASE if ephemeral else disk.type,
            disk_encryption_set=encryption_set(disk.encryption_set),
        ),
        delete_option=compute.DiskDeleteOptionTypes.DELETE if flexible else None,
    )


def scale_set_interface(
    *,
    subnet: Input[str],
    security_group: Input[str] | None,
    backend_pool: Input[str] | None = None,
    flexible: bool,
) -> "azure_native.compute.VirtualMachineScaleSetNetworkConfigurationArgs":
    """The one Ethernet interface of a machine, with accelerated networking and no public address.

    InfiniBand is no interface of Resource Manager's: the fabric belongs to the machine, whatever its network.
    """
    compute = azure_native.compute
    pools = None if backend_pool is None else [compute.SubResourceArgs(id=backend_pool)]
    return compute.VirtualMachineScaleSetNetworkConfigurationArgs(
        name="ethernet",
        primary=True,
        enable_accelerated_networking=True,
        network_security_group=None if security_group is None else compute.SubResourceArgs(id=security_group),
        delete_option=compute.DeleteOptions.DELETE if flexible else None,
        ip_configurations=[
            compute.VirtualMachineScaleSetIPConfigurationArgs(
                name="address",
                primary=True,
                subnet=compute.ApiEntityReferenceArgs(id=subnet),
                load_balancer_backend_address_pools=pools,
            )
        ],
    )


def bought(
    purchase: PurchaseKind, *, max_spot_price: float | None, reservation_id: Input[str] | None
) -> dict[str, Any]:
    """How a scale set's machines are bought. `max_spot_price`: USD an hour at most; None: the on-demand price."""
    compute, spot = azure_native.compute, purchase == "spot"
    reservation = None
    if reservation_id is not None:
        group = compute.SubResourceArgs(id=reservation_id)
        reservation = compute.CapacityReservationProfileArgs(capacity_reservation_group=group)
    return {
        "priority": compute.VirtualMachinePriorityTypes.SPOT if spot else compute.VirtualMachinePriorityTypes.REGULAR,
        # a deallocated machine keeps its disk, and counts against the quota
        "eviction_policy": compute.VirtualMachineEvictionPolicyTypes.DELETE if spot else None,
        "billing_profile": compute.BillingProfileArgs(max_price=max_spot_price or -1) if spot else None,
        "capacity_reservation": reservation,
    }


def orchestration(*, flexible: bool) -> dict[str, Any]:
    """How a scale set keeps its machines: those of one fabric stay as they are made, none too many at first."""
    modes = azure_native.compute.OrchestrationMode
    if flexible:
        return {"orchestration_mode": modes.FLEXIBLE, "single_placement_group": False}
    return {
        "orchestration_mode": modes.UNIFORM,
        "single_placement_group": True,
        "overprovision": False,
        "upgrade_policy": azure_native.compute.UpgradePolicyArgs(mode=azure_native.compute.UpgradeMode.MANUAL),
    }
