"""Rules on the buckets that Lustre file systems import from and export to."""

from collections.abc import Iterator
from itertools import combinations

from hpc_components.gcp.catalog.gcs_urls import gcs_url, wrong_gcs_url
from hpc_components.gcp.rules._stores import lustre_systems
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-GML-006", Level.ERROR)
def lustre_buckets(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """What Lustre imports from and exports to is written as `gs://<bucket>/<prefix>`.

    Source: Managed Lustre documentation, "Transfer data to or from Cloud Storage".
    """
    for path, lustre in lustre_systems(cluster):
        for field, url in (("import_from", lustre.import_from), ("export_to", lustre.export_to)):
            if url is not None and (wrong := wrong_gcs_url(url)):
                yield Problem(path=(*path, field), value=url, reason=wrong[0], remedy=wrong[1])


@rule("HPC-GML-007", Level.WARNING)
def import_of_nothing(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Lustre imports from a bucket with something in it, not from one that is made with the cluster.

    Objects are imported once, when the head node first sees the file system; a new bucket is empty then. Source:
    Managed Lustre documentation, "Transfer data to or from Cloud Storage".
    """
    ours = {bucket.name: key for key, bucket in cluster.buckets.items() if bucket.name}
    for path, lustre in lustre_systems(cluster):
        url = gcs_url(lustre.import_from) if lustre.import_from else None
        if url is not None and url.bucket in ours:
            yield Problem(
                path=(*path, "import_from"),
                value=lustre.import_from,
                reason=f"buckets.{ours[url.bucket]} is made with the cluster, and empty when it is imported",
                remedy="name a bucket that is there already, or remove import_from and copy with gcloud storage cp",
            )


@rule("HPC-GML-008", Level.WARNING)
def exported_to_one_place(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """No two file systems export to the same objects.

    Each overwrites the other's files of the same name, every day. Source: Managed Lustre documentation, "Transfer
    data to or from Cloud Storage".
    """
    exports = [
        (path, url)
        for path, lustre in lustre_systems(cluster)
        if lustre.export_to and (url := gcs_url(lustre.export_to))
    ]
    for (first, one), (path, other) in combinations(exports, 2):
        if one.overlaps(other):
            yield Problem(
                path=(*path, "export_to"),
                value=str(other),
                reason=f"storage.{first[1]} exports to {one}, and files of one name overwrite each other",
                remedy=f"use a prefix for each: gs://{one.bucket}/{first[1]} and gs://{one.bucket}/{path[1]}",
            )


@rule("HPC-GML-009", Level.INFO)
def buckets_out_of_sight(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A bucket that Lustre imports from or exports to is there, in the cluster's region.

    From another region the copy is slow, and traffic is paid for. Source: Managed Lustre documentation, "Transfer
    data to or from Cloud Storage"; Cloud Storage pricing, data transfer.
    """
    ours = {bucket.name for bucket in cluster.buckets.values()}
    told: set[str] = set()
    for path, lustre in lustre_systems(cluster):
        for field, text in (("import_from", lustre.import_from), ("export_to", lustre.export_to)):
            url = gcs_url(text) if text else None
            if url is None or url.bucket in ours or url.bucket in told:
                continue
            told.add(url.bucket)
            yield Problem(
                path=(*path, field),
                value=text,
                reason=f"it can't be seen from here whether {url.bucket} is there, and in {cluster.region}",
                remedy=f"compare with: gcloud storage buckets describe gs://{url.bucket} --format 'value(location)'",
            )
