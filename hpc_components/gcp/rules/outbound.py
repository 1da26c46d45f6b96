"""Rules on networks without NAT: what their nodes reach, and what not."""

from collections.abc import Iterator

from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-NET-045", Level.ERROR)
def packages_without_way_out(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Without NAT, Slurm's packages come from a bucket: private nodes reach Google's services alone.

    Source: VPC documentation, "Private Google Access".
    """
    network, source = cluster.network, cluster.slurm.package_source
    if network.cidr is not None and network.nat == "none" and source is not None and source.startswith("https://"):
        host = source.removeprefix("https://").partition("/")[0]
        if host.endswith(GOOGLES):
            return
        yield Problem(
            path=("slurm", "package_source"),
            value=source,
            reason=f"without NAT no node has a way to {host}",
            remedy="use nat: one, or put the packages into a bucket: gs://<bucket>/slurm",
        )


@rule("HPC-NET-046", Level.INFO)
def nothing_gets_out(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Without NAT, it is known what private nodes can't do.

    They reach Google's own services (Compute Engine, Cloud Storage, Logging, Artifact Registry) and nothing else: no
    archive of Ubuntu or NVIDIA, no licence server on the internet, no git. Source: VPC documentation, "Private Google
    Access".
    """
    network = cluster.network
    if network.cidr is not None and network.nat == "none":
        yield Problem(
            path=("network", "nat"),
            value="none",
            reason="nodes reach Google's services and nothing else: no package archives, no licence servers, no git",
            remedy="use nat: one where jobs or people need the internet",
        )


GOOGLES = (".googleapis.com", ".pkg.dev", ".gcr.io")
"""Ends of the hosts that are reached by Private Google Access. Source: VPC documentation, "Configure Private Google
Access", domain options."""
