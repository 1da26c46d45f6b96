"""Rules on how machines are bought: on demand, spot, reservations, capacity blocks; and how many."""

import re
from collections.abc import Iterator

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.queues import AwsQueue
from hpc_components.catalog import price
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.queue_defaults import purchase_kind, reservation_id
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts, in_region
from hpc_components.wording import any_of

__all__: list[str] = []


def _reserved(cluster: AwsClusterSpec) -> Iterator[tuple[Path, AwsQueue, str]]:
    for index, queue in enumerate(cluster.queues):
        if id := reservation_id(queue):
            yield ("queues", index, "purchase", purchase_kind(queue)), queue, id


@rule("HPC-CAP-002", Level.ERROR)
def sold_as_block(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A queue on a capacity block has a machine that is sold in capacity blocks.

    Source: EC2 DescribeInstanceTypes, SupportedUsageClasses.
    """
    for index, queue in enumerate(cluster.queues):
        machine = facts(cluster, queue.machine)
        if purchase_kind(queue) == "capacity_block" and machine and "capacity_block" not in machine.usage:
            able = [m.name for m in in_region(cluster) if "capacity_block" in m.usage]
            yield Problem(
                path=("queues", index, "machine"),
                value=machine.name,
                reason=f"there are no capacity blocks of {machine.name}",
                remedy=f"use {any_of(able, most=8)}, or purchase: {{reservation: cr-...}}",
                level=Level.WARNING if "usage" in machine.unsure else None,
            )


@rule("HPC-CAP-003", Level.INFO)
def block_is_paid(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The machines of a capacity block are paid for whether they run or not.

    So nothing is saved by letting them go, and each launch costs minutes of the block. ParallelCluster demands that
    all of them run always; here that is up to you.
    """
    for index, queue in enumerate(cluster.queues):
        if purchase_kind(queue) == "capacity_block" and queue.min < queue.max:
            yield Problem(
                path=("queues", index, "min") if queue.given("min") else ("queues", index),
                value=queue.min,
                reason=f"{queue.max - queue.min} of {queue.max} machines start when jobs come, and are paid anyway",
                remedy=f"use min: {queue.max} while the block is active",
            )


@rule("HPC-CAP-004", Level.ERROR)
def reservation_ids(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The id of a reservation or capacity block is written as EC2 writes it.

    A launch template takes any text; EC2 looks at it when a job gets its first node, and no node starts.
    Source: EC2 user guide, "Create a launch template": parameters are not fully validated.
    """
    for path, _, id in _reserved(cluster):
        if not re.fullmatch(r"cr-[0-9a-f]{17}", id):
            yield Problem(
                path=path,
                value=id,
                reason=f"{id!r} is not the id of a capacity reservation",
                remedy="write cr- and 17 hexadecimal digits, e.g. cr-0123456789abcdef0",
            )


@rule("HPC-CAP-005", Level.ERROR)
def reservation_of_one_type(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A queue on a reservation or capacity block has no fallback machines.

    A reservation is of one type; a launch of another type into it is refused. Source: EC2 API, RunInstances.
    """
    for path, queue, id in _reserved(cluster):
        if queue.fallback:
            yield Problem(
                path=(*path[:2], "fallback"),
                value=", ".join(queue.fallback),
                reason=f"{id} reserves one machine type, {any_of(queue.fallback)} can't be launched into it",
                remedy="remove fallback, or give these types a queue of their own",
            )


@rule("HPC-CAP-006", Level.WARNING)
def reservation_once(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Each reservation serves one queue.

    Queues that share one take its machines from each other. It is of one machine type and in one zone: to queues of
    different ones it is an error, because one of them never gets a node. Source: ParallelCluster 3.16,
    CapacityReservationSizeValidator; EC2 user guide, "Capacity Reservations".
    """
    first: dict[tuple[str, str], AwsQueue] = {}
    for path, queue, id in _reserved(cluster):
        other = first.setdefault((id, purchase_kind(queue)), queue)
        zones = set(cluster.queue_zones(queue))
        if other.machine != queue.machine:
            yield Problem(
                path=path,
                value=id,
                reason=f"{id} reserves one machine type: {other.machine} of queue {other.name}, or {queue.machine}",
                remedy=f"name that of {queue.machine}: `aws ec2 describe-capacity-reservations` lists them",
                level=Level.ERROR,
            )
        elif zones.isdisjoint(cluster.queue_zones(other)):
            yield Problem(
                path=path,
                value=id,
                reason=f"{id} is in one zone: that of queue {other.name}, {any_of(cluster.queue_zones(other))}, "
                f"or {any_of(sorted(zones))}",
                remedy="put both queues into the reservation's zone, or name another reservation",
                level=Level.ERROR,
            )
        elif other is not queue:
            yield Problem(
                path=path,
                value=id,
                reason=f"queue {other.name} uses {id} too: it must hold {other.max + queue.max} machines for both",
                remedy="use one queue, or make sure that it is large enough",
            )


@rule("HPC-CAP-007", Level.ERROR)
def reservation_is_one_thing(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An id is that of a reservation or that of a capacity block, not of both.

    They are launched in different ways. Source: EC2 API, InstanceMarketOptions.
    """
    kinds: dict[str, str] = {}
    for path, queue, id in _reserved(cluster):
        kind = purchase_kind(queue)
        if kinds.setdefault(id, kind) != kind:
            yield Problem(
                path=path,
                value=id,
                reason=f"{id} is a {kind} here and a {kinds[id]} in a queue above",
                remedy="look it up: `aws ec2 describe-capacity-reservations` says ReservationType",
            )


@rule("HPC-CAP-008", Level.ERROR)
def reservation_in_one_zone(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A queue on a reservation or capacity block is in one zone.

    A reservation is in one zone. Source: EC2 user guide, "Capacity Reservations".
    """
    for path, queue, id in _reserved(cluster):
        if len(set(queue.zones)) > 1:
            yield Problem(
                path=(*path[:2], "zones"),
                value=", ".join(queue.zones),
                reason=f"{id} is in one zone, the queue in {len(set(queue.zones))}",
                remedy=f"leave the reservation's zone only, e.g. zones: [{queue.zones[0]}]",
            )


@rule("HPC-CAP-009", Level.WARNING)
def scarce_on_demand(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Machines that are sold in capacity blocks are reserved before they are counted on.

    They are scarce: on demand, jobs wait for capacity that may not come. Source: EC2 user guide, "Capacity Blocks for
    ML"; types by DescribeInstanceTypes, SupportedUsageClasses.
    """
    for index, queue in enumerate(cluster.queues):
        machine = facts(cluster, queue.machine)
        if purchase_kind(queue) == "on_demand" and machine and "capacity_block" in machine.usage:
            priced = price(machine, cluster.region, "on_demand")
            yield Problem(
                path=("queues", index, "purchase") if queue.given("purchase") else ("queues", index, "machine"),
                value="on_demand" if queue.given("purchase") else machine.name,
                reason=f"{machine.name} is scarce: on demand it is seldom free"
                + ("" if priced else ", and has no list price"),
                remedy="buy a capacity block (purchase: {capacity_block: cr-...}) or a reservation",
            )
