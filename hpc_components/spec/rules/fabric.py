from collections.abc import Iterator

from hpc_components.catalog import machines
from hpc_components.catalog.clouds import catalog_of
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queue_defaults import fabric_of, placement
from hpc_components.spec.queues import Reserved
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts, in_region, nearest, words_of
from hpc_components.wording import any_of


@rule("HPC-EFA-001", Level.ERROR)
def fabric_there(cluster: ClusterSpec) -> Iterator[Problem]:
    """Queues with `fabric: true` must have machines with a fast fabric.

    On AWS, usually only a family's largest sizes have a fast fabric. Source: the cloud's own list, as recorded in the
    catalogue; on AWS, EC2 DescribeInstanceTypes, EfaInfo.
    """
    for index, queue in enumerate(cluster.queues):
        machine = facts(cluster, queue.machine)
        if queue.fabric and machine and not machine.has_fabric:
            driven = catalog_of(cluster.cloud).has_fabric_driver
            able = [
                m
                for m in in_region(cluster)
                if m.has_fabric
                and m.arch == machine.arch
                and not m.bare_metal
                and driven(cluster.os, m, cluster.base_of(queue.image))
            ]
            near = nearest(machine, [m for m in able if m.family == machine.family] or able)
            yield Problem(
                path=("queues", index, "fabric"),
                value=True,
                reason=f"{machine.name} has no {words_of(cluster).fabric}",
                remedy=f"use machine: {any_of(near)}" if near else "remove fabric: true, or use another machine type",
                level=Level.WARNING if "fabric" in machine.unsure else None,
            )


@rule("HPC-EFA-002", Level.WARNING)
def fabric_unused(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue whose machines have a fast fabric should use it.

    The fabric costs nothing, and MPI over TCP is several times slower. The rule skips queues with `placement: none`,
    which is meant for single-node jobs, and queues whose nodes would lack the fabric's driver. Source:
    ParallelCluster 3.16, EfaValidator.
    """
    for index, queue in enumerate(cluster.queues):
        machine = facts(cluster, queue.machine)
        if queue.fabric is not False or queue.placement == "none" or machine is None or machine.fabric is None:
            continue
        if isinstance(queue.purchase, Reserved) and not queue.purchase.has_fabric:
            continue
        if catalog_of(cluster.cloud).has_fabric_driver(cluster.os, machine, cluster.base_of(queue.image)):
            yield Problem(
                path=("queues", index, "fabric"),
                value=False,
                reason=f"{machine.name} has {machine.fabric.gbps:g} Gbit/s of {machine.fabric.name} at no extra "
                "cost, but the queue disables it",
                remedy="remove fabric: false, or add placement: none if the queue is for single-node jobs",
            )


@rule("HPC-EFA-003", Level.ERROR)
def fabric_in_one_zone(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue with a fast fabric must be in a single zone.

    Fabric traffic can't leave the zone (on AWS, EFA traffic can't even leave the subnet). Source: on AWS, EC2 user
    guide, "EFA limitations".
    """
    for index, queue in enumerate(cluster.queues):
        if (fabric := fabric_of(queue)) and len(set(queue.zones)) > 1:
            yield Problem(
                path=("queues", index, "zones"),
                value=", ".join(queue.zones),
                reason=f"nodes in {', '.join(queue.zones)} can't reach each other over {fabric.name}",
                remedy=f"use zones: [{queue.zones[0]}] and create a separate queue for each other zone, or set "
                "fabric: false",
            )


@rule("HPC-EFA-006", Level.INFO)
def placed_without_fabric(cluster: ClusterSpec) -> Iterator[Problem]:
    """Queues with `placement: cluster` should have a fast fabric.

    Without a fabric, nodes are close to each other but still communicate over TCP. Source: on AWS, EC2 user guide,
    EFA.
    """
    for index, queue in enumerate(cluster.queues):
        machine = facts(cluster, queue.machine)
        if placement(queue) == "cluster" and machine and machine.fabric is None:
            larger = [m for m in machines(cluster.cloud) if m.family == machine.family and m.fabric]
            names = [m.name for m in larger if not m.bare_metal]
            if names:
                fabric = words_of(cluster).fabric
                yield Problem(
                    path=("queues", index, "machine"),
                    value=machine.name,
                    reason=f"nodes of type {machine.name} are placed close together for tightly coupled jobs, but "
                    f"have no {fabric}",
                    remedy=f"use fewer but larger nodes with {fabric}: {any_of(names)}",
                )
