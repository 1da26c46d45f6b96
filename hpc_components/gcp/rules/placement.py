"""Rules on compact and spread placement policies."""

from collections.abc import Iterator

from hpc_components.gcp.catalog.placement import FLEX_START_FAMILIES, SPREAD_DOMAINS, policy_machines, takes_distance
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.spec.queues import GcpQueue
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queue_defaults import placement, purchase_kind
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import queue_machines
from hpc_components.wording import any_of, plural

__all__: list[str] = []


@rule("HPC-CPP-001", Level.ERROR)
def distance_of_nothing(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """`max_distance` is for queues with `placement: cluster`.

    Without a compact placement policy nothing keeps to it. Source: Compute Engine API reference, resourcePolicies,
    groupPlacementPolicy.
    """
    for index, queue in enumerate(cluster.queues):
        if queue.max_distance is not None and placement(queue) != "cluster":
            given = queue.placement is not None
            yield Problem(
                path=("queues", index, "max_distance"),
                value=queue.max_distance,
                reason=f"queue {queue.name} has placement: {placement(queue)}"
                + ("" if given else ", its default")
                + ", so nothing keeps its machines within a distance",
                remedy="use placement: cluster, or remove max_distance",
            )


@rule("HPC-CPP-002", Level.ERROR)
def distance_of_family(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """`max_distance` is one that the machine's family takes: A3 takes no 1.

    Source: Compute Engine documentation, "Placement policies overview", compact placement policies; slurm-gcp.
    """
    for index, queue in enumerate(cluster.queues):
        if queue.max_distance is None or placement(queue) != "cluster":
            continue
        for path, machine in queue_machines(index, queue):
            if machine.cluster_placement and not takes_distance(machine, queue.max_distance):
                sold = [each for each in (1, 2, 3) if takes_distance(machine, each)]
                yield Problem(
                    path=("queues", index, "max_distance"),
                    value=queue.max_distance,
                    reason=f"machines like {machine.name} take no compact placement policy of distance"
                    f" {queue.max_distance}",
                    remedy=f"use {any_of(map(str, sold))}, or remove it",
                )
                break


@rule("HPC-CPP-003", Level.WARNING)
def queue_in_one_policy(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A queue with compact placement fits into one policy.

    A policy holds 22 machines at distance 1, 150 at 2 (A3: 256), else 1,500. A larger queue is cut into several, and
    nodes of two policies may be far apart; jobs within one are close. Source: slurm-gcp, limits of placement groups;
    Compute Engine documentation, "Placement policies overview".
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
                reason=f"the queue spans {-(-queue.max // most)} compact placement policies of {most} machines"
                f"{distance}: nodes of two are not close to each other",
                remedy=f"use max: {most}, or jobs of at most {most} nodes (slurm: {{MaxNodes: {most}}})"
                + (f", or max_distance: {wider}" if wider else ""),
            )


@rule("HPC-CPP-004", Level.ERROR)
def flexible_and_placed(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Machines of flex-start are placed close together only if they are A3 Ultra, A4 or H4D.

    Source: slurm-gcp, nodeset: placement with flex-start.
    """
    for index, queue in enumerate(cluster.queues):
        if purchase_kind(queue) != "flex_start" or placement(queue) != "cluster":
            continue
        for path, machine in queue_machines(index, queue):
            if machine.cluster_placement and not machine.name.startswith(FLEX_START_FAMILIES):
                yield Problem(
                    path=("queues", index, "placement") if queue.placement else path,
                    value=queue.placement or machine.name,
                    reason=f"Google places no {machine.name} of flex-start by a compact placement policy",
                    remedy="use placement: none, or purchase: on_demand",
                )
                break


@rule("HPC-CPP-005", Level.ERROR)
def reserved_and_placed(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A queue on a reservation has no placement of its own.

    Reserved machines were placed when they were reserved; one asked for with another policy is not found among them.
    Source: Compute Engine documentation, "Consume reserved zonal resources", matching properties, resource policies.
    """
    for index, queue in enumerate(cluster.queues):
        if purchase_kind(queue) == "reservation" and placement(queue) != "none":
            yield Problem(
                path=("queues", index, "placement"),
                value=queue.placement,
                reason="the machines of a reservation were placed when they were reserved, and a policy of the"
                " cluster's gets none of them",
                remedy="use placement: none, the default here",
            )


@rule("HPC-CPP-006", Level.INFO)
def spread_of_many(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A spread queue has no more nodes than there are availability domains.

    A policy has 1 to 8 of them; more nodes share them. Source: Compute Engine documentation, "Create and apply spread
    placement policies".
    """
    for index, queue in enumerate(cluster.queues):
        if placement(queue) == "spread" and queue.max > SPREAD_DOMAINS:
            shared = -(-queue.max // SPREAD_DOMAINS)
            yield Problem(
                path=("queues", index, "max"),
                value=queue.max,
                reason=f"there are {SPREAD_DOMAINS} availability domains in a zone, so one failure may take"
                f" {plural(shared, 'node')}",
                remedy=f"use max: {SPREAD_DOMAINS} if each node must fail alone",
            )


def _most(index: int, queue: GcpQueue, distance: int | None) -> int:
    """Most machines of a queue in one policy; all where the catalogue has no facts of them."""
    held = [policy_machines(machine, distance) for _, machine in queue_machines(index, queue)]
    return min(held, default=queue.max)
