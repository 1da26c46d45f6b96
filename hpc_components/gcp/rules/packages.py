"""Rules on where Slurm's packages come from."""

from collections.abc import Iterator

from hpc_components.gcp.catalog.gcs_urls import gcs_url, wrong_gcs_url
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-PKG-003", Level.ERROR)
def package_bucket(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Specify packages in Cloud Storage as `gs://<bucket>/<prefix>`.

    Nodes authenticate with their service accounts. A signed URL would expose a secret, and expires after a week.
    Source: Cloud
    Storage documentation, "Signed URLs".
    """
    source = cluster.slurm.package_source
    if source is None:
        return
    if source.startswith("gs://") and (wrong := wrong_gcs_url(source)):
        yield Problem(path=_SOURCE, value=source, reason=wrong[0], remedy=wrong[1])
    elif source.startswith("https://storage.googleapis.com/") or ".storage.googleapis.com" in source:
        bucket, _, prefix = _public(source)
        yield Problem(
            path=_SOURCE,
            value=None if "?" in source else source,
            reason="everyone could read its signature"
            if "?" in source
            else "nodes would fetch it without credentials",
            remedy=f"use gs://{bucket}{prefix and '/' + prefix}",
        )


@rule("HPC-PKG-004", Level.WARNING)
def package_readers(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The service accounts of all nodes must have permission to read the bucket that contains Slurm's packages.

    You have to grant it: the bucket is yours, and the cluster doesn't change its permissions. Source: Cloud Storage
    documentation, "IAM roles for Cloud Storage".
    """
    source = cluster.slurm.package_source
    url = gcs_url(source) if source is not None else None
    if url is not None:
        yield Problem(
            path=_SOURCE,
            value=source,
            reason=f"the cluster does not grant its nodes access to {url.bucket}",
            remedy="after the first pulumi up, grant the service accounts of head node, login nodes and queues the"
            f" role: gcloud storage buckets add-iam-policy-binding gs://{url.bucket} --role"
            " roles/storage.objectViewer --member serviceAccount:...",
        )


_SOURCE = ("slurm", "package_source")


def _public(source: str) -> tuple[str, str, str]:
    """Split a URL on Cloud Storage's public host into bucket, slash and prefix."""
    host, _, path = source.removeprefix("https://").partition("?")[0].partition("/")
    if host == "storage.googleapis.com":
        return path.partition("/")
    return host.partition(".storage.googleapis.com")[0], "/", path
