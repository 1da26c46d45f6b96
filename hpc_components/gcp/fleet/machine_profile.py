"""Pure functions that build the provider arguments common to all of a cluster's machines."""

from collections.abc import Sequence

import pulumi_gcp as gcp
from pulumi import Input

from hpc_components.catalog import machine as catalog_machine
from hpc_components.cloud import cloud_named
from hpc_components.gcp.catalog.limits import service_limit
from hpc_components.gcp.catalog.machines import live_migrates
from hpc_components.gcp.fleet.model import PurchaseKind
from hpc_components.gcp.ports import CardSubnet

CLOUD_PLATFORM = "https://www.googleapis.com/auth/cloud-platform"
"""Access scope that leaves all authorization to IAM.

Source: Compute Engine documentation, "Service accounts", access scopes.
"""


def has_fabric(machine: str, fabric: bool | None) -> bool:
    found = catalog_machine("gcp", machine)
    return fabric is not False and found is not None and found.has_fabric


def is_bound(machine: str, reservation: Input[str] | None, *, bound: bool | None = None) -> bool:
    """Return whether machines are terminated when their reservation ends.

    By default, this is the case for machines in a reservation block and for machines with RDMA between GPUs.

    Source: Compute Engine documentation, "About VMs that use the reservation-bound model"; Cluster Toolkit 1.95.0,
    slurm-gcp resume.py, `update_reservation_props`, for dense and calendar reservations.
    """
    if reservation is None or bound is not None:
        return bool(reservation is not None and bound)
    in_block = isinstance(reservation, str) and "/reservationBlocks/" in reservation
    found = catalog_machine("gcp", machine)
    return in_block or (found is not None and found.fabric is not None and found.fabric.kind == "gpudirect_rdma")


def run_seconds(purchase: PurchaseKind, seconds: int | None) -> int | None:
    """Return a machine's maximum run time in seconds, or None if it is unlimited."""
    return (seconds or service_limit("flex_start.most_seconds")) if purchase == "flex_start" else None


def cards(
    subnet: Input[str], further: Sequence[CardSubnet] = ()
) -> "list[gcp.compute.RegionInstanceTemplateNetworkInterfaceArgs]":
    """Return a machine's network cards: a gVNIC in the nodes' subnet, then the additional cards in their own subnets.

    None of the cards has an access config, so none has a public address.
    """
    interface = gcp.compute.RegionInstanceTemplateNetworkInterfaceArgs
    return [
        interface(subnetwork=subnet, nic_type="GVNIC"),
        *(interface(network=card.network, subnetwork=card.subnet, nic_type=card.nic_type) for card in further),
    ]


def scheduling(
    machine: str, purchase: PurchaseKind, *, placed: bool, bound: bool, max_run_seconds: int | None
) -> "gcp.compute.RegionInstanceTemplateSchedulingArgs":
    """Return the settings for the purchase model and for host maintenance.

    Automatic restart is off, because the daemon replaces lost nodes. Preempted machines are deleted, because a
    stopped machine keeps its disk and name. Without a notice duration, a spot machine would be switched off as soon
    as notice is given. `bound` means that machines are terminated when their reservation ends.
    """
    model = {"spot": "SPOT", "flex_start": "FLEX_START"}.get(purchase, "RESERVATION_BOUND" if bound else "STANDARD")
    duration = None
    if (seconds := run_seconds(purchase, max_run_seconds)) is not None:
        duration = gcp.compute.RegionInstanceTemplateSchedulingMaxRunDurationArgs(seconds=seconds)
    notice = None
    if model == "SPOT":
        notice = gcp.compute.RegionInstanceTemplateSchedulingPreemptionNoticeDurationArgs(
            seconds=cloud_named("gcp").spot_notice_seconds
        )
    found = catalog_machine("gcp", machine)
    stays = model == "STANDARD" and not placed and found is not None and live_migrates(found)
    return gcp.compute.RegionInstanceTemplateSchedulingArgs(
        provisioning_model=model,
        preemptible=True if model == "SPOT" else None,
        automatic_restart=False,
        on_host_maintenance="MIGRATE" if stays else "TERMINATE",
        instance_termination_action=None if model == "STANDARD" else "DELETE",
        max_run_duration=duration,
        preemption_notice_duration=notice,
    )


def stops_for_maintenance(machine: str) -> bool:
    found = catalog_machine("gcp", machine)
    return found is not None and not live_migrates(found)


def advanced_features(
    machine: str, *, smt: bool
) -> "gcp.compute.RegionInstanceTemplateAdvancedMachineFeaturesArgs | None":
    found = catalog_machine("gcp", machine)
    if smt or (found is not None and found.threads_per_core == 1):
        return None
    return gcp.compute.RegionInstanceTemplateAdvancedMachineFeaturesArgs(threads_per_core=1)


def network_performance(*, tier_1: bool) -> "gcp.compute.RegionInstanceTemplateNetworkPerformanceConfigArgs | None":
    if not tier_1:
        return None
    return gcp.compute.RegionInstanceTemplateNetworkPerformanceConfigArgs(total_egress_bandwidth_tier="TIER_1")


def reservation_affinity(
    purchase: PurchaseKind, reservation: Input[str] | None
) -> "gcp.compute.RegionInstanceTemplateReservationAffinityArgs | None":
    """Spot and flex-start machines use no reservation. On-demand machines may use any open reservation."""
    compute = gcp.compute
    if purchase in ("spot", "flex_start"):
        return compute.RegionInstanceTemplateReservationAffinityArgs(type="NO_RESERVATION")
    if reservation is None:
        return None
    return compute.RegionInstanceTemplateReservationAffinityArgs(
        type="SPECIFIC_RESERVATION",
        specific_reservation=compute.RegionInstanceTemplateReservationAffinitySpecificReservationArgs(
            key="compute.googleapis.com/reservation-name", values=[reservation]
        ),
    )


def service_account(email: Input[str]) -> "gcp.compute.RegionInstanceTemplateServiceAccountArgs":
    return gcp.compute.RegionInstanceTemplateServiceAccountArgs(email=email, scopes=[CLOUD_PLATFORM])


def shielded() -> "gcp.compute.RegionInstanceTemplateShieldedInstanceConfigArgs":
    """Return Shielded VM settings without secure boot, which would reject third-party modules for Lustre, RDMA and
    GPUs.
    """
    return gcp.compute.RegionInstanceTemplateShieldedInstanceConfigArgs(
        enable_vtpm=True, enable_integrity_monitoring=True, enable_secure_boot=False
    )
