"""Settings shared by all kinds of machines: pure functions that convert plain values to the provider's typed
arguments.
"""

import base64
from collections.abc import Sequence
from typing import Any

import pulumi_azure_native as azure_native
from pulumi import Input

from hpc_components.azure.fleet.model import PurchaseKind

UNUSABLE_SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDVPvfgLJeHGLAcgtuxZN3w5lBR0p0RJU9sAJaKHX+hD nobody"
"""Public SSH key without a known private key, for machines that no administrator logs in to.

Azure requires a password or a key for every Linux machine. This key is a point on the curve, found by hashing
"hpc_components: nobody has the private key to this public key 1" (SHA-256) instead of being computed from a secret.
"""


def custom_data(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def linux(admin_user: str, ssh_key: str | None) -> "azure_native.compute.LinuxConfigurationArgs":
    """Return login settings that let an administrator log in with the given key, but not with a password.

    If `ssh_key` is None, no one can log in.
    """
    return azure_native.compute.LinuxConfigurationArgs(
        disable_password_authentication=True,
        ssh=azure_native.compute.SshConfigurationArgs(
            public_keys=[
                azure_native.compute.SshPublicKeyArgs(
                    path=f"/home/{admin_user}/.ssh/authorized_keys", key_data=(ssh_key or UNUSABLE_SSH_KEY).strip()
                )
            ]
        ),
    )


def boot_diagnostics() -> "azure_native.compute.DiagnosticsProfileArgs":
    """Return the setting that keeps a machine's console output in storage managed by Azure, for display in the
    portal.
    """
    return azure_native.compute.DiagnosticsProfileArgs(
        boot_diagnostics=azure_native.compute.BootDiagnosticsArgs(enabled=True)
    )


def user_assigned(identities: Sequence[Input[str]]) -> "azure_native.compute.VirtualMachineScaleSetIdentityArgs":
    return azure_native.compute.VirtualMachineScaleSetIdentityArgs(
        type=azure_native.compute.ResourceIdentityType.USER_ASSIGNED, user_assigned_identities=list(identities)
    )


def scale_set_interface(
    *,
    subnet: Input[str],
    security_group: Input[str] | None,
    backend_pool: Input[str] | None = None,
    flexible: bool,
) -> "azure_native.compute.VirtualMachineScaleSetNetworkConfigurationArgs":
    """Return the configuration of a machine's only Ethernet interface, with accelerated networking and no public
    address.

    InfiniBand needs no interface in Azure Resource Manager, because it is independent of the virtual network.
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
    """Return a scale set's purchase settings. `max_spot_price` is in USD per hour; None means the on-demand price."""
    compute, spot = azure_native.compute, purchase == "spot"
    reservation = None
    if reservation_id is not None:
        group = compute.SubResourceArgs(id=reservation_id)
        reservation = compute.CapacityReservationProfileArgs(capacity_reservation_group=group)
    return {
        "priority": compute.VirtualMachinePriorityTypes.SPOT if spot else compute.VirtualMachinePriorityTypes.REGULAR,
        # a deallocated machine would keep its disk and still count against the quota
        "eviction_policy": compute.VirtualMachineEvictionPolicyTypes.DELETE if spot else None,
        "billing_profile": compute.BillingProfileArgs(max_price=max_spot_price or -1) if spot else None,
        "capacity_reservation": reservation,
    }


def orchestration(*, flexible: bool) -> dict[str, Any]:
    """Return a scale set's orchestration mode and the settings that follow from it.

    If `flexible` is false, the machines share a fabric, and Azure neither updates them automatically nor creates more
    machines than requested.
    """
    modes = azure_native.compute.OrchestrationMode
    if flexible:
        return {"orchestration_mode": modes.FLEXIBLE, "single_placement_group": False}
    return {
        "orchestration_mode": modes.UNIFORM,
        "single_placement_group": True,
        "overprovision": False,
        "upgrade_policy": azure_native.compute.UpgradePolicyArgs(mode=azure_native.compute.UpgradeMode.MANUAL),
    }
