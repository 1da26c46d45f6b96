"""Rules on spot machines and capacity reservations."""

from collections.abc import Iterator

from hpc_components.azure.catalog.capacity import (
    CapacityOrder,
    capacity_refusals,
    is_reservable,
    wrong_spot_price,
)
from hpc_components.azure.fleet.model import AzureQueue, PurchaseKind
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.catalog.machine_type import Machine
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.queue_defaults import fabric_on, placement, purchase_kind
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import in_region, nearest, queue_machines
from hpc_components.spec.rules._purchases import jobs_start_again, spot_fabrics
from hpc_components.spec.rules._values import Wrong, value_rule
from hpc_components.wording import any_of


@rule("HPC-RGP-001", Level.ERROR)
def reservable(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A queue on a capacity reservation has machines whose capacity can be reserved.

    HB, HC and ND types can't be reserved. Where no source says so (HX), this is a warning. Source: Azure
    documentation, "On-demand capacity reservation", limitations and restrictions.
    """
    for index, queue in enumerate(cluster.queues):
        for path, machine in queue_machines(index, queue) if purchase_kind(queue) == "reservation" else ():
            able = is_reservable(machine)
            if able:
                continue
            like = [m for m in in_region(cluster) if is_reservable(m) and m.arch == machine.arch]
            others = nearest(machine, like) if able is False else []
            yield Problem(
                path=path,
                value=machine.name,
                reason=f"capacity of {machine.name} can't be reserved"
                if able is False
                else f"no source says that capacity of {machine.name} can be reserved",
                remedy="use purchase: on_demand" + (f", or machine: {any_of(others)}" if others else ""),
                level=Level.WARNING if able is None else None,
            )


@rule("HPC-RGP-002", Level.ERROR)
def reserved_and_grouped(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Reserved machines are not in a single placement group, proximity placement group or availability set.

    So they can't share InfiniBand. Source: Azure documentation, "On-demand capacity reservation", limitations and
    restrictions.
    """
    for path, queue, machine, because in _refused(cluster, "reservation"):
        if is_reservable(machine) is False:
            continue
        what, key, remedy = {
            "fabric": ("InfiniBand needs a single placement group", "machine", "fabric: false"),
            "proximity_group": ("placement: cluster is a proximity placement group", "placement", "placement: none"),
            "availability_set": ("they are in an availability set", "availability_set", "availability_set: false"),
        }[because]
        yield Problem(
            path=path if key == "machine" else (*path[:2], key),
            value=machine.name if key == "machine" else getattr(queue, key),
            reason=f"{what}, and Azure launches no reserved machine into one",
            remedy=f"use {remedy}, or purchase: on_demand",
        )


@rule("HPC-CAP-017", Level.ERROR)
def spot_in_availability_set(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Spot machines are not in an availability set.

    Source: Azure's error AzureSpotVMNotSupportedInAvailabilitySet; Azure documentation, "Use Azure Spot Virtual
    Machines", limitations.
    """
    for path, queue, _, because in _refused(cluster, "spot"):
        if because == "availability_set" and path[2] == "machine":
            yield Problem(
                path=(*path[:2], "purchase"),
                value="spot",
                reason=f"queue {queue.name} is an availability set, into which Azure launches no spot machine",
                remedy="use availability_set: false, or purchase: on_demand",
            )


def _spot_prices(cluster: AzureClusterSpec) -> Iterator[tuple[Path, float]]:
    for index, queue in enumerate(cluster.queues):
        if queue.max_spot_price is not None and queue.max_spot_price > 0:
            yield ("queues", index, "max_spot_price"), queue.max_spot_price


@value_rule("HPC-CAP-018", Level.ERROR, _spot_prices)
def price_in_steps(_: AzureClusterSpec, path: Path, price: float) -> Wrong | None:
    """`max_spot_price` has at most five decimals.

    Source: Azure documentation, "Use Azure Spot Virtual Machines", pricing: up to five decimal places.
    """
    return wrong_spot_price(price)


@value_rule("HPC-CAP-019", Level.INFO, spot_fabrics)
def spot_in_one_fabric(_: AzureClusterSpec, path: Path, value: str, queue: AzureQueue) -> Wrong:
    """Jobs on spot machines with InfiniBand write checkpoints.

    A job on many nodes ends when one of them is reclaimed, and the more nodes it has, the sooner. Azure's notice is
    30 seconds. Source: Azure documentation, "Azure Spot Virtual Machines", eviction policy.
    """
    return jobs_start_again(queue, "30 seconds'")


def _refused(cluster: AzureClusterSpec, kind: PurchaseKind) -> Iterator[tuple[Path, AzureQueue, Machine, str]]:
    """Yield (path, queue, machine, field) for machines that Azure does not sell in this way because of the field."""
    for index, queue in enumerate(cluster.queues):
        for path, machine in queue_machines(index, queue) if purchase_kind(queue) == kind else ():
            fabric = fabric_on(queue) and machine.has_fabric
            order = CapacityOrder(
                machine=machine,
                purchase=kind,
                fabric=fabric,
                availability_set=queue.availability_set,
                proximity_group=placement(queue) == "cluster" and not fabric,
            )
            for refusal in capacity_refusals(order):
                if refusal.field == "purchase" and refusal.because_of not in (None, "machine"):
                    yield path, queue, machine, refusal.because_of
