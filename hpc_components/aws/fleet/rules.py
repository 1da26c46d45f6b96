from collections.abc import Iterator

from hpc_components.aws.catalog.quotas import service_quota
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog import is_previous_generation
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queue_defaults import placement, purchase_kind, reservation_id
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import in_region, uses
from hpc_components.wording import any_of


@rule("HPC-MCH-009", Level.WARNING)
def current_generation(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Machine types should be of the current generation.

    Previous generations cost more for less performance, and AWS no longer adds capacity for them. Source: EC2
    DescribeInstanceTypes, CurrentGeneration.
    """
    for use in uses(cluster):
        if is_previous_generation("aws", use.name):
            newer = [m.name for m in in_region(cluster) if m.name[0] == use.name[0] and _same_size(m.name, use.name)]
            yield Problem(
                path=use.path,
                value=use.name,
                reason=f"EC2 lists {use.name} as a previous generation",
                remedy=f"use {any_of(newer)}" if newer else "use a newer machine type of the same kind",
            )


def _same_size(one: str, other: str) -> bool:
    return one.partition(".")[2] == other.partition(".")[2] and not is_previous_generation("aws", one)


@rule("HPC-PLC-003", Level.ERROR)
def spread_limit(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A queue with a spread placement group may have at most seven nodes per zone.

    Source: EC2 user guide, "Placement group rules and limitations".
    """
    per_zone = service_quota("spread_instances").default or 0
    for index, queue in enumerate(cluster.queues):
        zones = len(set(cluster.queue_zones(queue)))
        if placement(queue) == "spread" and queue.max > per_zone * zones:
            yield Problem(
                path=("queues", index, "max"),
                value=queue.max,
                reason=f"max is {queue.max}, but a spread placement group can have at most {per_zone} nodes per "
                f"zone, so {per_zone * zones} in total (number of zones: {zones})",
                remedy=f"lower max to {per_zone * zones}, or use placement: partition",
            )


@rule("HPC-PLC-004", Level.INFO)
def partition_of_few(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A queue with a partition placement group should have more nodes than the group has partitions.

    For up to seven nodes, use `spread`, which guarantees that each node has its own rack. Source: EC2 user guide,
    "Placement strategies".
    """
    partitions = service_quota("partitions").default or 0
    for index, queue in enumerate(cluster.queues):
        if placement(queue) == "partition" and queue.max <= partitions:
            yield Problem(
                path=("queues", index, "placement"),
                value="partition",
                reason=f"with {queue.max} nodes and {partitions} partitions, each node has its own partition",
                remedy="use placement: spread, which guarantees a separate rack for each node",
            )


@rule("HPC-PLC-005", Level.ERROR)
def block_is_placed(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A queue on a capacity block must not have a placement group.

    EC2 has already placed the block's machines close together, and can't launch them into another group. Source: EC2
    user guide, "Work with Capacity Blocks"; ParallelCluster 3.16, PlacementGroupCapacityBlockValidator.
    """
    for index, queue in enumerate(cluster.queues):
        if purchase_kind(queue) == "capacity_block" and placement(queue) != "none":
            yield Problem(
                path=("queues", index, "placement"),
                value=queue.placement,
                reason="EC2 has already placed the machines of a capacity block, and can't launch them into another "
                "group",
                remedy="use placement: none, which is the default for capacity blocks",
            )


@rule("HPC-PLC-008", Level.WARNING)
def reserved_elsewhere(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A capacity reservation should be used in the placement group for which it was created.

    A reservation that was created for another group, or for none, does not match nodes in the queue's own group, so
    EC2 reports InsufficientInstanceCapacity. Spread and partition groups don't support reservations. Source: EC2 user
    guide, "Use Capacity Reservations with placement groups"; ParallelCluster 3.16,
    PlacementGroupCapacityReservationValidator.
    """
    for index, queue in enumerate(cluster.queues):
        if purchase_kind(queue) == "reservation" and placement(queue) != "none":
            yield Problem(
                path=("queues", index, "placement"),
                value=queue.placement,
                reason=f"nodes are in the queue's placement group, but {reservation_id(queue)} was not created for "
                "that group",
                remedy="use placement: none, which is the default for reservations; reserved machines are usually "
                "close together anyway",
            )
