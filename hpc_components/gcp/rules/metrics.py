from collections.abc import Iterator

from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-WCH-013", Level.ERROR)
def no_remote_write(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """`monitoring.remote_write` must not be set on Google Cloud.

    Managed Service for Prometheus takes remote write 2.0 only, with a type for each series and a start time for each
    counter, and refuses recording rules. The systems' Prometheus (2.31 to 2.53) sends remote write 1.0; 2.0 came with
    2.54. Sources: GoogleCloudPlatform/prometheus, google/prwproxy/README.md; Prometheus, CHANGELOG.md, 2.54.0;
    Google Cloud documentation, "Get started with self-deployed collection", which needs Google's own build.
    """
    if cluster.monitoring and cluster.monitoring.remote_write:
        yield Problem(
            path=("monitoring", "remote_write"),
            reason="Managed Service for Prometheus takes remote write 2.0 only, which the Prometheus of "
            f"{cluster.os} does not send",
            remedy="remove remote_write; docs/watch.md names other ways",
        )
