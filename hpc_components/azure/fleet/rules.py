from collections.abc import Iterator
from itertools import chain

from hpc_components.azure.fleet.model import AzureQueue, capacity_orders, group_orders
from hpc_components.azure.fleet.offer import (
    LIMITS,
    CapacityOrder,
    GroupOrder,
    most_in_group,
    refusals,
    wrong_spot_price,
)
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.queue_defaults import fabric_on
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._purchases import jobs_start_again, spot_fabrics
from hpc_components.spec.rules._values import Wrong, value_rule
from hpc_components.spec.surfaces import Surface, offer_rules


def _orders(cluster: AzureClusterSpec) -> Iterator[tuple[CapacityOrder | GroupOrder, Surface]]:
    return chain(capacity_orders(cluster), group_orders(cluster))


offer_rules(__name__, AzureClusterSpec, LIMITS, refusals, _orders)


@rule("HPC-VSS-003", Level.WARNING)
def one_fabric(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """All machines in a queue with InfiniBand should be of the same type.

    Each machine type has its own scale set or availability set, and InfiniBand does not connect machines in different
    sets. Nodes launched for the same job are in the same set. However, Slurm may also start a job on idle nodes from
    several sets, in which case MPI fails. Source: Azure documentation, "HPC VM sizes: cluster configuration options".
    """
    for index, queue in enumerate(cluster.queues):
        other = next((name for name in queue.fallback if name != queue.machine), None)
        if fabric_on(queue) and other is not None:
            kind = "availability set" if queue.availability_set else "scale set"
            yield Problem(
                path=("queues", index, "fallback"),
                value=", ".join(queue.fallback),
                reason=f"{queue.machine} and {other} are in separate {kind}s with no InfiniBand "
                "between them, so jobs that span both machine types fail",
                remedy="give each type its own queue, or set fabric to false if jobs don't need InfiniBand",
            )


@rule("HPC-VSS-005", Level.INFO)
def never_reached(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A `scale_set_limit` above 100 must be approved by Azure support for the subscription and region.

    Until then, Azure refuses the 101st machine. Source: Azure documentation, "Working with large Virtual Machine
    Scale Sets".
    """
    granted = most_in_group(fabric=True)
    for index, queue in enumerate(cluster.queues):
        if fabric_on(queue) and queue.max > granted and queue.max <= queue.scale_set_limit:
            yield Problem(
                path=("queues", index, "scale_set_limit"),
                value=queue.scale_set_limit,
                reason=f"a scale set with InfiniBand is limited to {granted} machines until Azure support raises the "
                f"limit in {cluster.region}",
                remedy=f"ask Azure support for a limit of {queue.max} {queue.machine} machines before a job needs "
                "them",
            )


def _spot_prices(cluster: AzureClusterSpec) -> Iterator[tuple[Path, float]]:
    for index, queue in enumerate(cluster.queues):
        if queue.max_spot_price is not None and queue.max_spot_price > 0:
            yield ("queues", index, "max_spot_price"), queue.max_spot_price


@value_rule("HPC-CAP-018", Level.ERROR, _spot_prices)
def price_in_steps(_: AzureClusterSpec, path: Path, price: float) -> Wrong | None:
    """`max_spot_price` must have at most five decimal places.

    Source: Azure documentation, "Use Azure Spot Virtual Machines", pricing: up to five decimal places.
    """
    return wrong_spot_price(price)


@value_rule("HPC-CAP-019", Level.INFO, spot_fabrics)
def spot_in_one_fabric(_: AzureClusterSpec, path: Path, value: str, queue: AzureQueue) -> Wrong:
    """Jobs on spot machines with InfiniBand should write checkpoints.

    A multi-node job ends when Azure reclaims any of its nodes, so jobs with more nodes are interrupted more often.
    Azure gives 30 seconds' notice. Source: Azure documentation, "Azure Spot Virtual Machines", eviction policy.
    """
    return jobs_start_again(queue, "30 seconds'")
