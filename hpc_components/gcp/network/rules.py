from collections.abc import Iterator
from typing import Literal

from hpc_components.gcp.catalog.projects import differ
from hpc_components.gcp.catalog.resource_ids import id_parts
from hpc_components.gcp.network.addresses import plan_subnets
from hpc_components.gcp.network.vpc_limits import mtus, source_ranges
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._networks import range_to_cut, subnets_elsewhere

Probes = Literal["health_checks", "network_balancer_health_checks"]

_BELOW: Path = ("network", "existing")


@rule("HPC-NET-049", Level.ERROR)
def range_size(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The range of a new network on Google Cloud must be a /16 to /20.

    Half of the range is for compute nodes, a quarter for Google's services (Managed Lustre, Filestore) and an eighth
    for additional network cards. A range smaller than a /20 has no block large enough for a service. Source: address
    plan in `network/addresses.py`; Managed Lustre documentation, "Configure a VPC network".
    """
    yield from range_to_cut(cluster, plan_subnets)


@rule("HPC-NET-037", Level.ERROR)
def packet_size(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A network's MTU must be 1300 to 8896 bytes.

    Source: VPC documentation, "Maximum transmission unit".
    """
    mtu, sold = cluster.network.mtu, mtus()
    if mtu not in sold:
        yield Problem(
            path=("network", "mtu"),
            value=mtu,
            reason=f"a network's MTU must be {sold[0]} to {sold[-1]} bytes, not {mtu}",
            remedy=f"use {sold[0] if mtu < sold[0] else sold[-1]}",
        )


@rule("HPC-NET-038", Level.INFO)
def small_packets(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Set the MTU to the maximum that Google's networks allow, 8896 bytes.

    With 1460, Managed Lustre and MPI over TCP lose about a tenth of their throughput and use more CPU time. Source:
    Managed Lustre documentation, "Performance considerations"; Cluster Toolkit, Managed Lustre examples.
    """
    network, most = cluster.network, mtus()[-1]
    if network.cidr is not None and network.mtu in mtus() and network.mtu < most:
        yield Problem(
            path=("network", "mtu"),
            value=network.mtu,
            reason=f"with an MTU of {network.mtu} bytes, file systems and MPI over TCP are about a tenth slower than"
            f" with {most}",
            remedy=f"use {most}, unless nodes communicate with outside hosts that need smaller packets",
        )


@rule("HPC-NET-039", Level.ERROR)
def subnet_of_region(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """An existing network must have one subnet for the nodes, in the cluster's region.

    Google's subnets are regional, and all of a cluster's nodes are in one region. Source: VPC documentation,
    "Subnets".
    """
    yield from subnets_elsewhere(cluster)


@rule("HPC-NET-040", Level.ERROR)
def subnets_of_network(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Subnets must be in the same project as their network.

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
                reason=f"the subnet is in project {found['project']}, but the network is in {network['project']}",
                remedy="use a subnet in the network's project: "
                f"projects/{network['project']}/regions/{cluster.region}/subnetworks/...",
            )


@rule("HPC-NET-041", Level.ERROR)
def rules_of_another_project(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Set `firewall_rules: false` for a network that another project shares.

    The cluster can't create firewall rules there, because firewall rules belong to the project that owns the network.
    Source: VPC documentation, "Shared VPC", firewall rules.
    """
    existing = cluster.network.existing
    network = id_parts("network", existing.network) if existing else None
    if existing and network and differ(network["project"], cluster.project) and existing.firewall_rules:
        yield Problem(
            path=(*_BELOW, "firewall_rules"),
            value=True,
            reason=f"the network is in project {network['project']}, but the cluster creates firewall rules only in "
            f"{cluster.project}",
            remedy=f"use firewall_rules: false, and create firewall rules in {network['project']} that let nodes "
            "reach each other",
        )


@rule("HPC-NET-042", Level.WARNING)
def rules_of_ones_own(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """With `firewall_rules: false`, your own rules must allow the traffic that a cluster needs.

    Your rules can't be checked here. Incoming traffic is denied unless a rule allows it. Source: VPC documentation,
    "VPC firewall rules", implied rules; Cloud Load Balancing documentation, "Probe IP ranges".
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
        reason="without your own firewall rules, nodes can't reach each other"
        + (", and no one can log in" if doors[1:] else ""),
        remedy=f"allow {'; '.join(doors)}, and then silence this finding",
    )


@rule("HPC-NET-043", Level.INFO)
def shared_network(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Grant the cluster's service accounts permission to use subnets that another project shares.

    The cluster changes nothing in other projects, so you have to grant this permission yourself. Source: VPC
    documentation, "Provisioning Shared VPC", service project admins.
    """
    existing = cluster.network.existing
    network = id_parts("network", existing.network) if existing else None
    if existing and network and differ(network["project"], cluster.project):
        yield Problem(
            path=(*_BELOW, "network"),
            value=existing.network,
            reason="the cluster doesn't grant the head node permission to use subnets in project "
            f"{network['project']}",
            remedy="after the first pulumi up, grant the head node's service account roles/compute.networkUser on "
            "those subnets: gcloud compute networks subnets add-iam-policy-binding --project "
            f"{network['project']}",
        )


@rule("HPC-NET-044", Level.WARNING)
def network_of_every_project(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Don't use the network called `default`, which Google creates in every project.

    Its firewall rules allow SSH from anywhere, and all its subnets are in 10.128.0.0/9. Source: VPC documentation,
    "Default network" and "Pre-populated rules in the default network".
    """
    existing = cluster.network.existing
    network = id_parts("network", existing.network) if existing else None
    if existing and network and network["name"] == "default":
        yield Problem(
            path=(*_BELOW, "network"),
            value=existing.network,
            reason="the network called default allows SSH from the whole internet, regardless of network.ssh_from",
            remedy="use network.cidr to create a network for the cluster, or use another existing network",
        )


def _listed(of: Literal["iap"] | Probes) -> str:
    return " and ".join(source_ranges(of))


@rule("HPC-NET-045", Level.ERROR)
def packages_without_way_out(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Without NAT, Slurm's packages must come from a bucket, because private nodes can reach only Google's services.

    Source: VPC documentation, "Private Google Access".
    """
    network, source = cluster.network, cluster.slurm.package_source
    if network.cidr is not None and network.nat == "none" and source is not None and source.startswith("https://"):
        host = source.removeprefix("https://").partition("/")[0]
        if host.endswith(GOOGLE_DOMAINS):
            return
        yield Problem(
            path=("slurm", "package_source"),
            value=source,
            reason=f"without NAT, nodes can't reach {host}",
            remedy="use nat: one, or put the packages in a bucket: gs://<bucket>/slurm",
        )


@rule("HPC-NET-046", Level.INFO)
def nothing_gets_out(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Use `nat: none` only if private nodes don't need the internet.

    Without NAT, private nodes can reach Google's own services (Compute Engine, Cloud Storage, Logging, Artifact
    Registry) and nothing else: no Ubuntu or NVIDIA package archive, no licence server on the internet, no git.
    Source: VPC documentation, "Private Google Access".
    """
    network = cluster.network
    if network.cidr is not None and network.nat == "none":
        yield Problem(
            path=("network", "nat"),
            value="none",
            reason="nodes can reach only Google's services: no package archives, no licence servers, no git",
            remedy="use nat: one if jobs or users need the internet",
        )


GOOGLE_DOMAINS = (".googleapis.com", ".pkg.dev", ".gcr.io")
"""Domain suffixes of the hosts that nodes can reach through Private Google Access. Source: VPC documentation,
"Configure Private Google Access", domain options."""
