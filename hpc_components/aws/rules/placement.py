"""Rules on placement groups."""

from collections.abc import Iterator

from hpc_components.aws.catalog.quotas import service_quota
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queue_defaults import placement, purchase_kind, reservation_id
from hpc_components.spec.rule import rule


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
