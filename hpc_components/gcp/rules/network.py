"""Rules on the address ranges of the network, its packets, and what an existing one must be."""

from collections.abc import Iterator
from ipaddress import IPv4Network

from hpc_components.gcp.catalog.ids import network_id, subnet_id
from hpc_components.gcp.spec.addresses import plan_subnets
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule

__all__: list[str] = []

_BELOW: Path = ("network", "existing")

LEAST_MTU, MOST_MTU = 1300, 8896
"""Bytes. Source: VPC documentation, "Maximum transmission unit"."""

PROBES = "35.191.0.0/16 and 130.211.0.0/22"
"""Where Google's health checks come from. Source: Cloud Load Balancing documentation, "Probe IP ranges"."""

IAP = "35.235.240.0/20"
"""Where connections through IAP come from. Source: IAP documentation, "Using IAP for TCP forwarding"."""


@rule("HPC-NET-036", Level.ERROR)
def range_size(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The range of a new network is a /16 to /20.

    Half of it is for compute nodes, a quarter is lent to Google's services (Managed Lustre, Filestore), an eighth is
    for further network cards; in a smaller one a service finds no block that it takes. Source: the address plan of
    `spec/addresses.py`; Managed Lustre documentation, "Configure a VPC network".
    """
    cidr = cluster.network.cidr
    if cidr is None:
        return
    try:
        plan_subnets(cidr)
    except ValueError:
        small = cidr.prefixlen > 20
        better = cidr.supernet(new_prefix=20) if small else IPv4Network(f"{cidr.network_address}/16")
        yield Problem(
            path=("network", "cidr"),
            value=str(cidr),
            reason=f"{cidr} is {'too small' if small else 'larger than needed'} to be cut into the cluster's subnets",
            remedy=f"use a /16 to /20, e.g. {better}",
        )


@rule("HPC-NET-037", Level.ERROR)
def packet_size(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The largest packet of a network has 1300 to 8896 bytes.

    Source: VPC documentation, "Maximum transmission unit".
    """
    mtu = cluster.network.mtu
    if not LEAST_MTU <= mtu <= MOST_MTU:
        yield Problem(
            path=("network", "mtu"),
            value=mtu,
            reason=f"a network's packets have {LEAST_MTU} to {MOST_MTU} bytes, not {mtu}",
            remedy=f"use {LEAST_MTU if mtu < LEAST_MTU else MOST_MTU}",
        )


@rule("HPC-NET-038", Level.INFO)
def small_packets(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Packets are as large as Google carries them, 8896 bytes.

    With 1460, Managed Lustre and MPI over TCP have about a tenth less throughput, and processors more to do. Source:
    Managed Lustre documentation, "Performance considerations"; Cluster Toolkit, Managed Lustre examples.
    """
    network = cluster.network
    if network.cidr is not None and LEAST_MTU <= network.mtu < MOST_MTU:
        yield Problem(
            path=("network", "mtu"),
            value=network.mtu,
            reason=f"with packets of {network.mtu} bytes file systems and MPI over TCP are about a tenth slower than"
            f" with {MOST_MTU}",
            remedy=f"use {MOST_MTU}, unless what nodes talk to outside takes no larger ones",
        )


@rule("HPC-NET-039", Level.ERROR)
def subnet_of_region(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """An existing network has one subnet for the nodes, under the name of the cluster's region.

    Google's subnets are of a region and of no zone, and all nodes of a cluster are in one region. Source: VPC
    documentation, "Subnets".
    """
    existing = cluster.network.existing
    if existing is None or cluster.region not in existing.private:
        return
    for place in existing.private:
        if place != cluster.region:
            yield Problem(
                path=(*_BELOW, "private", place),
                reason=f"no node of a cluster in {cluster.region} is in {place}",
                remedy=f"remove it: the subnet under {cluster.region} serves all zones",
            )


@rule("HPC-NET-040", Level.ERROR)
def subnets_of_network(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Subnets are in the cluster's region, and in the project of their network.

    Source: Compute Engine API reference, subnetworks; VPC documentation, "Shared VPC".
    """
    existing = cluster.network.existing
    network = network_id(existing.network) if existing else None
    for path, subnet in existing.subnets() if existing else ():
        found = subnet_id(subnet.id)
        if found is None:
            continue
        if found.region != cluster.region:
            reason = f"it is in {found.region}, the cluster is in {cluster.region}"
            remedy = f"name a subnet in {cluster.region}: {existing.shown_by if existing else ''} lists them"
        elif network is not None and found.project != network.project:
            reason = f"it is in project {found.project}, the network is in {network.project}"
            remedy = f"name a subnet of it: projects/{network.project}/regions/{cluster.region}/subnetworks/..."
        else:
            continue
        yield Problem(path=(*_BELOW, *path, "id"), value=subnet.id, reason=reason, remedy=remedy)


@rule("HPC-NET-041", Level.ERROR)
def rules_of_another_project(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The cluster makes no firewall rules in a network that another project shares.

    A firewall rule is in the project of its network. Source: VPC documentation, "Shared VPC", firewall rules.
    """
    existing = cluster.network.existing
    network = network_id(existing.network) if existing else None
    if existing and network and network.project != cluster.project and existing.firewall_rules:
        yield Problem(
            path=(*_BELOW, "firewall_rules"),
            value=True,
            reason=f"the network is in project {network.project}, and the cluster makes firewall rules in"
            f" {cluster.project} only",
            remedy=f"use firewall_rules: false, and let {network.project} have rules that let nodes reach one another",
        )


@rule("HPC-NET-042", Level.WARNING)
def rules_of_ones_own(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """With `firewall_rules: false`, your own rules let in what a cluster needs.

    What they let in can't be seen from here. Without a rule, nothing gets in. Source: VPC documentation, "VPC firewall
    rules", implied rules; Cloud Load Balancing documentation, "Probe IP ranges".
    """
    existing = cluster.network.existing
    if existing is None or existing.firewall_rules:
        return
    subnets = ", ".join(str(subnet.cidr) for subnet in existing.places.values())
    doors = [f"all from {subnets}"]
    doors += [f"TCP 22 from {IAP}"] if cluster.network.iap else []
    doors += [f"TCP 22 from {PROBES} to login nodes"] if cluster.login_nodes else []
    yield Problem(
        path=(*_BELOW, "firewall_rules"),
        value=False,
        reason=f"without rules of your own nodes don't reach one another{', and nobody logs in' if doors[1:] else ''}",
        remedy=f"let in {'; '.join(doors)}; then silence this",
    )


@rule("HPC-NET-043", Level.INFO)
def shared_network(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """In a network that another project shares, the cluster's accounts may use the subnets.

    Nothing is changed in another project. Source: VPC documentation, "Provisioning Shared VPC", service project
    admins.
    """
    existing = cluster.network.existing
    network = network_id(existing.network) if existing else None
    if existing and network and network.project != cluster.project:
        yield Problem(
            path=(*_BELOW, "network"),
            value=existing.network,
            reason=f"nothing here lets the head node put machines into subnets of project {network.project}",
            remedy="after the first pulumi up give the head node's service account the role roles/compute.networkUser"
            f" on them: gcloud compute networks subnets add-iam-policy-binding --project {network.project}",
        )


@rule("HPC-NET-044", Level.WARNING)
def network_of_every_project(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """An existing network is not the one called `default`, which Google makes in every project.

    Its firewall rules let in SSH from anywhere, and all its subnets are in 10.128.0.0/9. Source: VPC documentation,
    "Default network" and "Pre-populated rules in the default network".
    """
    existing = cluster.network.existing
    network = network_id(existing.network) if existing else None
    if existing and network and network.name == "default":
        yield Problem(
            path=(*_BELOW, "network"),
            value=existing.network,
            reason="the network called default lets SSH in from the whole internet, whatever network.ssh_from says",
            remedy="use network.cidr for a network of the cluster's own, or a network made for it",
        )
