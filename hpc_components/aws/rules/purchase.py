from collections.abc import Iterator

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog import price
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.queue_defaults import purchase_kind
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts, in_region
from hpc_components.spec.rules.reservations import reserved
from hpc_components.wording import any_of


@rule("HPC-CAP-002", Level.ERROR)
def sold_as_block(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A queue on a capacity block must use a machine type that is sold in capacity blocks.

    Source: EC2 DescribeInstanceTypes, SupportedUsageClasses.
    """
    for index, queue in enumerate(cluster.queues):
        machine = facts(cluster, queue.machine)
        if purchase_kind(queue) == "capacity_block" and machine and "capacity_block" not in machine.usage:
            able = [m.name for m in in_region(cluster) if "capacity_block" in m.usage]
            yield Problem(
                path=("queues", index, "machine"),
                value=machine.name,
                reason=f"{machine.name} is not sold in capacity blocks",
                remedy=f"use {any_of(able, most=8)}, or purchase: {{reservation: cr-...}}",
                level=Level.WARNING if "usage" in machine.unsure else None,
            )


@rule("HPC-CAP-003", Level.INFO)
def block_is_paid(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Machines in a capacity block are billed whether they run or not.

    Terminating them saves nothing, and each launch uses up minutes of the block. ParallelCluster requires all of them
    to run at all times; here, the choice is yours.
    """
    for index, queue in enumerate(cluster.queues):
        if purchase_kind(queue) == "capacity_block" and queue.min < queue.max:
            yield Problem(
                path=("queues", index, "min") if queue.given("min") else ("queues", index),
                value=queue.min,
                reason=f"{queue.max - queue.min} of {queue.max} machines start only when jobs need them, but are "
                "billed all the time",
                remedy=f"use min: {queue.max} while the block is active",
            )


@rule("HPC-CAP-007", Level.ERROR)
def reservation_is_one_thing(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An id must not be used both as a reservation and as a capacity block.

    Each of the two requires different launch options. Source: EC2 API, InstanceMarketOptions.
    """
    first: dict[str, tuple[Path, str]] = {}
    for path, queue, id in reserved(cluster):
        kind = purchase_kind(queue)
        at, other = first.setdefault(id, (path, kind))
        if other != kind:
            yield Problem(
                path=path,
                value=id,
                reason=f"{id} is a {kind} here but a {other} in an earlier queue",
                remedy="check the ReservationType that `aws ec2 describe-capacity-reservations` shows, and use the "
                "id only for that type",
                about={"reservation": id},
                places=(at, path),
            )


@rule("HPC-CAP-009", Level.WARNING)
def scarce_on_demand(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Machine types that are sold in capacity blocks should be reserved rather than launched on demand.

    These types are scarce, so on-demand capacity may never become available to waiting jobs. Source: EC2 user guide,
    "Capacity Blocks for ML"; for the types, DescribeInstanceTypes, SupportedUsageClasses.
    """
    for index, queue in enumerate(cluster.queues):
        machine = facts(cluster, queue.machine)
        if purchase_kind(queue) == "on_demand" and machine and "capacity_block" in machine.usage:
            priced = price(machine, cluster.region, "on_demand")
            yield Problem(
                path=("queues", index, "purchase") if queue.given("purchase") else ("queues", index, "machine"),
                value="on_demand" if queue.given("purchase") else machine.name,
                reason=f"{machine.name} is scarce and seldom available on demand"
                + ("" if priced else ", and it has no on-demand list price"),
                remedy="buy a capacity block (purchase: {capacity_block: cr-...}) or a reservation",
            )
