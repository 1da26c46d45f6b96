from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

from hpc_components.catalog.cluster_limits import cluster_limit
from hpc_components.cloud import cloud_named
from hpc_components.spec.addresses import MAX_PREFIX_LENGTH, fixed_block, head_node_address
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import cloud_of, facts, in_region, words_of
from hpc_components.spec.values import Size
from hpc_components.wording import any_of

SYSTEM_MEMORY_GB = 0.6
"""Memory in GB that the operating system needs in addition to slurmctld. Source: ParallelCluster 3.16,
HeadNodeMemorySizeValidator."""

MAX_DEMANDED_MEMORY_GB = 16
"""Highest memory requirement, in GB, that ParallelCluster enforces. Source: ParallelCluster 3.16,
HeadNodeMemorySizeValidator."""

MIN_STATE_SIZE = Size.gib(16)
"""Minimum size of the volume for Slurm's state, the accounting database and job scripts. The figure is our own
estimate."""


@rule("HPC-HED-001", Level.ERROR)
def memory_for_nodes(cluster: ClusterSpec) -> Iterator[Problem]:
    """The head node must have 0.6 GB of memory plus 1 GB for every 25 nodes.

    On a head node with less than 16 GB, a shortage is an error, as in ParallelCluster, which never requires more than
    16 GB. With 16 GB or more, a shortage is only a warning: Slurm's controller itself needs only 0.2 GB for 10,000
    nodes; the rest is for the accounting database and everything else. Source: ParallelCluster 3.16,
    HeadNodeMemorySizeValidator; measured on Slurm 24.11.
    """
    head = facts(cluster, cluster.head_node.machine)
    wanted = cluster.max_nodes / cluster_limit("slurm.nodes_per_head_gb") + SYSTEM_MEMORY_GB
    if head and head.memory_gib < wanted:
        larger = [
            m
            for m in in_region(cluster)
            if m.memory_gib >= wanted and m.arch == head.arch and not (m.accelerator or m.burstable or m.bare_metal)
        ]
        larger.sort(key=lambda m: (m.vcpus, m.memory_gib, m.name))
        yield Problem(
            path=("head_node", "machine"),
            value=head.name,
            reason=f"{cluster.max_nodes} nodes need a head node with {wanted:.1f} GB of memory, but {head.name} has "
            f"only {head.memory_gib:g} GiB",
            remedy=f"use {any_of(m.name for m in larger[:4])}"
            if larger
            else f"use a machine type with {wanted:.0f} GB of memory or more",
            level=None if head.memory_gib < min(wanted, MAX_DEMANDED_MEMORY_GB) else Level.WARNING,
        )


@rule("HPC-HED-002", Level.ERROR)
def address_in_subnet(cluster: ClusterSpec) -> Iterator[Problem]:
    """The head node's address must be in its subnet, and must not be one that the cloud reserves.

    AWS reserves the first four addresses and the last one in each subnet. Source: Amazon VPC user guide, "Subnet CIDR
    blocks".
    """
    address, subnet = cluster.head_node.address, _subnet(cluster)
    if address is None or subnet is None:
        return
    if address not in subnet:
        kind = "public" if cluster.head_node.public else "private"
        reason = f"the address is not in the {kind} subnet of {cluster.zone}, which is {subnet}"
    elif _is_kept(cluster, address, subnet):
        first, last = cloud_named(cluster.cloud).kept_addresses
        reason = f"{cloud_of(cluster)} reserves the first {first} addresses and the last {last} in {subnet}"
    else:
        return
    if subnet.prefixlen > MAX_PREFIX_LENGTH:
        first, last = cloud_named(cluster.cloud).kept_addresses
        remedy = f"use an address from {subnet[first]} to {subnet[-1 - last]}"
    else:
        remedy = f"use an address in {fixed_block(subnet)}, or remove address to use {head_node_address(subnet)}"
    yield Problem(path=("head_node", "address"), value=str(address), reason=reason, remedy=remedy)


