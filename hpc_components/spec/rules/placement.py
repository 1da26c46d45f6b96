from collections.abc import Iterator

from hpc_components.catalog.clouds import catalog_of
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queue_defaults import fabric_of, placement, purchase_kind, reservation_id
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts, in_region, nearest, queue_machines, words_of
from hpc_components.wording import any_of


@rule("HPC-PLC-001", Level.ERROR)
def can_be_placed(cluster: ClusterSpec) -> Iterator[Problem]:
    """Queues with `placement: cluster` must have machines that can be placed close together.

    `placement: cluster` is the default for queues with a fast fabric. On AWS, burstable, flex and old types can't be
    placed close together. Source: the cloud's own list, as recorded in the catalogue; on AWS, EC2
    DescribeInstanceTypes, PlacementGroupInfo.
    """
    for index, queue in enumerate(cluster.queues):
        for path, machine in queue_machines(index, queue) if placement(queue) == "cluster" else ():
            if not machine.cluster_placement:
                able = nearest(
                    machine, [m for m in in_region(cluster) if m.cluster_placement and m.arch == machine.arch]
                )
                yield Problem(
                    path=path,
                    value=machine.name,
                    reason=f"{machine.name} can't be launched with a {words_of(cluster).placement}",
                    remedy=f"use {any_of(able)}, or placement: none" if able else "use placement: none",
                )


@rule("HPC-PLC-002", Level.ERROR)
def cluster_in_one_zone(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue with `placement: cluster` must be in a single zone.

    Machines in different zones are never close together. Source: on AWS, EC2 user guide, "Cluster placement groups".
    """
    for index, queue in enumerate(cluster.queues):
        # this placement is the default only for queues with a fabric, which HPC-EFA-003 already limits to a single
        # zone
        if queue.placement == "cluster" and len(set(queue.zones)) > 1:
            yield Problem(
                path=("queues", index, "placement"),
                value="cluster",
                reason=f"a {words_of(cluster).placement} can't span several zones: {', '.join(queue.zones)}",
                remedy=f"use zones: [{queue.zones[0]}], or placement: none",
            )


@rule("HPC-PLC-006", Level.WARNING)
def fabric_is_close(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue with a fast fabric should have `placement: cluster`.

    Otherwise, nodes may be anywhere in the zone, and latency varies. This rule skips reserved machines, which were
    placed when they were reserved, and purchase options that don't allow placement. Source: ParallelCluster 3.16,
    EfaPlacementGroupValidator.
    """
    for index, queue in enumerate(cluster.queues):
        fabric, main = fabric_of(queue), facts(cluster, queue.machine)
        if fabric is None or main is None or placement(queue) == "cluster" or reservation_id(queue) is not None:
            continue
        if catalog_of(cluster.cloud).can_be_placed_as_bought(main, purchase_kind(queue)):
            yield Problem(
                path=("queues", index, "placement"),
                value=queue.placement,
                reason=f"the nodes of queue {queue.name} use {fabric.name} but are not placed close together",
                remedy="use placement: cluster, or add fabric: false if the queue is for single-node jobs",
            )


@rule("HPC-PLC-007", Level.WARNING)
def one_type_per_group(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue with `placement: cluster` should have only one machine type.

    Different types are seldom available in the same racks, so launches fail for lack of capacity. All nodes launched
    for one job have the same type, but Slurm may instead start the job on idle nodes that earlier jobs left running,
    and these can be of different types. Source: on AWS, EC2 user guide, "Cluster placement groups"; slurmctld selects
    idle nodes itself.
    """
    for index, queue in enumerate(cluster.queues):
        if placement(queue) == "cluster" and len(set(queue.machines)) > 1:
            types = ", ".join(queue.machines)
            yield Problem(
                path=("queues", index, "fallback"),
                value=", ".join(queue.fallback),
                reason=f"{types} would share one {words_of(cluster).placement}, and a job may start on idle nodes of "
                "different types",
                remedy="create a separate queue for each type, or use placement: none",
            )
