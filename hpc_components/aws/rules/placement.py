"""Rules on placement groups."""

from collections.abc import Iterator

from hpc_components.aws.catalog.quotas import service_quota
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queue_defaults import fabric_on, placement, purchase_kind, reservation_id
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import in_region, nearest, queue_machines
from hpc_components.wording import any_of

__all__: list[str] = []


@rule("HPC-PLC-001", Level.ERROR)
def can_be_placed(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A queue in a cluster placement group has machines that can be in one.

    `placement: cluster` is the default with EFA. Burstable, flex and old types can't. Source: EC2
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
                    reason=f"{machine.name} can't be in a cluster placement group",
                    remedy=f"use {any_of(able)}, or placement: none" if able else "use placement: none",
                )


@rule("HPC-PLC-002", Level.ERROR)
def cluster_in_one_zone(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A cluster placement group is in one zone.

    Source: EC2 user guide, "Cluster placement groups".
    """
    for index, queue in enumerate(cluster.queues):
        # where it is the default, the queue has EFA, which HPC-EFA-003 keeps in one zone
        if queue.placement == "cluster" and len(set(queue.zones)) > 1:
            yield Problem(
                path=("queues", index, "placement"),
                value="cluster",
                reason=f"a cluster placement group can't span {', '.join(queue.zones)}",
                remedy=f"use zones: [{queue.zones[0]}], or placement: none",
            )


@rule("HPC-PLC-003", Level.ERROR)
def spread_limit(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A spread placement group has at most seven nodes in each zone.

    Source: EC2 user guide, "Placement group rules and limitations".
    """
    per_zone = service_quota("spread_instances").default or 0
    for index, queue in enumerate(cluster.queues):
        zones = len(set(cluster.queue_zones(queue)))
        if placement(queue) == "spread" and queue.max > per_zone * zones:
            yield Problem(
                path=("queues", index, "max"),
                value=queue.max,
                reason=f"a spread placement group has at most {per_zone} nodes per zone, "
                f"{per_zone * zones} in {zones} here, and max is {queue.max}",
                remedy=f"lower max to {per_zone * zones}, or use placement: partition",
            )


@rule("HPC-PLC-004", Level.INFO)
def partition_of_few(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Partitions are for more nodes than there are partitions.

    With up to seven nodes, `spread` gives each a rack of its own, which is what partitions then come to.
    Source: EC2 user guide, "Placement strategies".
    """
    partitions = service_quota("partitions").default or 0
    for index, queue in enumerate(cluster.queues):
        if placement(queue) == "partition" and queue.max <= partitions:
            yield Problem(
                path=("queues", index, "placement"),
                value="partition",
                reason=f"{queue.max} nodes fit in {partitions} partitions with one each",
                remedy="use placement: spread, which promises that",
            )


@rule("HPC-PLC-005", Level.ERROR)
def block_is_placed(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A queue on a capacity block has no placement group of its own.

    The machines of a block are close together already; asked for in a group, they are not found. Source: EC2 user
    guide, "Work with Capacity Blocks"; ParallelCluster 3.16, PlacementGroupCapacityBlockValidator.
    """
    for index, queue in enumerate(cluster.queues):
        if purchase_kind(queue) == "capacity_block" and placement(queue) != "none":
            yield Problem(
                path=("queues", index, "placement"),
                value=queue.placement,
                reason="the machines of a capacity block are placed already, a group of ours does not get them",
                remedy="use placement: none, the default here",
            )


@rule("HPC-PLC-006", Level.WARNING)
def fabric_is_close(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A queue with EFA has a cluster placement group.

    Without it nodes are anywhere in the zone, and latency with them. Where reserved machines are was settled when
    they were reserved. Source: ParallelCluster 3.16, EfaPlacementGroupValidator.
    """
    for index, queue in enumerate(cluster.queues):
        if fabric_on(queue) and placement(queue) != "cluster" and reservation_id(queue) is None:
            yield Problem(
                path=("queues", index, "placement"),
                value=queue.placement,
                reason=f"the nodes of queue {queue.name} use EFA and are not placed close together",
                remedy="use placement: cluster; for jobs of single nodes add fabric: false",
            )


@rule("HPC-PLC-007", Level.WARNING)
def one_type_per_group(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A cluster placement group has one machine type.

    Different types are seldom free in the same racks, so EC2 answers InsufficientInstanceCapacity. And all nodes that
    are launched for a job come from one type and zone, but a job that finds idle nodes of an earlier one is started
    by Slurm on whichever are free, of both types. Source: EC2 user guide, "Cluster placement groups"; slurmctld
    chooses among idle nodes without asking.
    """
    for index, queue in enumerate(cluster.queues):
        if placement(queue) == "cluster" and len(set(queue.machines)) > 1:
            types = ", ".join(queue.machines)
            yield Problem(
                path=("queues", index, "fallback"),
                value=", ".join(queue.fallback),
                reason=f"{types} are to be in one cluster placement group; a job on idle nodes may get some of each",
                remedy="give each type a queue of its own, or use placement: none",
            )


@rule("HPC-PLC-008", Level.WARNING)
def reserved_elsewhere(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A capacity reservation is used with the placement group in which it was made.

    A reservation made without a group, or in another one, does not serve nodes in the queue's own group: EC2 then
    answers InsufficientInstanceCapacity. In spread and partition groups nothing can be reserved at all. Source: EC2
    user guide, "Use Capacity Reservations with placement groups"; ParallelCluster 3.16,
    PlacementGroupCapacityReservationValidator.
    """
    for index, queue in enumerate(cluster.queues):
        if purchase_kind(queue) == "reservation" and placement(queue) != "none":
            yield Problem(
                path=("queues", index, "placement"),
                value=queue.placement,
                reason=f"nodes are in the queue's placement group, which {reservation_id(queue)} was not made in",
                remedy="use placement: none, the default here; what is reserved together is mostly close together",
            )
