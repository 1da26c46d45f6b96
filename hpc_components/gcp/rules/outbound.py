"""Rules on networks without NAT, whose nodes reach only Google's services."""

from collections.abc import Iterator

from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-NET-045", Level.ERROR)
def packages_without_way_out(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Without NAT, Slurm's packages come from a bucket: private nodes reach only Google's services.

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
            remedy="use nat: one, or put the packages into a bucket: gs://<bucket>/slurm",
        )


@rule("HPC-NET-046", Level.INFO)
def nothing_gets_out(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Private nodes without NAT do not need the internet.

    They reach Google's own services (Compute Engine, Cloud Storage, Logging, Artifact Registry) and nothing else: no
    Ubuntu or NVIDIA package archive, no licence server on the internet, no git. Source: VPC documentation, "Private
    Google Access".
    """
    network = cluster.network
    if network.cidr is not None and network.nat == "none":
        yield Problem(
            path=("network", "nat"),
            value="none",
            reason="nodes reach Google's services and nothing else: no package archives, no licence servers, no git",
            remedy="use nat: one if jobs or users need the internet",
        )


GOOGLE_DOMAINS = (".googleapis.com", ".pkg.dev", ".gcr.io")
"""Suffixes of hosts that Private Google Access reaches. Source: VPC documentation, "Configure Private Google
Access", domain options."""
