"""Rules on the fast fabric, EFA."""

from collections.abc import Iterator

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog import machines
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queue_defaults import fabric_on, placement
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts, in_region, nearest
from hpc_components.wording import any_of

__all__: list[str] = []


@rule("HPC-EFA-001", Level.ERROR)
def efa_there(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """`fabric: true` is for machines that have it.

    Mostly only the largest sizes of a family do. Source: EC2 DescribeInstanceTypes, EfaInfo.
    """
    for index, queue in enumerate(cluster.queues):
        machine = facts(cluster, queue.machine)
        if queue.fabric and machine and not machine.has_fabric:
            able = [m for m in in_region(cluster) if m.has_fabric and m.arch == machine.arch and not m.bare_metal]
            near = nearest(machine, [m for m in able if m.family == machine.family] or able)
            yield Problem(
                path=("queues", index, "fabric"),
                value=True,
                reason=f"{machine.name} has no EFA",
                remedy=f"use machine: {any_of(near)}" if near else "remove fabric: true, or use another machine",
                level=Level.WARNING if "fabric" in machine.unsure else None,
            )


@rule("HPC-EFA-002", Level.WARNING)
def efa_unused(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """EFA is used where a machine has it.

    It costs nothing, and MPI over TCP is several times slower. A queue that says `placement: none` as well is for
    jobs of one node, and left alone. Source: ParallelCluster 3.16, EfaValidator.
    """
    for index, queue in enumerate(cluster.queues):
        machine = facts(cluster, queue.machine)
        if queue.fabric is False and queue.placement != "none" and machine and machine.fabric and machine.has_fabric:
            yield Problem(
                path=("queues", index, "fabric"),
                value=False,
                reason=f"{machine.name} has {machine.fabric.gbps:g} Gbit/s of EFA at no extra cost, and it is off",
                remedy="remove fabric: false; for jobs of single nodes add placement: none",
            )


@rule("HPC-EFA-003", Level.ERROR)
def efa_one_zone(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A queue with EFA is in one zone.

    EFA traffic does not leave its subnet. Source: EC2 user guide, "EFA limitations".
    """
    for index, queue in enumerate(cluster.queues):
        if fabric_on(queue) and len(set(queue.zones)) > 1:
            yield Problem(
                path=("queues", index, "zones"),
                value=", ".join(queue.zones),
                reason=f"nodes in {', '.join(queue.zones)} can't reach one another over EFA",
                remedy=f"use zones: [{queue.zones[0]}] and a queue of its own for each other zone, or fabric: false",
            )


@rule("HPC-EFA-004", Level.WARNING)
def efa_groups(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """With EFA, own security groups allow all traffic among compute nodes, in and out.

    What they allow can't be seen from here. Without the rule on the way out, MPI hangs at its first message. Source:
    EC2 user guide, "Prepare an EFA-enabled security group".
    """
    existing = cluster.network.existing
    named = existing.security_groups.compute if existing and existing.security_groups else ()
    if named and any(fabric_on(queue) for queue in cluster.queues):
        groups = ", ".join(named)
        yield Problem(
            path=("network", "existing", "security_groups", "compute"),
            value=groups,
            reason=f"nodes use EFA, and it is not known here what traffic {groups} lets through",
            remedy="one of them must allow all traffic from itself and to itself; or remove security_groups",
        )


@rule("HPC-EFA-005", Level.INFO)
def efa_alone(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """`fabric: true` is for queues with more than one node.

    EFA carries messages between nodes; processes of one node talk through its memory. Source: EC2 user guide,
    "Elastic Fabric Adapter".
    """
    for index, queue in enumerate(cluster.queues):
        if queue.fabric and queue.max == 1:
            yield Problem(
                path=("queues", index, "fabric"),
                value=True,
                reason=f"queue {queue.name} has one node, which has no other to talk to over EFA",
                remedy="raise max, or remove fabric: true",
            )


@rule("HPC-EFA-006", Level.INFO)
def efa_smaller_size(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A cluster placement group is of most use with EFA.

    A size without it is close to its peers, and still talks TCP. Source: EC2 user guide, EFA.
    """
    for index, queue in enumerate(cluster.queues):
        machine = facts(cluster, queue.machine)
        if placement(queue) == "cluster" and machine and machine.fabric is None:
            larger = [
                m.name for m in machines("aws") if m.family == machine.family and m.has_fabric and not m.bare_metal
            ]
            if larger:
                yield Problem(
                    path=("queues", index, "machine"),
                    value=machine.name,
                    reason=f"{machine.name} is placed for tightly coupled jobs, and has no EFA",
                    remedy=f"use {any_of(larger)}: fewer, larger nodes with EFA",
                )
