"""Rules on scale sets and availability sets: their maximum sizes and the machines in them."""

from collections.abc import Iterator

from hpc_components.azure.catalog.capacity import GroupOrder, group_refusals, most_in_group
from hpc_components.azure.fleet import purchase_rules  # noqa: F401 - registers its rules
from hpc_components.azure.fleet.model import AzureQueue
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.queue_defaults import fabric_of, fabric_on
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import queue_machines
from hpc_components.wording import plural


@rule("HPC-VSS-001", Level.ERROR)
def nodes_of_a_scale_set(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A queue has no more nodes than one scale set holds: 100 with InfiniBand (300 on request), otherwise 1000.

    Each machine type in each zone has a separate scale set, and all nodes of a queue may be in the same one. Machines
    share InfiniBand only within a scale set with a single placement group. Source: Azure documentation, "Working with
    large Virtual Machine Scale Sets", "HPC VM sizes: cluster configuration options" and "Orchestration modes for
    Virtual Machine Scale Sets".
    """
    for path, queue, refusal in _refused(cluster, "nodes"):
        most, fabric = int(refusal.allowed[0]), fabric_of(queue)
        ways = [f"max: {most}" + f" and {_more(queue.max, most)}"]
        if refusal.because_of == "limit":
            ways.insert(0, f"scale_set_limit: {queue.max} once Azure's support has raised it")
        kind = "an availability set" if queue.availability_set else "a scale set"
        yield Problem(
            path=(*path, "max"),
            value=queue.max,
            reason=f"{kind}{f' with {fabric.name}' if fabric else ''} holds {most} machines, and max is {queue.max}",
            remedy=f"use {', or '.join(ways)}",
        )


@rule("HPC-VSS-002", Level.ERROR)
def limit_of_a_scale_set(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """`scale_set_limit` is 1 to 300, and only for scale sets with InfiniBand.

    A single placement group holds 100 machines, or up to 300 after a support request. Other scale sets always hold
    1000. Source: Azure documentation, "HPC VM sizes: cluster configuration options".
    """
    for path, queue, refusal in _refused(cluster, "limit"):
        if refusal.why is Why.NOT_TAKEN:
            what = "an availability set" if queue.availability_set else "without InfiniBand a scale set"
            held = most_in_group(fabric=fabric_on(queue), availability_set=queue.availability_set)
            reason, remedy = f"{what} holds {held} machines, a limit that can't be raised", "remove it"
        else:
            least, most = refusal.allowed
            reason = f"a scale set with InfiniBand holds {least} machines, and {most} after a support request"
            remedy = f"use {least if queue.scale_set_limit < 1 else most}"
        yield Problem(
            path=(*path, "scale_set_limit"),
            value=queue.scale_set_limit,
            reason=reason,
            remedy=remedy,
            level=Level.WARNING if refusal.why is Why.NOT_TAKEN else None,
        )


@rule("HPC-VSS-003", Level.WARNING)
def one_fabric(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The machines of a queue with InfiniBand have the same type.

    Each type has a separate scale set or availability set, and InfiniBand does not connect these. Nodes that are
    launched for a job are in the same set, but Slurm may start a job on idle nodes of several sets, where its MPI
    fails. Source: Azure documentation, "HPC VM sizes: cluster configuration options".
    """
    for index, queue in enumerate(cluster.queues):
        other = next((name for name in queue.fallback if name != queue.machine), None)
        if fabric_on(queue) and other is not None:
            kind = "availability set" if queue.availability_set else "scale set"
            yield Problem(
                path=("queues", index, "fallback"),
                value=", ".join(queue.fallback),
                reason=f"{queue.machine} and {other} are in separate {kind}s, and InfiniBand does not connect them: "
                "a job on idle nodes of both fails",
                remedy="give each type its own queue, or use fabric: false if jobs don't need InfiniBand",
            )


@rule("HPC-VSS-004", Level.ERROR)
def availability_set_in_no_zone(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The machines of an availability set have no zone.

    A virtual machine is in a zone or in an availability set, never in both. Source: Azure documentation,
    "Availability options for Azure Virtual Machines".
    """
    for path, queue, refusal in _refused(cluster, "zones"):
        if refusal.because_of == "availability_set":
            zone = next(each for each in cluster.queue_zones(queue) if each != cluster.region)
            listed = zone in queue.zones
            yield Problem(
                path=(*path, "zones", queue.zones.index(zone)) if listed else (*path, "availability_set"),
                value=zone if listed else True,
                reason=f"queue {queue.name} is an availability set, which can't be in the zone {zone}",
                remedy=f"use zones: [{cluster.region}] for the queue, or availability_set: false",
            )


@rule("HPC-VSS-005", Level.INFO)
def never_reached(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Azure's support has granted a `scale_set_limit` above 100, for this subscription and region.

    Otherwise Azure refuses the 101st machine. Source: Azure documentation, "Working with large Virtual Machine Scale
    Sets".
    """
    granted = most_in_group(fabric=True)
    for index, queue in enumerate(cluster.queues):
        if fabric_on(queue) and queue.max > granted and queue.max <= queue.scale_set_limit:
            yield Problem(
                path=("queues", index, "scale_set_limit"),
                value=queue.scale_set_limit,
                reason=f"a scale set with InfiniBand holds {granted} machines until Azure's support raises the limit"
                f" in {cluster.region}",
                remedy=f"request {queue.max} of {queue.machine} before the first job needs them",
            )


def _refused(cluster: AzureClusterSpec, field: str) -> Iterator[tuple[Path, AzureQueue, Refusal]]:
    """Yield the refusals of a field for the scale sets of full queues."""
    for index, queue in enumerate(cluster.queues):
        machines, fabric = list(queue_machines(index, queue)), fabric_on(queue)
        limited = queue.given("scale_set_limit") or (fabric and not queue.availability_set)
        order = GroupOrder(
            nodes=queue.max,
            fabric=fabric,
            limit=queue.scale_set_limit if limited else None,
            availability_set=queue.availability_set,
            zones=sum(zone != cluster.region for zone in cluster.queue_zones(queue)),
        )
        for refusal in group_refusals(order) if machines else ():
            if refusal.field == field:
                yield ("queues", index), queue, refusal


def _more(nodes: int, most: int) -> str:
    """Return how many additional queues are needed for this many nodes."""
    return f"{plural(-(-nodes // most) - 1, 'queue')} more like it"