@rule("HPC-HED-003", Level.WARNING)
def address_kept(cluster: ClusterSpec) -> Iterator[Problem]:
    """The head node's address should be in the block reserved for fixed addresses.

    Any other address in the subnet may be assigned to a compute node while the head node is being replaced, and then
    the new head node fails to start.
    """
    address, subnet = cluster.head_node.address, _subnet(cluster)
    if address is None or subnet is None or address not in subnet or subnet.prefixlen > MAX_PREFIX_LENGTH:
        return
    if address in fixed_block(subnet):
        return
    if not _is_kept(cluster, address, subnet):
        yield Problem(
            path=("head_node", "address"),
            value=str(address),
            reason=f"another node may be assigned this address; in {subnet}, the block reserved for fixed addresses "
            f"is {fixed_block(subnet)}",
            remedy=f"use an address in {fixed_block(subnet)}, or remove address to use {head_node_address(subnet)}",
        )


@rule("HPC-HED-004", Level.WARNING)
def state_size(cluster: ClusterSpec) -> Iterator[Problem]:
    """The head node's state volume should be at least 16 GiB in size.

    The volume stores job scripts, Slurm's state and the accounting database. When it is full, Slurm accepts no more
    jobs.
    """
    if cluster.head_node.state.size < MIN_STATE_SIZE:
        yield Problem(
            path=("head_node", "state", "size"),
            value=str(cluster.head_node.state.size),
            reason="when the state volume is full, Slurm accepts no more jobs",
            remedy=f"use {MIN_STATE_SIZE} or more; the volume can be enlarged later, but not shrunk",
        )


@rule("HPC-HED-006", Level.WARNING)
def thrown_away(cluster: ClusterSpec) -> Iterator[Problem]:
    """Only a cluster without data to lose should have `throw_away: true`.

    With this setting, destroying the stack deletes file systems, buckets and accounting data, without deletion
    protection or a final backup. So does any change to the description that replaces them. The setting is easily
    copied to another stack by mistake.
    """
    made = [name for name, store in cluster.storage.items() if store.mounted is None]
    lost = [*made, *cluster.buckets, *(["the job accounting records"] if cluster.slurm.accounting else [])]
    if cluster.throw_away and lost:
        yield Problem(
            path=("throw_away",),
            value=True,
            reason=f"`pulumi destroy` deletes {', '.join(lost)} and Slurm's state, with all their data and without "
            "any protection",
            remedy="remove throw_away if users will work on this cluster; the setting is for experiments",
        )


@rule("HPC-HED-007", Level.WARNING)
def idle_accelerators(cluster: ClusterSpec) -> Iterator[Problem]:
    """The head node should not have GPUs.

    The head node runs Slurm's controller around the clock, but it never runs jobs.
    """
    head = facts(cluster, cluster.head_node.machine)
    if head and head.accelerator:
        yield Problem(
            path=("head_node", "machine"),
            value=head.name,
            reason=f"{head.accelerator.count} {head.accelerator.model} would be billed around the clock without ever "
            "running a job",
            remedy=f"use a general-purpose machine type such as {words_of(cluster).machines.head}",
        )


def _subnet(cluster: ClusterSpec) -> IPv4Network | None:
    """Return the head node's subnet, or None if it is missing or too small. Other rules report both cases."""
    try:
        subnet = cluster.head_subnet
    except (KeyError, ValueError):
        return None
    existing = cluster.network.existing
    with_nodes = existing is not None and subnet in (each.cidr for each in existing.private.values())
    fixed = cluster.head_node.address is None or with_nodes
    longest = MAX_PREFIX_LENGTH if fixed else cloud_named(cluster.cloud).narrowest_subnet
    return subnet if subnet.prefixlen <= longest else None


def _is_kept(cluster: ClusterSpec, address: IPv4Address, subnet: IPv4Network) -> bool:
    first, last = cloud_named(cluster.cloud).kept_addresses
    return int(address) - int(subnet[0]) < first or int(subnet[-1]) - int(address) < last
