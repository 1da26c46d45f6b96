from collections.abc import Iterator

from hpc_components.gcp.catalog.gcs_urls import gcs_url, wrong_gcs_url
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-PKG-003", Level.ERROR)
def package_bucket(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Specify packages in Cloud Storage as `gs://<bucket>/<prefix>`.

    Nodes authenticate with their service accounts, so they don't need a signed URL. Such a URL would expose a secret
    and would expire after a week. Source: Cloud Storage documentation, "Signed URLs".
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
            reason="everyone who can read the description could use the signed URL"
            if "?" in source
            else "nodes would download packages from this URL without credentials",
            remedy=f"use gs://{bucket}{prefix and '/' + prefix}",
        )


@rule("HPC-PKG-004", Level.WARNING)
def package_readers(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """All nodes' service accounts must have permission to read the bucket that contains Slurm's packages.

    You have to grant this permission, because the bucket is yours and the cluster doesn't change its permissions.
    Source: Cloud Storage documentation, "IAM roles for Cloud Storage".
    """
    source = cluster.slurm.package_source
    url = gcs_url(source) if source is not None else None
    if url is not None:
        yield Problem(
            path=_SOURCE,
            value=source,
            reason=f"the cluster doesn't grant its nodes access to bucket {url.bucket}",
            remedy="after the first pulumi up, grant read access to the service accounts of the head node, login "
            "nodes, queues and, with recipes of images, the image builder: "
            f"gcloud storage buckets add-iam-policy-binding gs://{url.bucket} --role "
            "roles/storage.objectViewer --member serviceAccount:...",
        )


@rule("HPC-PKG-006", Level.WARNING)
def script_readers(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The service account of machines that make images must be allowed to read the buckets with their scripts.

    You have to grant this permission, because the bucket is yours and the cluster doesn't change its permissions.
    Source: Cloud Storage documentation, "IAM roles for Cloud Storage".
    """
    for name, script in cluster.scripts.items():
        url = gcs_url(script.address) if script.address is not None and script.at == "image" else None
        if url is not None:
            yield Problem(
                path=("scripts", name, "address"),
                value=script.address,
                reason=f"the cluster doesn't grant the image builder access to bucket {url.bucket}",
                remedy="after the first pulumi up, grant roles/storage.objectViewer on the bucket to its account",
            )


_SOURCE = ("slurm", "package_source")


def _public(source: str) -> tuple[str, str, str]:
    host, _, path = source.removeprefix("https://").partition("?")[0].partition("/")
    if host == "storage.googleapis.com":
        return path.partition("/")
    return host.partition(".storage.googleapis.com")[0], "/", path
