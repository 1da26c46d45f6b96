"""Rules on the address ranges of the network, its packets, and what an existing one must be."""

from collections.abc import Iterator
from typing import Literal

from hpc_components.gcp.catalog.networks import mtus, source_ranges
from hpc_components.gcp.catalog.projects import differ
from hpc_components.gcp.catalog.resource_ids import id_parts
from hpc_components.gcp.spec.addresses import plan_subnets
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._networks import range_to_cut, subnets_elsewhere

Probes = Literal["health_checks", "network_balancer_health_checks"]

_BELOW: Path = ("network", "existing")


@rule("HPC-NET-049", Level.ERROR)
def range_size(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The range of a network that is made on Google Cloud is a /16 to /20.

    Half of it is for compute nodes, a quarter is lent to Google's services (Managed Lustre, Filestore), an eighth is
    for further network cards; in a smaller one a service finds no block that it takes. Source: the address plan of
    `spec/addresses.py`; Managed Lustre documentation, "Configure a VPC network".
    """
    yield from range_to_cut(cluster, plan_subnets)


@rule("HPC-NET-037", Level.ERROR)
def packet_size(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The largest packet of a network has 1300 to 8896 bytes.

    Source: VPC documentation, "Maximum transmission unit".
    """
    mtu, sold = cluster.network.mtu, mtus()
    if mtu not in sold:
        yield Problem(
            path=("network", "mtu"),
            value=mtu,
            reason=f"a network's packets have {sold[0]} to {sold[-1]} bytes, not {mtu}",
            remedy=f"use {sold[0] if mtu < sold[0] else sold[-1]}",
        )


@rule("HPC-NET-038", Level.INFO)
def small_packets(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Packets are as large as Google carries them, 8896 bytes.

    With 1460, Managed Lustre and MPI over TCP have about a tenth less throughput, and processors more to do. Source:
    Managed Lustre documentation, "Performance considerations"; Cluster Toolkit, Managed Lustre examples.
    """
    network, most = cluster.network, mtus()[-1]
    if network.cidr is not None and network.mtu in mtus() and network.mtu < most:
        yield Problem(
            path=("network", "mtu"),
            value=network.mtu,
            reason=f"with packets of {network.mtu} bytes file systems and MPI over TCP are about a tenth slower than"
            f" with {most}",
            remedy=f"use {most}, unless what nodes talk to outside takes no larger ones",
        )


@rule("HPC-NET-039", Level.ERROR)
def subnet_of_region(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """An existing network has one subnet for the nodes, and that is the region's.

    Google's subnets are of a region and of no zone, and all nodes of a cluster are in one region. Source: VPC
    documentation, "Subnets".
    """
    yield from subnets_elsewhere(cluster)


@rule("HPC-NET-040", Level.ERROR)
def subnets_of_network(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Subnets are in the project of their network.

    Source: VPC documentation, "Shared VPC"; Compute Engine API reference, subnetworks, network.
    """
    existing = cluster.network.existing
    network = id_parts("network", existing.network) if existing else None
    for path, subnet in existing.subnets() if existing and network else ():
        found = id_parts("subnet", subnet.id)
        if found and network and differ(found["project"], network["project"]):
            yield Problem(
                path=(*_BELOW, *path, "id"),
                value=subnet.id,
                reason=f"it is in project {found['project']}, the network is in {network['project']}",
                remedy=f"name a subnet of it: projects/{network['project']}/regions/{cluster.region}/subnetworks/...",
            )


@rule("HPC-NET-041", Level.ERROR)
def rules_of_another_project(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The cluster makes no firewall rules in a network that another project shares.

    A firewall rule is in the project of its network. Source: VPC documentation, "Shared VPC", firewall rules.
    """
    existing = cluster.network.existing
    network = id_parts("network", existing.network) if existing else None
    if existing and network and differ(network["project"], cluster.project) and existing.firewall_rules:
        yield Problem(
            path=(*_BELOW, "firewall_rules"),
            value=True,
            reason=f"the network is in project {network['project']}, and the cluster makes firewall rules in"
            f" {cluster.project} only",
            remedy=f"use firewall_rules: false, and make rules in {network['project']} that let nodes reach one"
            " another",
        )


@rule("HPC-NET-042", Level.WARNING)
def rules_of_ones_own(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """With `firewall_rules: false`, your own rules let in what a cluster needs.

    What they let in can't be seen from here. Without a rule, nothing gets in. Source: VPC documentation, "VPC
    firewall rules", implied rules; Cloud Load Balancing documentation, "Probe IP ranges".
    """
    existing = cluster.network.existing
    if existing is None or existing.firewall_rules:
        return
    subnets = ", ".join(str(subnet.cidr) for subnet in existing.places.values())
    doors = [f"all from {subnets}"]
    if cluster.network.iap:
        doors.append(f"TCP 22 from {_listed('iap')}")
    if cluster.login_nodes:
        probes: Probes = "network_balancer_health_checks" if cluster.login_nodes.public else "health_checks"
        doors.append(f"TCP 22 from {_listed(probes)} to login nodes")
    yield Problem(
        path=(*_BELOW, "firewall_rules"),
        value=False,
        reason="without rules of your own nodes don't reach one another"
        + (", and nobody logs in" if doors[1:] else ""),
        remedy=f"let in {'; '.join(doors)}; then silence this",
    )


@rule("HPC-NET-043", Level.INFO)
def shared_network(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """In a network that another project shares, the cluster's accounts may use the subnets.

    Nothing is changed in another project. Source: VPC documentation, "Provisioning Shared VPC", service project
    admins.
    """
    existing = cluster.network.existing
    network = id_parts("network", existing.network) if existing else None
    if existing and network and differ(network["project"], cluster.project):
        yield Problem(
            path=(*_BELOW, "network"),
            value=existing.network,
            reason=f"nothing here lets the head node put machines into subnets of project {network['project']}",
            remedy="after the first pulumi up give the head node's service account the role roles/compute.networkUser"
            f" on them: gcloud compute networks subnets add-iam-policy-binding --project {network['project']}",
        )


@rule("HPC-NET-044", Level.WARNING)
def network_of_every_project(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """An existing network is not the one called `default`, which Google makes in every project.

    Its firewall rules let in SSH from anywhere, and all its subnets are in 10.128.0.0/9. Source: VPC documentation,
    "Default network" and "Pre-populated rules in the default network".
    """
    existing = cluster.network.existing
    network = id_parts("network", existing.network) if existing else None
    if existing and network and network["name"] == "default":
        yield Problem(
            path=(*_BELOW, "network"),
            value=existing.network,
            reason="the network called default lets SSH in from the whole internet, whatever network.ssh_from says",
            remedy="use network.cidr for a network of the cluster's own, or a network made for it",
        )


def _listed(of: Literal["iap"] | Probes) -> str:
    return " and ".join(source_ranges(of))
