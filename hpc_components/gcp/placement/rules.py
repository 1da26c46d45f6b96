from collections.abc import Iterator

from hpc_components.catalog import Machine
from hpc_components.catalog.refusal import Refusal
from hpc_components.gcp.catalog.limits import service_limit
from hpc_components.gcp.fleet.model import GcpQueue
from hpc_components.gcp.placement.policy_limits import (
    PlacementOrder,
    most_in_policy,
    placement_doubts,
    placement_refusals,
)
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.queue_defaults import placement, purchase_kind
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import queue_machines
from hpc_components.wording import any_of, plural


@rule("HPC-CPP-001", Level.ERROR)
def distance_of_nothing(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Use `max_distance` only for queues with `placement: cluster`.

    Without a compact placement policy, `max_distance` has no effect. Source: Compute Engine API reference,
    resourcePolicies, groupPlacementPolicy.
    """
    for index, queue in enumerate(cluster.queues):
        if queue.max_distance is not None and placement(queue) != "cluster":
            given = queue.placement is not None
            yield Problem(
                path=("queues", index, "max_distance"),
                value=queue.max_distance,
                reason=f"queue {queue.name} has placement: {placement(queue)}{'' if given else ', its default'}, so"
                " max_distance has no effect",
                remedy="use placement: cluster, or remove max_distance",
            )


@rule("HPC-CPP-002", Level.ERROR)
def distance_of_family(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """`max_distance` must be a distance that the machine family supports; for example, A3 doesn't support 1.

    Source: Compute Engine documentation, "Placement policies overview", compact placement policies; slurm-gcp.
    """
    for path, queue, machine, refusal in _refused(cluster, "max_distance", "machine"):
        if path[2] == "machine":
            yield Problem(
                path=(*path[:2], "max_distance"),
                value=queue.max_distance,
                reason=f"{machine.name} machines don't support compact placement at distance {queue.max_distance}",
                remedy=f"use {any_of(map(str, refusal.allowed))}, or remove max_distance",
                level=Level.WARNING if "most" in placement_doubts(machine) else None,
            )


@rule("HPC-CPP-003", Level.WARNING)
def queue_in_one_policy(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A queue with compact placement should fit in one policy.

    A policy can contain 22 machines at distance 1, 150 at distance 2 (256 for A3), and 1,500 otherwise. A larger
    queue is split across several policies, and nodes in different policies may be far apart. Source: slurm-gcp,
    limits of placement groups; Compute Engine documentation, "Placement policies overview".
    """
    for index, queue in enumerate(cluster.queues):
        if placement(queue) != "cluster":
            continue
        most = _most(index, queue, queue.max_distance)
        if queue.max > most:
            distance = f" at distance {queue.max_distance}" if queue.max_distance else ""
            wider = next((far for far in (2, 3) if _most(index, queue, far) > most), None) if distance else None
            yield Problem(
                path=("queues", index, "max"),
                value=queue.max,
                reason=f"the queue spans {-(-queue.max // most)} compact placement policies of {most} "
                f"machines{distance}, and nodes in different policies may be far apart",
                remedy=f"use max: {most}, or limit jobs to {most} nodes (slurm: {{MaxNodes: {most}}})"
                + (f", or use max_distance: {wider}" if wider else ""),
            )


@rule("HPC-CPP-004", Level.ERROR)
def flexible_and_placed(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Use compact placement with flex-start only for A3 Ultra, A4 and H4D; other machines don't support it.

    Source: slurm-gcp, nodeset: placement with flex-start.
    """
    for path, queue, machine, _ in _refused(cluster, "placement", "purchase"):
        if path[2] == "machine":
            yield Problem(
                path=(*path[:2], "placement") if queue.placement else path,
                value=queue.placement or machine.name,
                reason=f"flex-start machines of type {machine.name} do not support compact placement",
                remedy="use placement: none, or purchase: on_demand",
            )


@rule("HPC-CPP-005", Level.ERROR)
def reserved_and_placed(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A queue that uses a reservation must not set its own placement.

    Reserved machines were placed when they were reserved, so a request with a different policy doesn't match them.
    Source: Compute Engine documentation, "Consume reserved zonal resources", matching properties, resource policies.
    """
    for index, queue in enumerate(cluster.queues):
        if purchase_kind(queue) == "reservation" and placement(queue) != "none":
            yield Problem(
                path=("queues", index, "placement"),
                value=queue.placement,
                reason="reserved machines were placed when they were reserved, so they don't match a request with "
                "the cluster's policy",
                remedy="use placement: none, which is the default for reservations",
            )


@rule("HPC-CPP-006", Level.INFO)
def spread_of_many(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A spread queue should have no more nodes than there are availability domains.

    A policy has 1 to 8 domains. With more nodes than domains, some nodes share a domain. Source: Compute Engine
    documentation, "Create and apply spread placement policies".
    """
    domains = service_limit("spread.domains")
    for index, queue in enumerate(cluster.queues):
        if placement(queue) == "spread" and queue.max > domains:
            shared = -(-queue.max // domains)
            yield Problem(
                path=("queues", index, "max"),
                value=queue.max,
                reason=f"a zone has {domains} availability domains, so a single failure may take down "
                f"{plural(shared, 'node')}",
                remedy=f"use max: {domains} if a single failure must not take down two nodes",
            )


@rule("HPC-CPP-007", Level.WARNING)
def spread_of_too_many(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A spread queue should fit in one spread placement policy.

    As far as we know, a policy can contain 256 machines. Source: Compute Engine documentation, "Placement policies
    overview", spread placement policies.
    """
    most = service_limit("spread.machines")
    for index, queue in enumerate(cluster.queues):
        if placement(queue) == "spread" and queue.max > most:
            yield Problem(
                path=("queues", index, "max"),
                value=queue.max,
                reason=f"as far as we know, a spread placement policy can contain at most {most} machines, but max "
                f"is {queue.max}",
                remedy=f"use max: {most}, or placement: none",
            )


def _refused(
    cluster: GcpClusterSpec, field: str, because_of: str
) -> Iterator[tuple[Path, GcpQueue, Machine, Refusal]]:
    """Yield (path, queue, machine type, refusal) for every case in which `field` is refused because of
    `because_of`.
    """
    for index, queue in enumerate(cluster.queues):
        for path, machine in queue_machines(index, queue):
            order = PlacementOrder(
                machine=machine,
                placement="cluster" if placement(queue) == "cluster" else "none",
                max_distance=queue.max_distance,
                purchase=queue.purchase if isinstance(queue.purchase, str) else "reservation",
            )
            for refusal in placement_refusals(order):
                if refusal.field == field and refusal.because_of == because_of:
                    yield path, queue, machine, refusal


def _most(index: int, queue: GcpQueue, distance: int | None) -> int:
    """Return how many of a queue's machines fit in one policy.

    Return the queue's maximum number of nodes if the limit is unknown or the distance isn't supported.
    """
    held: list[int] = []
    for _, machine in queue_machines(index, queue):
        try:
            held.append(most_in_policy(machine, distance) or queue.max)
        except ValueError:
            held.append(queue.max)
    return min(held, default=queue.max)
