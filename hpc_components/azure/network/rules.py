from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

from hpc_components.azure.catalog.arm_ids import arm_id
from hpc_components.azure.catalog.networks import fabric_range
from hpc_components.azure.home.model import Nfs
from hpc_components.azure.network import outbound_rules  # noqa: F401 - registers its rules
from hpc_components.azure.network.addresses import Place, plan_subnets, sharing_a_place
from hpc_components.azure.rules._stores import lustre_systems
from hpc_components.azure.spec.billed_services import private_endpoints
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.cloud import cloud_named
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import queue_machines
from hpc_components.spec.rules._networks import range_to_cut, subnets_elsewhere
from hpc_components.spec.stores import systems

_BELOW: Path = ("network", "existing")


@rule("HPC-NET-027", Level.ERROR)
def range_size(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The address range of a new virtual network must be a /16 to /24.

    Half of the range is for compute nodes, so a smaller range would leave too few addresses for Lustre, Bastion and
    the head node. Source: the address plan in `network/addresses.py`; Azure Managed Lustre documentation,
    "Prerequisites"; Azure Bastion documentation, "Azure Bastion subnet"; cyclecloud-slurm-workspace, which plans
    networks of /24 and larger.
    """
    yield from range_to_cut(cluster, plan_subnets, longest=24)


@rule("HPC-NET-054", Level.ERROR)
def small_range_has_room(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A small new network must have room for its subnets.

    A /24 has room for only one of Lustre, NetApp Files and Bastion, and for ten login nodes. Each subnet's range is
    fixed, so that adding a subnet later doesn't change the others. Source: the address plan in
    `network/addresses.py`; Azure Virtual Network FAQ: Azure reserves five addresses in each subnet.
    """
    cidr = cluster.network.cidr
    if cidr is None or not 16 <= cidr.prefixlen <= 24:
        return
    wanted: dict[Place, bool] = {
        "lustre": any(lustre_systems(cluster)),
        "netapp": any(nfs.service == "netapp" for _, nfs in systems(cluster, Nfs)),
        "bastion": cluster.network.bastion,
    }
    larger, kept = cidr.supernet(new_prefix=min(cidr.prefixlen, 23)), sum(cloud_named("azure").kept_addresses)
    if sharing := sharing_a_place(cidr, [place for place, is_wanted in wanted.items() if is_wanted]):
        yield Problem(
            path=("network", "cidr"),
            value=str(cidr),
            reason="a /24 has room for only one of Lustre, NetApp Files and Bastion, but the cluster needs "
            f"{' and '.join(sharing)}",
            remedy=f"use at least a /23, e.g. {larger}",
        )
    login, plan = cluster.login_nodes, plan_subnets(cidr)
    needed = {
        "login nodes and their load balancer": (login.max + 1 if login else 0, plan.login),
        "private endpoints": (private_endpoints(cluster), plan.endpoints),
    }
    for what, (addresses, subnet) in needed.items():
        if addresses + kept > subnet.num_addresses:
            yield Problem(
                path=("network", "cidr"),
                value=str(cidr),
                reason=f"{what} need {addresses} addresses, but their subnet {subnet} has only "
                f"{subnet.num_addresses - kept} free addresses",
                remedy=f"use a larger range, e.g. {larger if larger != cidr else cidr.supernet()}",
            )


@rule("HPC-IBN-001", Level.ERROR)
def range_of_infiniband(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """In a cluster with InfiniBand machines, the network must not use addresses in 172.16.0.0/16.

    InfiniBand interfaces have addresses in this range even if jobs don't use InfiniBand, so nodes with InfiniBand
    can't reach any other host in the range. Source: Azure documentation, "HBv3-series virtual machine overview";
    CycleCloud documentation, "MPI".
    """
    queue = _with_infiniband(cluster)
    network, kept = cluster.network, fabric_range()
    if queue is None:
        return
    ranges: list[tuple[Path, IPv4Network]] = []
    if network.cidr is not None:
        ranges.append((("network", "cidr"), network.cidr))
    elif network.existing is not None:
        ranges.append(((*_BELOW, "cidr"), network.existing.cidr))
        if not network.existing.cidr.overlaps(kept):
            ranges += [((*_BELOW, *path, "cidr"), subnet.cidr) for path, subnet in network.existing.subnets()]
    for path, cidr in ranges:
        if cidr.overlaps(kept):
            yield Problem(
                path=path,
                value=str(cidr),
                reason=f"{cidr} overlaps {kept}, which InfiniBand uses on the machines of queue {queue}",
                remedy="use another range, e.g. 10.20.0.0/16"
                if path == ("network", "cidr")
                else f"use a virtual network without addresses in {kept}, or machines without InfiniBand",
            )


@rule("HPC-IBN-002", Level.ERROR)
def server_of_infiniband(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """With InfiniBand machines, a file server's address must not be in 172.16.0.0/16, even in a peered network.

    Nodes would send the server's traffic over InfiniBand, so the mount would fail and no node would join. Source:
    Azure documentation, "HBv3-series virtual machine overview".
    """
    queue, kept = _with_infiniband(cluster), fabric_range()
    for name, system in cluster.storage.items() if queue else ():
        existing = system.existing
        if existing is not None and _in(existing.server, kept):
            yield Problem(
                path=("storage", name, "existing", "server"),
                value=existing.server,
                reason=f"InfiniBand uses {kept} on the machines of queue {queue}, so they can't reach "
                f"{existing.server}",
                remedy="give the server an address in another range, or use machines without InfiniBand",
            )


@rule("HPC-NET-028", Level.ERROR)
def subnet_of_region(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """For an existing network, specify exactly one subnet for the nodes, with the cluster's region as its key.

    Azure's subnets are regional, not zonal, and all nodes of a cluster are in one region. Source: Azure
    documentation, "Virtual networks and availability zones".
    """
    yield from subnets_elsewhere(cluster)


@rule("HPC-NET-029", Level.ERROR)
def subnets_of_network(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The nodes' subnets must be in the virtual network `vnet`.

    Subnets for Lustre, NetApp Files and private endpoints may be in a peered network, so this rule only warns about
    them. The stack does not create the peering. Source: Azure documentation, "Virtual network peering".
    """
    existing = cluster.network.existing
    network = arm_id(existing.vnet, "virtual_network") if existing else None
    for path, subnet in existing.subnets() if existing and network else ():
        found = arm_id(subnet.id, "subnet")
        if found is None or network is None or found.parent().same_as(network):
            continue
        for_nodes = path[0] in ("private", "head", "login")
        yield Problem(
            path=(*_BELOW, *path, "id"),
            value=subnet.id,
            reason=f"the subnet is in {found.parent().name}, but vnet is {network.name}",
            remedy=f"use a subnet of vnet: {network}/subnets/..."
            if for_nodes
            else f"use a subnet of {network.name}, or silence this warning if the two networks are peered",
            level=None if for_nodes else Level.WARNING,
        )


@rule("HPC-NET-030", Level.ERROR)
def one_subscription(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The network must be in the same subscription as the cluster's resource group.

    A machine's network interface must be in the same subscription as its network. Source: Azure documentation,
    "Create, change, or delete a network interface".
    """
    existing = cluster.network.existing
    network = arm_id(existing.vnet, "virtual_network") if existing else None
    group = arm_id(cluster.resource_group, "resource_group") if cluster.resource_group else None
    if network and group and network.subscription.lower() != group.subscription.lower():
        yield Problem(
            path=(*_BELOW, "vnet"),
            value=str(network),
            reason=f"vnet is in subscription {network.subscription}, but resource_group is in {group.subscription}",
            remedy=f"use a network and a resource group in the same subscription, e.g. {group.subscription}",
        )


@rule("HPC-NET-053", Level.ERROR)
def endpoints_have_room(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """An existing subnet for private endpoints must have a free address for each endpoint.

    The cluster's storage account, each bucket, each Azure Files share and the Key Vault need one address each if
    `network.endpoints` lists their service. Source: Azure Virtual Network FAQ: Azure reserves five addresses in each
    subnet.
    """
    existing = cluster.network.existing
    subnet = existing.endpoints if existing else None
    needed, kept = private_endpoints(cluster), sum(cloud_named("azure").kept_addresses)
    if subnet is not None and needed + kept > subnet.cidr.num_addresses:
        yield Problem(
            path=(*_BELOW, "endpoints", "cidr"),
            value=str(subnet.cidr),
            reason=f"{subnet.cidr} has {max(0, subnet.cidr.num_addresses - kept)} free addresses, but {needed} "
            "private endpoints need one each",
            remedy=f"use at least a /{32 - (needed + kept - 1).bit_length()} subnet, or list fewer services in "
            "network.endpoints",
        )


def _with_infiniband(cluster: AzureClusterSpec) -> str | None:
    """Return the name of the first queue that has a machine with InfiniBand, or None if no queue has one."""
    for index, queue in enumerate(cluster.queues):
        if any(machine.has_fabric for _, machine in queue_machines(index, queue)):
            return queue.name
    return None


def _in(host: str, cidr: IPv4Network) -> bool:
    try:
        return IPv4Address(host) in cidr
    except ValueError:
        return False
